"""Helper functions of expressions in JAX."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax, random
from jax.scipy.special import gammaln

from autoperf.implementations.vocabulary.parameters import both_sides, triangle, triangle_size


def scalar_of(value: Any, dtype: str) -> Any:
    """A number in a dtype; a negative one wraps around in an unsigned dtype, where JAX would make it zero."""
    number = int(value) if float(value).is_integer() else value
    return jnp.asarray(np.asarray(number).astype(dtype))


def masked(data: Any, mask: Any, value: float) -> Any:
    """The data with a value where the mask is false."""
    return jnp.where(mask, data, value)


def padded(data: Any, pad: int) -> Any:
    """Images with zeros around them."""
    return jnp.pad(data, ((0, 0), (0, 0), (pad, pad), (pad, pad)))


def transposed_convolution(
    data: Any, weight: Any, strides: Any, padding: Any, extra: Any, dilation: Any, groups: int
) -> Any:
    """A transposed convolution, as the convolution of spread data with flipped weights."""
    count = weight.ndim - 2
    kernel = weight.reshape(groups, weight.shape[0] // groups, *weight.shape[1:]).swapaxes(1, 2)
    kernel = jnp.flip(kernel.reshape(-1, *kernel.shape[2:]), tuple(range(2, 2 + count)))
    reach = [(size - 1) * step for size, step in zip(weight.shape[2:], dilation, strict=True)]
    pads = [(r - p, r - p + e) for r, p, e in zip(reach, padding, extra, strict=True)]
    return lax.conv_general_dilated(
        data, kernel, (1,) * count, pads, lhs_dilation=strides, rhs_dilation=dilation, feature_group_count=groups
    )


def pool(data: Any, kernel: Any, strides: Any, padding: Any, kind: str) -> Any:
    """The maximum or sum of windows."""
    window, steps = (1, 1, *kernel), (1, 1, *strides)
    pads = [(0, 0), (0, 0), *both_sides(padding)]
    if kind == "max":
        least = -jnp.inf if data.dtype.kind == "f" else jnp.iinfo(data.dtype).min
        return lax.reduce_window(data, np.asarray(least, data.dtype), lax.max, window, steps, pads)
    return lax.reduce_window(data, np.asarray(0, data.dtype), lax.add, window, steps, pads)


def top_places(data: Any, k: int, axis: int, ascending: bool) -> Any:
    """The indices of the smallest or largest k elements in order."""
    moved = jnp.moveaxis(-data if ascending else data, axis, -1)
    return jnp.moveaxis(lax.top_k(moved, min(k, moved.shape[-1]))[1], -1, axis)


def diag_embed(data: Any, offset: int) -> Any:
    """Matrices with vectors on a diagonal."""
    size = data.shape[-1]
    side = size + abs(offset)
    places = jnp.arange(size)
    zeros = jnp.zeros((*data.shape[:-1], side, side), data.dtype)
    return zeros.at[..., places + max(-offset, 0), places + max(offset, 0)].set(data)


def from_triangle(data: Any, offset: int, lower: bool) -> Any:
    """Matrices with the elements of vectors in a triangle."""
    side = triangle_size(data.shape[-1], offset)
    rows, columns = map(np.asarray, triangle(side, offset, lower))
    return jnp.zeros((*data.shape[:-1], side, side), data.dtype).at[..., rows, columns].set(data)


def lgamma(data: Any) -> Any:
    """The logarithm of the gamma function."""
    return gammaln(data)


def generator() -> Any:
    """A key of random numbers."""
    return random.key(1)


def normals(key: Any, shape: Any, kind: Any) -> Any:
    """Standard normal numbers."""
    return random.normal(key, shape, kind)


def uniforms(key: Any, shape: Any, kind: Any) -> Any:
    """Uniform numbers on [0, 1)."""
    return random.uniform(key, shape, kind)


def exponentials(key: Any, shape: Any, kind: Any) -> Any:
    """Exponentially distributed numbers with mean one."""
    return random.exponential(key, shape, kind)


def gammas(key: Any, alpha: Any, shape: Any, kind: Any) -> Any:
    """Gamma distributed numbers with scale one."""
    return random.gamma(key, alpha, shape, kind)


def poissons(key: Any, mean: Any, shape: Any, kind: Any) -> Any:
    """Poisson distributed numbers."""
    return random.poisson(random.fold_in(key, 1), mean, shape).astype(kind)


def probability(prob: Any, logit: Any, is_logit: bool, given: Any) -> Any:
    """The probability of a sample of zeros and ones."""
    value = given if given is not None else logit if is_logit else prob
    return 1 / (1 + jnp.exp(-value)) if is_logit else value


def histogram(data: Any, bins: int, limits: Any) -> Any:
    """Counts and edges of bins."""
    counts, edges = jnp.histogram(data, bins, limits)
    return counts.astype("int64"), edges
