"""Helper functions over parameters and shapes, which `prepare` calls outside the timed part."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any


def reduced_axes(data: Any, axis: Any, exclude: bool = False) -> tuple[int, ...]:
    """The axes that a reduction of MXNet reduces: all without any, and all others with `exclude`."""
    ndim = data.ndim
    axes = (axis,) if isinstance(axis, int) else tuple(axis or ())
    if not axes:
        return () if exclude and axis is not None else tuple(range(ndim))
    positive = tuple(place % ndim for place in axes)
    return tuple(place for place in range(ndim) if place not in positive) if exclude else positive


def spread(value: Any, count: int, default: int) -> tuple[int, ...]:
    """A parameter for each spatial axis (kernel, stride, pad): its value, or the default if it is empty."""
    return tuple(value) if value else (default,) * count


def per_channel(vector: Any, data: Any, axis: int = 1) -> tuple[int, ...]:
    """The shape in which a vector of channels broadcasts with data."""
    return tuple(-1 if place == axis % data.ndim else 1 for place in range(data.ndim))


def reshaped(old: Sequence[int], new: Sequence[int], reverse: bool = False) -> tuple[int, ...]:
    """The shape that MXNet's `Reshape` gives for its special codes 0, -1, -2, -3 and -4."""
    source, target = (list(old)[::-1], list(new)[::-1]) if reverse else (list(old), list(new))
    if reverse:
        target = _swapped_splits(target)
    result: list[int] = []
    place, index = 0, 0
    while index < len(target):
        code = target[index]
        if code == 0:
            result.append(source[place])
            place += 1
        elif code == -1:
            result.append(-1)
            place += 1
        elif code == -2:
            result += source[place:]
            place = len(source)
        elif code == -3:
            result.append(source[place] * source[place + 1])
            place += 2
        elif code == -4:
            result += _split(source[place], target[index + 1], target[index + 2])
            place, index = place + 1, index + 2
        else:
            result.append(code)
            place += 1
        index += 1
    return _without_unknown(result, math.prod(old))[:: -1 if reverse else 1]


def _split(size: int, first: int, second: int) -> list[int]:
    return [size // second if first == -1 else first, size // first if second == -1 else second]


def _swapped_splits(target: list[int]) -> list[int]:
    """Reversed codes with each -4 before its two sizes again."""
    swapped = list(target)
    for place, code in enumerate(target):
        if code == -4:
            swapped[place - 2 : place + 1] = [-4, target[place - 2], target[place - 1]]
    return swapped


def _without_unknown(shape: list[int], elements: int) -> tuple[int, ...]:
    if -1 not in shape:
        return tuple(shape)
    known = math.prod(size for size in shape if size != -1)
    return tuple(elements // known if size == -1 else size for size in shape)


def slices(ndim: int, begin: Any, end: Any, step: Any = ()) -> tuple[slice, ...]:
    """The basic index of MXNet's `slice`."""
    steps = tuple(step or ()) + (None,) * (len(begin) - len(step or ()))
    given = tuple(slice(*part) for part in zip(begin, end, steps, strict=True))
    return given + (slice(None),) * (ndim - len(given))


def pads(pad_width: Any) -> tuple[tuple[int, int], ...]:
    """Pairs of an axis' padding from MXNet's flat list."""
    flat = tuple(pad_width)
    return flat if flat and isinstance(flat[0], tuple) else tuple(zip(flat[::2], flat[1::2], strict=True))


def torch_pads(pad_width: Any) -> list[int]:
    """The padding in PyTorch's order: the last axis first."""
    return [size for pair in reversed(pads(pad_width)) for size in pair]
