"""Helper functions of expressions in PyTorch."""

from __future__ import annotations

from typing import Any

import torch

from autoperf.implementations.vocabulary.parameters import pad_pairs, triangle, triangle_size


def whole(data: Any) -> Any:
    """Indices of any dtype as int64."""
    return data.long()


def dtype_of(name: str | None) -> Any:
    """The dtype of a name."""
    return None if name is None else getattr(torch, name)


def scalar_of(value: Any, dtype: str) -> Any:
    """A number in a dtype."""
    return torch.tensor(value).to(dtype_of(dtype) if isinstance(dtype, str) else dtype)


def pad_widths(pad_width: Any, skipped: int = 0) -> list[int]:
    """The padding in PyTorch's order, the last axis first, without that of the first axes."""
    return [size for pair in reversed(pad_pairs(pad_width)[skipped:]) for size in pair]


def masked(data: Any, mask: Any, value: float) -> Any:
    """The data with a value where the mask is false."""
    return data.masked_fill(~mask, value)


def product(data: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    """The product over several axes, for which `torch.prod` takes one."""
    if len(axes) == data.ndim and not keepdims:
        return torch.prod(data)
    for axis in sorted(axes, reverse=True):
        data = torch.prod(data, axis, keepdims)
    return data


def assigned(data: Any, key: Any, values: Any) -> Any:
    """The data with values at a key; a copy."""
    data = data.clone()
    data[key] = values
    return data


def padded(data: Any, pad: int) -> Any:
    """Images with zeros around them."""
    return torch.nn.functional.pad(data, (pad, pad, pad, pad))


def like(data: Any, other: Any) -> Any:
    """The data in the dtype of another array."""
    return data.to(other.dtype)


def unique(data: Any, inverse: bool, counts: bool, axis: Any) -> Any:
    """The distinct values, and what else is asked for."""
    given = data.flatten() if axis is None else data
    return torch.unique(given, return_inverse=inverse, return_counts=counts, dim=axis)


def from_triangle(data: Any, offset: int, lower: bool) -> Any:
    """Matrices with the elements of vectors in a triangle."""
    side = triangle_size(data.shape[-1], offset)
    rows, columns = triangle(side, offset, lower)
    result = data.new_zeros((*data.shape[:-1], side, side))
    result[..., rows, columns] = data
    return result


def polyval(coefficients: Any, data: Any) -> Any:
    """A polynomial by Horner's scheme."""
    result = torch.zeros_like(data)
    for coefficient in coefficients:
        result = result * data + coefficient
    return result


def histogram(data: Any, bins: int, limits: Any) -> Any:
    """Counts and edges of bins."""
    counts, edges = torch.histogram(data, bins, range=tuple(limits))
    return counts.long(), edges


def percentile(data: Any, share: float, axis: Any, interpolation: str, keepdims: bool) -> Any:
    """A percentile over one or all axes, or over several that are joined."""
    if axis is None:
        result = torch.quantile(data.flatten(), share / 100, interpolation=interpolation)
        return result.reshape((1,) * data.ndim) if keepdims else result
    (place,) = axis if isinstance(axis, tuple) else (axis,)
    return torch.quantile(data, share / 100, place, keepdims, interpolation=interpolation)


def label_lengths(label: Any) -> Any:
    """The lengths of labels that are padded with zeros."""
    return (label > 0).sum(1)


_GATES = {"lstm": 4, "gru": 3, "rnn_relu": 1, "rnn_tanh": 1}
_FUNCTIONS = {"lstm": torch.lstm, "gru": torch.gru, "rnn_relu": torch.rnn_relu, "rnn_tanh": torch.rnn_tanh}


def recurrent(
    data: Any, parameters: Any, states: Any, mode: str, size: int, layers: int, bidirectional: bool, with_states: bool
) -> Any:
    """A recurrent network whose weights are views of MXNet's parameter vector: all weights, then all biases."""
    rows, directions, shapes = _GATES[mode] * size, 2 if bidirectional else 1, []
    for layer in range(layers):
        inputs = data.shape[2] if layer == 0 else size * directions
        shapes += [(rows, inputs), (rows, size)] * directions
    parts = torch.split(parameters, [rows * columns for _, columns in shapes] + [rows] * len(shapes))
    matrices = [part.reshape(shape) for part, shape in zip(parts, shapes, strict=False)]
    biases = parts[len(shapes) :]
    pairs = range(0, len(shapes), 2)
    weights = [array for place in pairs for array in (*matrices[place : place + 2], *biases[place : place + 2])]
    state = states if mode == "lstm" else states[0]
    output, *last = _FUNCTIONS[mode](data, state, weights, True, layers, 0.0, False, bidirectional, False)
    return (output, *last) if with_states else output


def lgamma(data: Any) -> Any:
    """The logarithm of the gamma function."""
    return torch.lgamma(data)


def generator() -> Any:
    """PyTorch's own generator of random numbers."""
    return torch.default_generator


def normals(_random: Any, shape: Any, kind: Any) -> Any:
    """Standard normal numbers."""
    return torch.randn(shape, dtype=kind)


def uniforms(_random: Any, shape: Any, kind: Any) -> Any:
    """Uniform numbers on [0, 1)."""
    return torch.rand(shape, dtype=kind)


def exponentials(_random: Any, shape: Any, kind: Any) -> Any:
    """Exponentially distributed numbers with mean one."""
    return torch.empty(shape, dtype=kind).exponential_()


def gammas(_random: Any, alpha: Any, shape: Any, kind: Any) -> Any:
    """Gamma distributed numbers with scale one."""
    return torch._standard_gamma(torch.as_tensor(alpha, dtype=kind).expand(shape))  # noqa: SLF001 - as in its own module


def poissons(_random: Any, mean: Any, shape: Any, kind: Any) -> Any:
    """Poisson distributed numbers."""
    return torch.poisson(torch.as_tensor(mean, dtype=float_of(kind)).expand(shape)).to(kind)


def float_of(kind: Any) -> Any:
    """A floating dtype in which numbers of a dtype are drawn."""
    return kind if kind.is_floating_point else torch.float32


def kinded(value: Any, kind: Any) -> Any:
    """A parameter of a distribution in a dtype; a number as it is."""
    return value.to(kind) if isinstance(value, torch.Tensor) else value


def widened_parameter(value: Any, shape: Any, kind: Any) -> Any:
    """A parameter of samples with an axis of one for each axis of the samples."""
    return value.to(kind).reshape(tuple(value.shape) + (1,) * (len(shape) - value.ndim))


def probability(prob: Any, logit: Any, is_logit: bool, given: Any) -> Any:
    """The probability of a sample of zeros and ones."""
    value = given if given is not None else logit if is_logit else prob
    return torch.sigmoid(torch.as_tensor(value)) if is_logit else value
