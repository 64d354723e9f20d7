"""Positional encodings: where tokens and pixels stand."""

from __future__ import annotations

from math import log, pi

from autoperf.rules.composites.composite import Sizes, composite
from autoperf.rules.composites.graph_builder import GraphBuilder, GraphValue

TOKENS: Sizes = {"small": (2, 16, 16), "common": (4, 128, 128), "large": (8, 512, 256), "skewed": (1, 4096, 8)}
"""Batch, tokens, and half of the length of a token's vector."""
PIXELS: Sizes = {"small": (2, 4, 4), "common": (2, 32, 64), "large": (8, 64, 64), "skewed": (1, 128, 4)}
"""Batch, side, and a quarter of the channels."""
HEADS: Sizes = {"small": (2, 16), "common": (8, 96), "large": (12, 384), "skewed": (1, 1024)}
"""Heads and tokens."""


def frequencies(g: GraphBuilder, count: int) -> GraphValue:
    """From 1 down to 1/10000, evenly by their logarithms: (1, count)."""
    return (g.arange(count) * (-log(10_000.0) / count)).exp().reshape(1, count)


def angles(g: GraphBuilder, tokens: int, half: int) -> GraphValue:
    """Each position times each frequency: (tokens, half)."""
    return g.arange(tokens).expand(1) * frequencies(g, half)


@composite(TOKENS)
def sinusoidal_encoding(g: GraphBuilder, batch: int, tokens: int, half: int) -> GraphValue:
    """Vectors with the sines and cosines of their positions added (Vaswani et al., 2017)."""
    turns = angles(g, tokens, half)
    return g.tensor("vectors", batch, tokens, 2 * half) + g.concat(turns.call("sin"), turns.call("cos")).expand(0)


@composite(TOKENS)
def rotary_encoding(g: GraphBuilder, batch: int, tokens: int, half: int) -> GraphValue:
    """Vectors whose halves are turned by the angles of their positions (Su et al., 2021)."""
    vectors, turns = g.tensor("vectors", batch, tokens, 2 * half), angles(g, tokens, half).expand(0)
    cosine, sine = turns.call("cos"), turns.call("sin")
    first, second = vectors.columns(0, half), vectors.columns(half, 2 * half)
    return g.concat(first * cosine - second * sine, second * cosine + first * sine)


@composite(TOKENS)
def learned_encoding(g: GraphBuilder, batch: int, tokens: int, half: int) -> GraphValue:
    """Embedded tokens plus a learned vector of each position and of each segment, as in BERT."""
    table, places = g.tensor("table", 1000, 2 * half), g.tensor("places", tokens, 2 * half)
    words = table.call("take", g.indices("tokens", batch, tokens, below=1000))
    segments = g.tensor("segments", 2, 2 * half).call("take", g.indices("segment", batch, tokens, below=2))
    return words + places.expand(0) + segments


@composite(PIXELS)
def sine_encoding_2d(g: GraphBuilder, batch: int, side: int, quarter: int) -> GraphValue:
    """Feature maps with the sines and cosines of rows and columns added (DETR; Carion et al., 2020)."""
    turns = angles(g, side, quarter).transpose(1, 0)
    waves = g.concat(turns.call("sin"), turns.call("cos"), axis=0)
    shape = (2 * quarter, side, side)
    rows, columns = (waves.expand(axis).call("broadcast_to", shape=shape) for axis in (2, 1))
    return g.tensor("features", batch, 4 * quarter, side, side) + g.concat(rows, columns, axis=0).expand(0)


@composite(HEADS)
def linear_bias_scores(g: GraphBuilder, heads: int, tokens: int) -> GraphValue:
    """Attention scores less a multiple of the distance, another one for each head (ALiBi; Press et al., 2021)."""
    places = g.arange(tokens)
    apart = (places.expand(1) - places.expand(0)).abs().expand(0)
    slopes = 2.0 ** ((g.arange(heads) + 1.0) * (-8.0 / heads))
    return (g.tensor("scores", heads, tokens, tokens) - slopes.reshape(heads, 1, 1) * apart).softmax()


@composite(HEADS)
def bucketed_bias_scores(g: GraphBuilder, heads: int, tokens: int) -> GraphValue:
    """Attention scores plus a learned bias of the distance, in 32 buckets (T5; Raffel et al., 2020)."""
    places = g.arange(tokens)
    ahead = places.expand(0) - places.expand(1)
    size = ahead.abs()
    far = ((size.maximum(1.0) / 8.0).log() * (8.0 / log(16.0)) + 8.0).call("floor").minimum(15.0)
    bucket = g.where(size < 8.0, size, far) + (ahead > 0.0) * 16.0
    bias = g.tensor("bias", 32, heads).call("take", bucket.detached())
    return (g.tensor("scores", heads, tokens, tokens) + bias.transpose(2, 0, 1)).softmax()


@composite({"small": (64, 8), "common": (4096, 64), "large": (65_536, 10), "skewed": (1, 256)})
def fourier_features(g: GraphBuilder, points: int, count: int) -> GraphValue:
    """Sines and cosines of random projections of places (Tancik et al., 2020)."""
    projection = g.tensor("projection", 2, count).detached()
    turns = g.tensor("points", points, 2).call("dot", projection) * (2 * pi)
    return g.concat(turns.call("sin"), turns.call("cos"))
