"""Helper functions of expressions in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from autoperf.implementations.vocabulary.arrays import whole
from autoperf.implementations.vocabulary.parameters import both_sides, triangle, triangle_size


def scalar_of(value: Any, dtype: str) -> Any:
    """A number in a dtype."""
    return np.dtype(dtype).type(value)


def masked(data: Any, mask: Any, value: float) -> Any:
    """The data with a value where the mask is false."""
    return np.where(mask, data, data.dtype.type(value))


def softmax(data: Any, axis: int) -> Any:
    """Exponentials that sum to one along an axis."""
    powers = np.exp(data - np.max(data, axis, keepdims=True))
    return powers / np.sum(powers, axis, keepdims=True)


def log_softmax(data: Any, axis: int) -> Any:
    """The logarithm of `softmax`."""
    shifted = data - np.max(data, axis, keepdims=True)
    return shifted - np.log(np.sum(np.exp(shifted), axis, keepdims=True))


def scattered(values: Any, index: Any, shape: tuple[int, ...]) -> Any:
    """Zeros with values at an index."""
    return assigned(np.zeros(shape, values.dtype), index, values)


def assigned(data: Any, key: Any, values: Any) -> Any:
    """The data with values at a key; a copy."""
    data = data.copy()
    data[key] = values
    return data


def padded(data: Any, pad: int) -> Any:
    """Images with zeros around them."""
    return np.pad(data, ((0, 0), (0, 0), (pad, pad), (pad, pad)))


def windows(data: Any, kernel: Any, strides: Any, padding: Any, dilation: Any = None, value: float = 0) -> Any:
    """Views of the spatial windows of data: batch, channels, places, kernel. Pads are a size or two for each axis."""
    count = len(kernel)
    dilation = dilation or (1,) * count
    pairs = [(0, 0), (0, 0), *both_sides(padding)]
    wide = np.pad(data, pairs, constant_values=value) if np.any(pairs) else data
    extents = tuple((size - 1) * step + 1 for size, step in zip(kernel, dilation, strict=True))
    axes: Any = tuple(range(2, 2 + count))
    views = np.lib.stride_tricks.sliding_window_view(wide, extents, axes)
    places = (slice(None), slice(None), *(slice(None, None, step) for step in strides))
    return views[places + tuple(slice(None, None, step) for step in dilation)]


def convolution(data: Any, weight: Any, bias: Any, strides: Any, padding: Any, dilation: Any, groups: int) -> Any:
    """A convolution as a product of windows and weights."""
    count = weight.ndim - 2
    views = windows(data, weight.shape[2:], strides, padding, dilation)
    parts = zip(np.split(views, groups, 1), np.split(weight, groups, 0), strict=True)
    summed = [1, *range(2 + count, 2 + 2 * count)]
    products = [np.tensordot(part, kernel, (summed, list(range(1, 2 + count)))) for part, kernel in parts]
    result = np.moveaxis(np.concatenate(products, -1), -1, 1)
    return result if bias is None else result + bias.reshape(-1, *(1,) * count)


def columns(data: Any, kernel: Any, strides: Any, padding: Any, dilation: Any) -> Any:
    """The windows of images as columns."""
    views = windows(data, kernel, strides, padding, dilation)
    return views.transpose(0, 1, 4, 5, 2, 3).reshape(data.shape[0], data.shape[1] * kernel[0] * kernel[1], -1)


def pool(data: Any, kernel: Any, strides: Any, padding: Any, kind: str) -> Any:
    """The maximum or sum of windows."""
    least = -np.inf if data.dtype.kind == "f" else np.iinfo(data.dtype).min
    views = windows(data, kernel, strides, padding, value=least if kind == "max" else 0)
    axes = tuple(range(-len(kernel), 0))
    return np.max(views, axes) if kind == "max" else np.sum(views, axes)


def top_places(data: Any, k: int, axis: int, ascending: bool) -> Any:
    """The indices of the smallest or largest k elements in order."""
    order = np.argsort(data if ascending else -data, axis, kind="stable")
    return np.take(order, np.arange(min(k, data.shape[axis])), axis)


def elements_at(data: Any, places: Any, axis: int | None) -> Any:
    """The elements at places along an axis, or of the flattened data."""
    return np.ravel(data)[whole(places)] if axis is None else np.take_along_axis(data, whole(places), axis)


def diag_embed(data: Any, offset: int) -> Any:
    """Matrices with vectors on a diagonal."""
    size = data.shape[-1]
    side = size + abs(offset)
    result = np.zeros((*data.shape[:-1], side, side), data.dtype)
    places = np.arange(size)
    result[..., places + max(-offset, 0), places + max(offset, 0)] = data
    return result


def from_triangle(data: Any, offset: int, lower: bool) -> Any:
    """Matrices with the elements of vectors in a triangle."""
    side = triangle_size(data.shape[-1], offset)
    result = np.zeros((*data.shape[:-1], side, side), data.dtype)
    rows, places = triangle(side, offset, lower)
    result[..., rows, places] = data
    return result


def generator() -> Any:
    """A generator of random numbers."""
    return np.random.default_rng(1)


def normals(random: Any, shape: Any, kind: Any) -> Any:
    """Standard normal numbers."""
    return random.standard_normal(shape, kind)


def uniforms(random: Any, shape: Any, kind: Any) -> Any:
    """Uniform numbers on [0, 1)."""
    return random.random(shape, kind)


def exponentials(random: Any, shape: Any, kind: Any) -> Any:
    """Exponentially distributed numbers with mean one."""
    return random.standard_exponential(shape, kind)


def gammas(random: Any, alpha: Any, shape: Any, kind: Any) -> Any:
    """Gamma distributed numbers with scale one."""
    return random.standard_gamma(alpha, shape, kind)


def poissons(random: Any, mean: Any, shape: Any, kind: Any) -> Any:
    """Poisson distributed numbers."""
    return random.poisson(mean, shape).astype(kind)


def probability(prob: Any, logit: Any, is_logit: bool, given: Any) -> Any:
    """The probability of a sample of zeros and ones."""
    value = given if given is not None else logit if is_logit else prob
    return 1 / (1 + np.exp(-value)) if is_logit else value


def probabilities(values: Any) -> Any:
    """Probabilities in double precision that sum to one."""
    shares = np.asarray(values, "float64")
    return shares / shares.sum()
