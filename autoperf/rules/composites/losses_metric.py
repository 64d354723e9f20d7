"""Losses of embeddings: alike samples near each other, others far apart."""

from __future__ import annotations

from math import cos, sin

from autoperf.core.tensors import Integers
from autoperf.rules.composites.composite import Sizes, composite
from autoperf.rules.composites.graph_builder import GraphBuilder, GraphValue
from autoperf.rules.composites.losses_classification import cross_entropy

EMBEDDINGS: Sizes = {"small": (16, 32), "common": (256, 128), "large": (1024, 512), "skewed": (2048, 2)}
"""Samples, and the length of their vectors."""
CLASSES = 100
EPSILON = 1e-12


def unit(x: GraphValue) -> GraphValue:
    """Each row divided by its length."""
    return x / (x.square().sum(-1, keepdims=True) + EPSILON).sqrt()


def squared_distances(x: GraphValue) -> GraphValue:
    """The squared distances of all pairs of rows."""
    norms = x.square().sum(1, keepdims=True)
    return (norms + norms.transpose(1, 0) - x.call("dot", x, transpose_b=True) * 2.0).maximum(0.0)


@composite(EMBEDDINGS)
def info_nce_loss(g: GraphBuilder, samples: int, length: int) -> GraphValue:
    """Cross entropy of each sample's similarity to its own second view (van den Oord et al., 2018)."""
    first, second = unit(g.tensor("first", samples, length)), unit(g.tensor("second", samples, length))
    return cross_entropy(first.call("dot", second, transpose_b=True) / 0.1, g.arange(samples)).mean()


@composite(EMBEDDINGS)
def triplet_margin_loss(g: GraphBuilder, samples: int, length: int) -> GraphValue:
    """How much nearer the alike sample is than the other one, up to a margin (Schroff et al., 2015)."""
    anchor, alike, other = (g.tensor(name, samples, length) for name in ("anchor", "alike", "other"))
    gap = (anchor - alike).square().sum(1) - (anchor - other).square().sum(1)
    return (gap + 0.2).maximum(0.0).mean()


@composite(EMBEDDINGS)
def contrastive_loss(g: GraphBuilder, samples: int, length: int) -> GraphValue:
    """The distance of alike pairs, and of others what it lacks of a margin (Hadsell et al., 2006)."""
    alike = g.tensor("alike", samples, content=Integers(0, 2))
    squared = (g.tensor("first", samples, length) - g.tensor("second", samples, length)).square().sum(1)
    lacking = (1.0 - (squared + EPSILON).sqrt()).maximum(0.0)
    return (alike * squared + (1.0 - alike) * lacking.square()).mean() * 0.5


@composite(EMBEDDINGS)
def hardest_triplet_loss(g: GraphBuilder, samples: int, length: int) -> GraphValue:
    """Triplet loss with the farthest alike and the nearest other sample of the batch (Hermans et al., 2017)."""
    distances = squared_distances(g.tensor("embeddings", samples, length))
    labels = g.indices("labels", samples, below=CLASSES)
    alike = labels.expand(1).call("broadcast_equal", labels.expand(0))
    farthest, nearest = (distances * alike).max(1), (distances + alike * 1e6).min(1)
    return (farthest - nearest + 0.2).maximum(0.0).mean()


@composite(EMBEDDINGS)
def arcface_loss(g: GraphBuilder, samples: int, length: int) -> GraphValue:
    """Cross entropy of cosines, with a margin of 0.5 radians for the label (Deng et al., 2019)."""
    vectors, centers = unit(g.tensor("embeddings", samples, length)), unit(g.tensor("centers", CLASSES, length))
    labels = g.indices("labels", samples, below=CLASSES)
    cosine = vectors.call("dot", centers, transpose_b=True).clip(-0.9999, 0.9999)
    shifted = cosine * cos(0.5) - (1.0 - cosine.square()).sqrt() * sin(0.5)
    label = labels.call("one_hot", depth=CLASSES)
    return cross_entropy((cosine + (shifted - cosine) * label) * 30.0, labels).mean()
