"""Helper functions over arrays whose code is the same in several frameworks; `xp` is the framework's module.

Functions of these names in a framework's own vocabulary have precedence: PyTorch's tensors have other methods.
"""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from autoperf.implementations.vocabulary.parameters import pad_pairs


def whole(data: Any) -> Any:
    """Indices of any dtype as int64."""
    return data.astype("int64")


def dtype_of(name: str | None) -> Any:
    """The dtype of a name."""
    return None if name is None else np.dtype(name)


def like(data: Any, other: Any) -> Any:
    """The data in the dtype of another array."""
    return data.astype(other.dtype)


def pad_widths(pad_width: Any, _skipped: int = 0) -> Any:
    """The padding of each axis."""
    return pad_pairs(pad_width)


def float_of(kind: Any) -> Any:
    """A floating dtype in which numbers of a dtype are drawn."""
    return kind if kind.kind == "f" else np.dtype("float32")


def kinded(value: Any, kind: Any) -> Any:
    """A parameter of a distribution in a dtype; a number as it is."""
    return value if isinstance(value, int | float) else value.astype(kind)


def widened_parameter(value: Any, shape: Any, kind: Any) -> Any:
    """A parameter of samples with an axis of one for each axis of the samples."""
    return value.astype(kind).reshape(value.shape + (1,) * (len(shape) - value.ndim))


def added(arrays: Sequence[Any]) -> Any:
    """The sum of arrays."""
    return functools.reduce(operator.add, arrays)


def common_dtype(arrays: Sequence[Any], narrow: bool) -> Any:
    """The widest or narrowest dtype of arrays."""
    return (min if narrow else max)((array.dtype for array in arrays), key=lambda dtype: dtype.itemsize)


def in_range(xp: Any, indices: Any, size: int, mode: str) -> Any:
    """Whole indices in the range of an axis: clipped to it, or wrapped."""
    return indices % size if mode == "wrap" else xp.clip(indices, 0, size - 1)


def picked(xp: Any, index: Any, data: Any, axis: int, mode: str) -> Any:
    """The whole indices of `pick` in the shape in which elements are taken along an axis."""
    shape = list(data.shape)
    shape[axis] = 1
    return in_range(xp, index, data.shape[axis], mode).reshape(shape)


def layer_norm(xp: Any, data: Any, gamma: Any, beta: Any, eps: float) -> Any:
    """Normalizes along the last axis."""
    centred = data - xp.mean(data, -1, keepdims=True)
    variance = xp.mean(centred * centred, -1, keepdims=True)
    return centred / xp.sqrt(variance + eps) * gamma + beta


def batch_norm(xp: Any, data: Any, gamma: Any, beta: Any, axis: int, eps: float, fix_gamma: bool) -> Any:
    """Normalizes each channel by the statistics of the batch."""
    axes = tuple(place for place in range(data.ndim) if place != axis % data.ndim)
    shape = tuple(-1 if place == axis % data.ndim else 1 for place in range(data.ndim))
    centred = data - xp.mean(data, axes, keepdims=True)
    scaled = centred / xp.sqrt(xp.mean(centred * centred, axes, keepdims=True) + eps)
    return (scaled if fix_gamma else scaled * gamma.reshape(shape)) + beta.reshape(shape)


def global_norm(
    xp: Any, data: Any, gamma: Any, beta: Any, mean: Any, var: Any, axis: int, eps: float, fix_gamma: bool
) -> Any:
    """Normalizes each channel by given statistics."""
    shape = tuple(-1 if place == axis % data.ndim else 1 for place in range(data.ndim))
    factor = 1 / xp.sqrt(var + eps) if fix_gamma else gamma / xp.sqrt(var + eps)
    return data * factor.reshape(shape) + (beta - mean * factor).reshape(shape)


def group_norm(xp: Any, data: Any, groups: int, gamma: Any, beta: Any, eps: float) -> Any:
    """Normalizes groups of channels."""
    parts = data.reshape(data.shape[0], groups, -1)
    centred = parts - xp.mean(parts, -1, keepdims=True)
    scaled = centred / xp.sqrt(xp.mean(centred * centred, -1, keepdims=True) + eps)
    shape = (1, -1) + (1,) * (data.ndim - 2)
    return scaled.reshape(data.shape) * gamma.reshape(shape) + beta.reshape(shape)


def local_response_norm(xp: Any, data: Any, size: int, alpha: float, beta: float, knorm: float) -> Any:
    """Divides by the mean of squares of neighbouring channels."""
    half = size // 2
    widths = [(0, 0), (half, half), *[(0, 0)] * (data.ndim - 2)]
    squares = xp.pad(data * data, widths)
    sums = added([squares[:, place : place + data.shape[1]] for place in range(size)])
    return data / (knorm + alpha / size * sums) ** beta


def khatri_rao(arrays: Sequence[Any]) -> Any:
    """The column-wise Kronecker product."""
    return functools.reduce(lambda a, b: (a[:, None, :] * b[None, :, :]).reshape(-1, a.shape[1]), arrays)


def _heads(part: Any, batch_heads: int) -> Any:
    """Sequences of each head: (length, batch * heads, size) as (batch * heads, length, size)."""
    return part.reshape(part.shape[0], batch_heads, -1).swapaxes(0, 1)


def _interleaved(data: Any, heads: int, parts: int) -> list[Any]:
    """The interleaved projections, each as (batch * heads, length, size)."""
    length, batch = data.shape[:2]
    split = data.reshape(length, batch * heads, parts, -1)
    return [split[:, :, place].swapaxes(0, 1) for place in range(parts)]


def _scores(queries: Any, keys: Any) -> Any:
    return (queries * queries.shape[-1] ** -0.5) @ keys.swapaxes(1, 2)


def _joined(values: Any, batch: int) -> Any:
    """The results of all heads: (batch * heads, length, size) as (length, batch, heads * size)."""
    return values.swapaxes(0, 1).reshape(values.shape[1], batch, -1)


def self_scores(queries_keys_values: Any, heads: int) -> Any:
    """Scaled products of interleaved queries and keys."""
    queries, keys, _ = _interleaved(queries_keys_values, heads, 3)
    return _scores(queries, keys)


def self_values(queries_keys_values: Any, attention: Any, heads: int) -> Any:
    """Interleaved values weighted by attention."""
    values = _interleaved(queries_keys_values, heads, 3)[2]
    return _joined(attention @ values, queries_keys_values.shape[1])


def cross_scores(queries: Any, keys_values: Any, heads: int) -> Any:
    """Scaled products of queries and interleaved keys."""
    keys = _interleaved(keys_values, heads, 2)[0]
    return _scores(_heads(queries, queries.shape[1] * heads), keys)


def cross_values(keys_values: Any, attention: Any, heads: int) -> Any:
    """Interleaved values weighted by attention."""
    return _joined(attention @ _interleaved(keys_values, heads, 2)[1], keys_values.shape[1])


def dirichlet_log_density(xp: Any, lgamma: Any, sample: Any, alpha: Any) -> Any:
    """The logarithm of Dirichlet's density."""
    return xp.sum((alpha - 1) * xp.log(sample) - lgamma(alpha), -1) + lgamma(xp.sum(alpha, -1))


def logit(share: Any) -> Any:
    """The odds of a share; its logarithm is the framework's."""
    return share / (1 - share)


def trailing(parameter: Any, sample: Any) -> Any:
    """A parameter with an axis of one for each axis that the sample has beyond it."""
    return parameter.reshape(tuple(parameter.shape) + (1,) * (sample.ndim - parameter.ndim))


def before_last(alpha: Any, sample: Any) -> Any:
    """Parameters of vectors with an axis of one before the last for each axis that the sample has beyond them."""
    return alpha.reshape(tuple(alpha.shape[:-1]) + (1,) * (sample.ndim - alpha.ndim) + tuple(alpha.shape[-1:]))


def corners(xp: Any, boxes: Any) -> Any:
    """Boxes of centre and size as corners."""
    half = boxes[..., 2:] / 2
    return xp.concatenate((boxes[..., :2] - half, boxes[..., :2] + half), -1)


def box_iou(xp: Any, lhs: Any, rhs: Any) -> Any:
    """The share of the union of each pair of boxes that is their intersection."""
    left = lhs.reshape(tuple(lhs.shape[:-1]) + (1,) * (rhs.ndim - 1) + (4,))
    low, high = xp.maximum(left[..., :2], rhs[..., :2]), xp.minimum(left[..., 2:], rhs[..., 2:])
    inside = _area(xp.clip(high - low, 0, None))
    union = _area(left[..., 2:] - left[..., :2]) + _area(rhs[..., 2:] - rhs[..., :2]) - inside
    return xp.where(union > 0, inside / union, 0)


def _area(sides: Any) -> Any:
    return sides[..., 0] * sides[..., 1]


def box_decode(xp: Any, data: Any, anchors: Any, stds: tuple[float, ...], clip: float, corner: bool) -> Any:
    """Boxes from their offsets to anchors."""
    if corner:
        size = anchors[..., 2:] - anchors[..., :2]
        centre = anchors[..., :2] + size / 2
    else:
        centre, size = anchors[..., :2], anchors[..., 2:]
    place = xp.stack([data[..., axis] * stds[axis] * size[..., axis] + centre[..., axis] for axis in (0, 1)], -1)
    scale = xp.stack([data[..., 2 + axis] * stds[2 + axis] for axis in (0, 1)], -1)
    half = xp.exp(xp.clip(scale, None, clip) if clip > 0 else scale) * size / 2
    return xp.concatenate((place - half, place + half), -1)


def correlation(xp: Any, padded: Any, data1: Any, data2: Any, displacement: int, stride: int, pad: int) -> Any:
    """Mean products of one image with shifts of another."""
    first, second = padded(data1, pad), padded(data2, pad)
    rows, columns = (size - 2 * displacement for size in first.shape[2:])
    centre = first[:, :, displacement : displacement + rows, displacement : displacement + columns]
    steps = range(-(displacement // stride) * stride, displacement + 1, stride)
    shifts = [
        second[:, :, displacement + dy : displacement + dy + rows, displacement + dx : displacement + dx + columns]
        for dy in steps
        for dx in steps
    ]
    return xp.stack([xp.mean(centre * shift, 1) for shift in shifts], 1)


def transposed_first(xp: Any, values: Any, vectors: Any) -> tuple[Any, Any]:
    """Eigenvectors as rows, then eigenvalues."""
    return xp.swapaxes(vectors, -1, -2), values


def index_strides(xp: Any, shape: Sequence[int], data: Any) -> Any:
    """The strides of an array of a shape, in elements, as a column."""
    sizes = list(itertools.accumulate((1, *tuple(shape)[:0:-1]), operator.mul))
    return xp.asarray(sizes[::-1], dtype=data.dtype).reshape(-1, *[1] * (data.ndim - 1))


def widened(mask: Any, data: Any, start: int) -> Any:
    """A mask of some axes, from `start` on, in the shape in which it broadcasts with data."""
    return mask.reshape((1,) * start + tuple(mask.shape) + (1,) * (data.ndim - start - mask.ndim))


def row_condition(condition: Any, like: Any) -> Any:
    """A condition as bool; one of rows in the shape in which it broadcasts."""
    shape = condition.shape if condition.ndim == like.ndim else (-1,) + (1,) * (like.ndim - 1)
    return (condition != 0).reshape(shape)


def length_mask(xp: Any, data: Any, length: Any, axis: int) -> Any:
    """Which places along an axis are below the lengths, which have one axis less."""
    axis %= data.ndim
    places = xp.arange(data.shape[axis]).reshape((-1,) + (1,) * (data.ndim - axis - 1))
    return places < length.reshape((*length.shape[:axis], 1, *length.shape[axis:]))


def sequence_mask(xp: Any, data: Any, lengths: Any, axis: int) -> Any:
    """Which places of sequences are below their lengths; `axis` is that of the places, the other of the sequences."""
    inside = xp.arange(data.shape[axis])[:, None] < lengths[None, :]
    inside = inside if axis == 0 else inside.T
    return inside.reshape(tuple(inside.shape) + (1,) * (data.ndim - 2))


def reversed_places(xp: Any, data: Any, lengths: Any) -> Any:
    """The places of sequences that are reversed up to their lengths, which are whole numbers."""
    places, ends = xp.arange(data.shape[0])[:, None], lengths[None, :]
    return xp.where(places < ends, ends - 1 - places, places)


def lq(xp: Any, data: Any) -> Any:
    """The factors of a matrix: lower triangular, and with orthonormal rows."""
    q, r = xp.linalg.qr(xp.swapaxes(data, -1, -2))
    return xp.swapaxes(q, -1, -2), xp.swapaxes(r, -1, -2)


def channels(xp: Any, values: Any, data: Any) -> Any:
    """Numbers of channels in the shape in which they broadcast with images."""
    numbers = tuple(values)[: data.shape[-3]] if len(values) > 1 else tuple(values)
    return xp.asarray(numbers, dtype=data.dtype).reshape(-1, 1, 1)
