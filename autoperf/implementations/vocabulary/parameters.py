"""Helper functions over parameters and shapes, which `prepare` calls outside the timed part."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np


def reduced_axes(data: Any, axis: Any, exclude: bool = False) -> tuple[int, ...]:
    """The axes that a reduction of MXNet reduces: all without any, and all others with `exclude`."""
    ndim = data.ndim
    axes = (axis,) if isinstance(axis, int) else tuple(axis or ())
    if not axes:
        return tuple(range(ndim))
    positive = tuple(place % ndim for place in axes)
    return tuple(place for place in range(ndim) if place not in positive) if exclude else positive


def spread(value: Any, count: int, default: int) -> tuple[int, ...]:
    """A parameter for each spatial axis (kernel, stride, pad): its value, or the default if it is empty."""
    return tuple(value) if value else (default,) * count


def both_sides(padding: Sequence[Any]) -> list[tuple[int, int]]:
    """The pads before and after each axis, of which one size is for both sides."""
    return [tuple(size) if isinstance(size, tuple) else (size, size) for size in padding]


def window_edges(
    extents: Sequence[int], kernel: Sequence[int], strides: Sequence[int], padding: Sequence[int], full: bool
) -> tuple[tuple[int, int], ...]:
    """The pads before and after each axis; with `full`, a last window that is incomplete reaches beyond the pads."""
    axes = zip(extents, kernel, strides, padding, strict=True)
    return tuple((pad, pad + ((size - extent - 2 * pad) % step if full else 0)) for extent, size, step, pad in axes)


def window_sizes(
    extents: Sequence[int], kernel: Sequence[int], strides: Sequence[int], padding: Sequence[int],
    edges: Sequence[tuple[int, int]], counted: bool,
) -> Any:  # fmt: skip
    """The number of elements of each window, with those of the pads if they are `counted`; a number if all have it."""
    sizes = np.ones((1,) * len(kernel), "float32")
    for axis, (extent, size, step, pad) in enumerate(zip(extents, kernel, strides, padding, strict=True)):
        starts = np.arange(-pad, extent + edges[axis][1] - size + 1, step)
        first, last = (-pad, extent + pad) if counted else (0, extent)
        lengths = np.minimum(starts + size, last) - np.maximum(starts, first)
        sizes = sizes * lengths.reshape(-1, *(1,) * (len(kernel) - 1 - axis))
    return sizes.flat[0] if (sizes == sizes.flat[0]).all() else sizes


def per_channel(data: Any, axis: int = 1) -> tuple[int, ...]:
    """The shape in which a vector of channels broadcasts with data."""
    return tuple(-1 if place == axis % data.ndim else 1 for place in range(data.ndim))


def l2_axes(data: Any, mode: str) -> tuple[int, ...]:
    """The axes over which `L2Normalization` sums."""
    return {"instance": tuple(range(1, data.ndim)), "channel": (1,)}.get(mode, tuple(range(2, data.ndim)))


def reshaped(old: Sequence[int], new: Sequence[int], reverse: bool = False) -> tuple[int, ...]:
    """The shape that MXNet's `Reshape` gives for its codes: 0 copies a size, -1 is inferred, -2 copies the rest.

    -3 joins two axes, -4 splits one into the two sizes that follow. With `reverse` it reads from the right.
    """
    source, target = list(old), list(new)
    if reverse:
        source, target = source[::-1], _swapped_splits(target[::-1])
    result: list[int] = []
    place = index = 0
    while index < len(target):
        code = target[index]
        if code == -2:
            result += source[place:]
            place = len(source)
        elif code == -3:
            result.append(source[place] * source[place + 1])
            place += 2
        elif code == -4:
            result += _split(source[place], target[index + 1], target[index + 2])
            place, index = place + 1, index + 2
        else:
            result.append(source[place] if code == 0 else code)
            place += 1
        index += 1
    shape = without_unknown(result, math.prod(old))
    return shape[::-1] if reverse else shape


def _split(size: int, first: int, second: int) -> list[int]:
    return [size // second if first == -1 else first, size // first if second == -1 else second]


def _swapped_splits(target: list[int]) -> list[int]:
    """Reversed codes with each -4 before its two sizes again."""
    swapped = list(target)
    for place, code in enumerate(target):
        if code == -4:
            swapped[place - 2 : place + 1] = [-4, target[place - 2], target[place - 1]]
    return swapped


def without_unknown(shape: Sequence[int], elements: int) -> tuple[int, ...]:
    """The shape with the size that -1 stands for."""
    known = math.prod(size for size in shape if size != -1)
    return tuple(elements // known if size == -1 else size for size in shape)


def reshaped_like(
    left: Sequence[int], right: Sequence[int], lhs_begin: Any, lhs_end: Any, rhs_begin: Any, rhs_end: Any
) -> tuple[int, ...]:
    """The shape of `reshape_like`: some axes of the left shape in place of some of the right one."""
    return (
        *tuple(left)[: _bound(lhs_begin, left, 0)],
        *tuple(right)[_bound(rhs_begin, right, 0) : _bound(rhs_end, right, len(right))],
        *tuple(left)[_bound(lhs_end, left, len(left)) :],
    )


def _bound(value: Any, shape: Sequence[int], default: int) -> int:
    if value is None:
        return default
    return int(value) + len(shape) if value < 0 else int(value)


def with_sizes(shape: Sequence[int], axes: Any, sizes: Any) -> tuple[int, ...]:
    """The shape with other sizes of some axes."""
    numbers = (axes,) if isinstance(axes, int) else axes
    lengths = (sizes,) if isinstance(sizes, int) else sizes
    changed = list(shape)
    for axis, size in zip(numbers, lengths, strict=True):
        changed[axis] = size
    return tuple(changed)


def broadcast_like_shape(left: Sequence[int], right: Sequence[int], lhs_axes: Any, rhs_axes: Any) -> tuple[int, ...]:
    """The shape of `broadcast_like`."""
    return tuple(right) if lhs_axes is None else with_sizes(left, lhs_axes, [right[axis] for axis in rhs_axes])


def slices(ndim: int, begin: Any, end: Any, step: Any = ()) -> tuple[slice, ...]:
    """The basic index of MXNet's `slice`."""
    steps = tuple(step or ()) + (None,) * (len(begin) - len(step or ()))
    given = tuple(slice(*part) for part in zip(begin, end, steps, strict=True))
    return given + (slice(None),) * (ndim - len(given))


def axis_slice(ndim: int, axis: int, begin: int, end: int | None) -> tuple[slice, ...]:
    """The index of `slice_axis`."""
    return tuple(slice(begin, end) if place == axis % ndim else slice(None) for place in range(ndim))


def like_slices(shape: Sequence[int], like: Sequence[int], axes: Any) -> tuple[slice, ...]:
    """The index of `slice_like`."""
    chosen = {axis % len(shape) for axis in (axes or range(len(like)))}
    return tuple(slice(like[place]) if place in chosen else slice(None) for place in range(len(shape)))


def split_places(size: int, indices: Any, sections: int) -> list[int]:
    """Where an axis is split: at the given indices, or into equal sections."""
    if sections:
        each, more = divmod(size, sections)
        return [each * place + min(place, more) for place in range(1, sections)]
    return [place for place in indices if place != 0]


def split_sizes(size: int, indices: Any, sections: int) -> list[int]:
    """The sizes of the parts of an axis that is split."""
    ends = [min(place, size) for place in (*split_places(size, indices, sections), size)]
    return [end - begin for begin, end in zip([0, *ends], ends, strict=False)]


def pad_pairs(pad_width: Any) -> tuple[tuple[int, int], ...]:
    """Pairs of an axis' padding, from pairs or MXNet's flat list."""
    flat = tuple(pad_width)
    return flat if flat and isinstance(flat[0], tuple) else tuple(zip(flat[::2], flat[1::2], strict=True))


def resized(
    data: Any, height: int, width: int, scale_height: float | None, scale_width: float | None
) -> tuple[int, int]:
    """The size to which an image is resized: given, or scaled."""
    rows = height if scale_height is None else int(data.shape[2] * scale_height)
    return rows, width if scale_width is None else int(data.shape[3] * scale_width)


def size_of(shape: Any) -> int:
    """The number of elements of a shape."""
    return math.prod(shape or ())


def triangle(size: int, offset: int, lower: bool) -> tuple[list[int], list[int]]:
    """Rows and columns of a triangle of a square matrix: row by row below a diagonal, column by column above it."""
    below = lower if offset == 0 else offset < 0
    rows, columns = np.tril_indices(size, offset) if below else np.tril_indices(size, -offset)[::-1]
    return rows.tolist(), columns.tolist()


def triangle_size(elements: int, offset: int) -> int:
    """The size of a square matrix with a triangle of this many elements."""
    return (math.isqrt(8 * elements + 1) - 1) // 2 + abs(offset)
