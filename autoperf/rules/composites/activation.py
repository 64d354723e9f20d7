"""Activations by small operators, and layers gated by them."""

from __future__ import annotations

from math import pi, sqrt

from autoperf.rules.composites.composite import Sizes, composite
from autoperf.rules.composites.graph_builder import GraphBuilder, GraphValue
from autoperf.rules.composites.losses_classification import softplus

VECTORS: Sizes = {"small": (32, 16), "common": (128, 384), "large": (1024, 1024), "skewed": (1, 100_000)}
"""Tokens, and half of the length of their vectors."""


def vectors(g: GraphBuilder, rows: int, half: int) -> GraphValue:
    """The data (rows, 2 * half)."""
    return g.tensor("data", rows, 2 * half)


def halves(g: GraphBuilder, rows: int, half: int) -> tuple[GraphValue, GraphValue]:
    """Both halves of each vector."""
    data = vectors(g, rows, half)
    return data.columns(0, half), data.columns(half, 2 * half)


def swish_of(x: GraphValue) -> GraphValue:
    """x * sigmoid(x)."""
    return x * x.sigmoid()


def gelu_of(x: GraphValue) -> GraphValue:
    """The Gaussian error linear unit, exact."""
    return x * ((x / sqrt(2.0)).call("erf") + 1.0) * 0.5


@composite(VECTORS)
def gelu_exact(g: GraphBuilder, rows: int, half: int) -> GraphValue:
    """The Gaussian error linear unit by the error function (Hendrycks and Gimpel, 2016)."""
    return gelu_of(vectors(g, rows, half))


@composite(VECTORS)
def gelu_tanh(g: GraphBuilder, rows: int, half: int) -> GraphValue:
    """The Gaussian error linear unit by tanh and a cubic."""
    data = vectors(g, rows, half)
    inner = (data + data**3.0 * 0.044715) * sqrt(2 / pi)
    return data * (inner.call("tanh") + 1.0) * 0.5


@composite(VECTORS)
def swish(g: GraphBuilder, rows: int, half: int) -> GraphValue:
    """x * sigmoid(x) (Ramachandran et al., 2017)."""
    return swish_of(vectors(g, rows, half))


@composite(VECTORS)
def mish_by_parts(g: GraphBuilder, rows: int, half: int) -> GraphValue:
    """x * tanh(softplus(x)) (Misra, 2020)."""
    data = vectors(g, rows, half)
    return data * softplus(data).call("tanh")


@composite(VECTORS)
def hard_swish(g: GraphBuilder, rows: int, half: int) -> GraphValue:
    """x * min(max(x + 3, 0), 6) / 6 (Howard et al., 2019)."""
    data = vectors(g, rows, half)
    return data * (data + 3.0).clip(0.0, 6.0) / 6.0


@composite(VECTORS)
def gated_linear_unit(g: GraphBuilder, rows: int, half: int) -> GraphValue:
    """One half times the sigmoid of the other (Dauphin et al., 2017)."""
    data, gate = halves(g, rows, half)
    return data * gate.sigmoid()


@composite(VECTORS)
def gelu_gated_unit(g: GraphBuilder, rows: int, half: int) -> GraphValue:
    """One half times the GELU of the other (Shazeer, 2020)."""
    data, gate = halves(g, rows, half)
    return data * gelu_of(gate)


@composite(VECTORS)
def maxout(g: GraphBuilder, rows: int, half: int) -> GraphValue:
    """The larger of both halves (Goodfellow et al., 2013)."""
    first, second = halves(g, rows, half)
    return first.maximum(second)


@composite(VECTORS)
def concatenated_relu(g: GraphBuilder, rows: int, half: int) -> GraphValue:
    """The positive part, and that of the negative (Shang et al., 2016)."""
    data = vectors(g, rows, half)
    return g.concat(data, -data).maximum(0.0)


@composite(VECTORS)
def bias_gelu_dropout(g: GraphBuilder, rows: int, half: int) -> GraphValue:
    """GELU of the data plus a bias, with a given mask of what is dropped."""
    data = vectors(g, rows, half) + g.tensor("bias", 1, 2 * half)
    mask = (g.tensor("random", rows, 2 * half) > -0.8) / 0.9
    return gelu_of(data) * mask.detached()
