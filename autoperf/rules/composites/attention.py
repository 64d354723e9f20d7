"""Attention over tokens, channels and pixels, and positional encodings."""

from __future__ import annotations

from math import log, pi, sqrt

from autoperf.core.tensors import Integers
from autoperf.rules.composites.composite import GraphBuilder, GraphValue, Sizes, composite

SEQUENCES: Sizes = {"small": (4, 16, 16), "common": (12, 128, 64), "large": (48, 256, 64), "skewed": (1, 1024, 8)}
"""Batch times heads, tokens, and the length of a vector."""
MAPS: Sizes = {"small": (2, 8, 8), "common": (4, 64, 28), "large": (16, 128, 28), "skewed": (1, 1024, 7)}
"""Batch, channels, and pixels of a side."""


def sequences(g: GraphBuilder, batch: int, tokens: int, length: int) -> tuple[GraphValue, GraphValue, GraphValue]:
    """Queries, keys and values."""
    queries, keys, values = (g.tensor(name, batch, tokens, length) for name in ("queries", "keys", "values"))
    return queries, keys, values


def scores(queries: GraphValue, keys: GraphValue, length: int) -> GraphValue:
    """The scaled products of all queries and keys."""
    return queries.call("batch_dot", keys, transpose_b=True) / sqrt(length)


@composite(SEQUENCES)
def scaled_dot_attention(g: GraphBuilder, batch: int, tokens: int, length: int) -> GraphValue:
    """Values weighted by the softmax of the scaled scores (Vaswani et al., 2017)."""
    queries, keys, values = sequences(g, batch, tokens, length)
    return scores(queries, keys, length).softmax().call("batch_dot", values)


@composite(SEQUENCES)
def causal_attention(g: GraphBuilder, batch: int, tokens: int, length: int) -> GraphValue:
    """Attention only to earlier tokens, by a mask made of positions."""
    queries, keys, values = sequences(g, batch, tokens, length)
    places = g.arange(tokens)
    later = (places.expand(0) > places.expand(1)).expand(0)
    return (scores(queries, keys, length) - later * 1e4).softmax().call("batch_dot", values)


@composite(SEQUENCES)
def padded_attention(g: GraphBuilder, batch: int, tokens: int, length: int) -> GraphValue:
    """Attention to the tokens within each sequence's length."""
    queries, keys, values = sequences(g, batch, tokens, length)
    lengths = g.tensor("lengths", batch, content=Integers(1, tokens + 1)).reshape(batch, 1, 1)
    beyond = g.arange(tokens).reshape(1, 1, tokens) >= lengths
    return (scores(queries, keys, length) - beyond * 1e4).softmax().call("batch_dot", values)


@composite(SEQUENCES)
def linear_attention(g: GraphBuilder, batch: int, tokens: int, length: int) -> GraphValue:
    """Attention without a softmax, whose cost is linear in tokens (Katharopoulos et al., 2020)."""
    queries, keys, values = sequences(g, batch, tokens, length)
    queries, keys = (x.call("LeakyReLU", act_type="elu", slope=1.0) + 1.0 for x in (queries, keys))
    context = keys.call("batch_dot", values, transpose_a=True)
    norm = (queries * keys.sum(1, keepdims=True)).sum(-1, keepdims=True)
    return queries.call("batch_dot", context) / (norm + 1e-6)


@composite(SEQUENCES)
def cosine_attention(g: GraphBuilder, batch: int, tokens: int, length: int) -> GraphValue:
    """Attention by cosines with a learned temperature (Swin v2; Liu et al., 2022)."""
    queries, keys, values = sequences(g, batch, tokens, length)
    queries, keys = (x / (x.square().sum(-1, keepdims=True) + 1e-6).sqrt() for x in (queries, keys))
    scale = g.tensor("scale", batch).clip(-4.6, 4.6).exp().reshape(batch, 1, 1)
    return (queries.call("batch_dot", keys, transpose_b=True) * scale).softmax().call("batch_dot", values)


@composite({"small": (4, 8, 16), "common": (16, 50, 128), "large": (64, 100, 128), "skewed": (1, 1000, 8)})
def additive_attention(g: GraphBuilder, batch: int, tokens: int, length: int) -> GraphValue:
    """Attention by a hidden layer with tanh, of one query (Bahdanau et al., 2015)."""
    query, keys = g.tensor("query", batch, 1, length), g.tensor("keys", batch, tokens, length)
    weight = g.tensor("weight", 1, 1, length)
    paid = ((query + keys).call("tanh") * weight).sum(-1).softmax().expand(1)
    return paid.call("batch_dot", keys).reshape(0, -1)


@composite({"small": (2, 1, 8), "common": (4, 4, 28), "large": (16, 8, 28), "skewed": (1, 64, 7)})
def squeeze_excitation(g: GraphBuilder, batch: int, hidden: int, side: int) -> GraphValue:
    """Channels weighted by two layers over their means (Hu et al., 2018)."""
    channels = 16 * hidden
    features = g.tensor("features", batch, channels, side, side)
    squeezed = features.mean(2, 3).call("dot", g.tensor("reduce", channels, hidden)).maximum(0.0)
    weights = squeezed.call("dot", g.tensor("expand", hidden, channels)).sigmoid()
    return features * weights.reshape(0, 0, 1, 1)


@composite(MAPS)
def spatial_attention(g: GraphBuilder, batch: int, channels: int, side: int) -> GraphValue:
    """Pixels weighted by a convolution over the mean and maximum of channels (CBAM; Woo et al., 2018)."""
    features = g.tensor("features", batch, channels, side, side)
    pooled = g.concat(features.mean(1, keepdims=True), features.max(1, keepdims=True), axis=1)
    kernel = g.tensor("kernel", 1, 2, 7, 7)
    weights = pooled.call("Convolution", kernel, kernel=(7, 7), pad=(3, 3), num_filter=1, no_bias=True)
    return features * weights.sigmoid()


@composite(MAPS)
def global_context(g: GraphBuilder, batch: int, channels: int, side: int) -> GraphValue:
    """A context of all pixels, weighted by a softmax, added to each (GCNet; Cao et al., 2019)."""
    features = g.tensor("features", batch, channels, side, side)
    weight = g.tensor("weight", 1, channels, 1, 1)
    paid = (features * weight).sum(1).reshape(0, -1).softmax().expand(2)
    context = features.reshape(0, 0, -1).call("batch_dot", paid)
    return features + context.expand(3)


TOKENS: Sizes = {"small": (2, 16, 16), "common": (4, 128, 128), "large": (8, 512, 256), "skewed": (1, 4096, 8)}
"""Batch, tokens, and half of the length of a token's vector."""
PIXELS: Sizes = {"small": (2, 4, 4), "common": (2, 32, 64), "large": (8, 64, 64), "skewed": (1, 128, 4)}
"""Batch, side, and a quarter of the channels."""
HEADS: Sizes = {"small": (2, 16), "common": (8, 96), "large": (12, 384), "skewed": (1, 1024)}
"""Heads and tokens."""


def angles(g: GraphBuilder, tokens: int, half: int) -> GraphValue:
    """Each position times each frequency, from 1 down to 1/10000 evenly by their logarithms: (tokens, half)."""
    return g.arange(tokens).expand(1) * (g.arange(half) * (-log(10_000.0) / half)).exp().reshape(1, half)


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
