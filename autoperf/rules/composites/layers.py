"""Normalisation and activation layers by small operators."""

from __future__ import annotations

from math import pi, sqrt

from autoperf.rules.composites.composite import GraphBuilder, GraphValue, Sizes, composite
from autoperf.rules.composites.losses import softplus

ROWS: Sizes = {"small": (32, 32), "common": (128, 768), "large": (2048, 768), "skewed": (1, 100_000)}
"""Tokens, and the length of their vectors."""
MAPS: Sizes = {"small": (2, 1, 8), "common": (4, 8, 28), "large": (16, 16, 28), "skewed": (1, 128, 7)}
"""Batch, an eighth of the channels, and pixels of a side."""
WEIGHTS: Sizes = {"small": (8, 8), "common": (256, 128), "large": (512, 512), "skewed": (2048, 1)}
"""Outputs and inputs of a convolution of three by three."""
EPSILON = 1e-5


def standardized(x: GraphValue, *axes: int) -> GraphValue:
    """Less the mean and divided by the deviation over these axes."""
    centered = x - x.mean(*axes, keepdims=True)
    return centered / (centered.square().mean(*axes, keepdims=True) + EPSILON).sqrt()


def scaled(g: GraphBuilder, x: GraphValue, *shape: int) -> GraphValue:
    """Times gamma plus beta, both of this shape."""
    return x * g.tensor("gamma", *shape) + g.tensor("beta", *shape)


@composite(ROWS)
def layer_norm_by_parts(g: GraphBuilder, rows: int, length: int) -> GraphValue:
    """Layer normalisation (Ba et al., 2016)."""
    return scaled(g, standardized(g.tensor("data", rows, length), -1), 1, length)


@composite(ROWS)
def rms_norm(g: GraphBuilder, rows: int, length: int) -> GraphValue:
    """Division by the root of the mean square (Zhang and Sennrich, 2019)."""
    data = g.tensor("data", rows, length)
    size = data.square().mean(-1, keepdims=True) + EPSILON
    return data * size.call("rsqrt") * g.tensor("gamma", 1, length)


@composite(ROWS)
def residual_layer_norm(g: GraphBuilder, rows: int, length: int) -> GraphValue:
    """The sum of a layer and its input, with bias, normalised: the end of a transformer's block."""
    total = g.tensor("data", rows, length) + g.tensor("bias", 1, length) + g.tensor("residual", rows, length)
    return scaled(g, standardized(total, -1), 1, length)


@composite(MAPS)
def batch_norm_by_parts(g: GraphBuilder, batch: int, eighth: int, side: int) -> GraphValue:
    """Batch normalisation by the statistics of the batch (Ioffe and Szegedy, 2015)."""
    data = g.tensor("data", batch, 8 * eighth, side, side)
    return scaled(g, standardized(data, 0, 2, 3), 1, 8 * eighth, 1, 1)


@composite(MAPS)
def group_norm_by_parts(g: GraphBuilder, batch: int, eighth: int, side: int) -> GraphValue:
    """Normalisation of eight groups of channels (Wu and He, 2018)."""
    groups = g.tensor("data", batch, 8 * eighth, side, side).reshape(batch, 8, eighth, side, side)
    normal = standardized(groups, 2, 3, 4).reshape(batch, 8 * eighth, side, side)
    return scaled(g, normal, 1, 8 * eighth, 1, 1)


@composite(MAPS)
def adaptive_instance_norm(g: GraphBuilder, batch: int, eighth: int, side: int) -> GraphValue:
    """Features with the mean and deviation of a style's (Huang and Belongie, 2017)."""
    content, style = (g.tensor(name, batch, 8 * eighth, side, side) for name in ("content", "style"))
    mean = style.mean(2, 3, keepdims=True)
    deviation = ((style - mean).square().mean(2, 3, keepdims=True) + EPSILON).sqrt()
    return standardized(content, 2, 3) * deviation + mean


@composite(MAPS)
def filter_response_norm(g: GraphBuilder, batch: int, eighth: int, side: int) -> GraphValue:
    """Normalisation by the mean square of a channel, with a learned threshold (Singh and Krishnan, 2020)."""
    data = g.tensor("data", batch, 8 * eighth, side, side)
    normal = data / (data.square().mean(2, 3, keepdims=True) + EPSILON).sqrt()
    return scaled(g, normal, 1, 8 * eighth, 1, 1).maximum(g.tensor("threshold", 1, 8 * eighth, 1, 1))


@composite(WEIGHTS)
def weight_standardization(g: GraphBuilder, outputs: int, inputs: int) -> GraphValue:
    """The weights of each filter, less their mean and divided by their deviation (Qiao et al., 2019)."""
    return standardized(g.tensor("weight", outputs, inputs, 3, 3), 1, 2, 3)


@composite(WEIGHTS)
def spectral_norm(g: GraphBuilder, outputs: int, inputs: int) -> GraphValue:
    """Weights divided by their largest singular value, after a step of power iteration (Miyato et al., 2018)."""
    weight = g.tensor("weight", outputs, inputs, 3, 3).reshape(0, -1)
    u = g.tensor("u", outputs, 1).detached()
    v = weight.call("dot", u, transpose_a=True)
    v = v / (v.square().sum() + EPSILON).sqrt().reshape(1, 1)
    w = weight.call("dot", v)
    return weight / (w.square().sum() + EPSILON).sqrt().reshape(1, 1)


VECTORS: Sizes = {"small": (32, 16), "common": (128, 384), "large": (1024, 1024), "skewed": (1, 100_000)}
"""Tokens, and half of the length of their vectors."""


def vectors(g: GraphBuilder, rows: int, half: int) -> GraphValue:
    """The data (rows, 2 * half)."""
    return g.tensor("data", rows, 2 * half)


def halves(g: GraphBuilder, rows: int, half: int) -> tuple[GraphValue, GraphValue]:
    """Both halves of each vector."""
    data = vectors(g, rows, half)
    return data.columns(0, half), data.columns(half, 2 * half)


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
    data = vectors(g, rows, half)
    return data * data.sigmoid()


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
    """The positive parts of the data and of its negative (Shang et al., 2016)."""
    data = vectors(g, rows, half)
    return g.concat(data, -data).maximum(0.0)


@composite(VECTORS)
def bias_gelu_dropout(g: GraphBuilder, rows: int, half: int) -> GraphValue:
    """GELU of the data plus a bias, with a given mask of the dropped elements."""
    data = vectors(g, rows, half) + g.tensor("bias", 1, 2 * half)
    mask = (g.tensor("random", rows, 2 * half) > -0.8) / 0.9
    return gelu_of(data) * mask.detached()
