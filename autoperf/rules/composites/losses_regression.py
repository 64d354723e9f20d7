"""Losses of numbers and of boxes."""

from __future__ import annotations

from math import log

from autoperf.rules.composites.composite import Sizes, composite
from autoperf.rules.composites.graph_builder import GraphBuilder, GraphValue
from autoperf.rules.composites.losses_classification import softplus
from autoperf.rules.composites.overlaps import PAIRS, complete, distance, generalized, overlap, pair

NUMBERS: Sizes = {"small": (64, 4), "common": (1000, 80), "large": (50_000, 20), "skewed": (100_000, 1)}


def errors(g: GraphBuilder, rows: int, columns: int) -> GraphValue:
    """Predictions less targets."""
    return g.tensor("predicted", rows, columns) - g.tensor("target", rows, columns)


def huber(g: GraphBuilder, error: GraphValue, beta: float) -> GraphValue:
    """Half of the squared error over beta, and from beta on the absolute one less half of beta."""
    size = error.abs()
    return g.where(size < beta, error.square() * (0.5 / beta), size - 0.5 * beta)


@composite(NUMBERS)
def smooth_l1_loss(g: GraphBuilder, rows: int, columns: int) -> GraphValue:
    """Smooth L1 loss (Girshick, 2015) with a beta of 1/9."""
    return huber(g, errors(g, rows, columns), 1 / 9).mean()


@composite(NUMBERS)
def huber_loss(g: GraphBuilder, rows: int, columns: int) -> GraphValue:
    """Huber's loss with a delta of 0.5."""
    return (huber(g, errors(g, rows, columns), 0.5) * 0.5).mean()


@composite(NUMBERS)
def balanced_l1_loss(g: GraphBuilder, rows: int, columns: int) -> GraphValue:
    """Smooth L1 loss whose gradient rises faster (Pang et al., 2019), with alpha 0.5 and gamma 1.5."""
    size, base = errors(g, rows, columns).abs(), 19.085537  # exp(gamma / alpha) - 1
    inner = (size * base + 1.0) * (size * base + 1.0).log() * (0.5 / base) - size * 0.5
    return g.where(size < 1.0, inner, size * 1.5 + (1.5 / base - 0.5)).mean()


@composite(NUMBERS)
def log_cosh_loss(g: GraphBuilder, rows: int, columns: int) -> GraphValue:
    """The logarithm of the hyperbolic cosine of the error."""
    error = errors(g, rows, columns)
    return (error + softplus(error * -2.0) - log(2.0)).mean()


@composite(NUMBERS)
def wing_loss(g: GraphBuilder, rows: int, columns: int) -> GraphValue:
    """Loss of landmarks that is steep for small errors (Feng et al., 2018), with w 1 and epsilon 0.2."""
    size = errors(g, rows, columns).abs()
    return g.where(size < 1.0, (size / 0.2 + 1.0).log(), size - (1.0 - log(6.0))).mean()


@composite(NUMBERS)
def quantile_loss(g: GraphBuilder, rows: int, columns: int) -> GraphValue:
    """The pinball loss of the 40% quantile."""
    error = errors(g, rows, columns)
    return (error * -0.4).maximum(error * 0.6).mean()


@composite(PAIRS)
def iou_loss(g: GraphBuilder, count: int) -> GraphValue:
    """-log of the IoU (Yu et al., 2016)."""
    return -overlap(*pair(g, count))[0].maximum(1e-6).log().mean()


@composite(PAIRS)
def giou_loss(g: GraphBuilder, count: int) -> GraphValue:
    """1 - GIoU (Rezatofighi et al., 2019)."""
    return (1.0 - generalized(*pair(g, count))).mean()


@composite(PAIRS)
def diou_loss(g: GraphBuilder, count: int) -> GraphValue:
    """1 - DIoU (Zheng et al., 2020)."""
    return (1.0 - distance(*pair(g, count))).mean()


@composite(PAIRS)
def ciou_loss(g: GraphBuilder, count: int) -> GraphValue:
    """1 - CIoU (Zheng et al., 2020)."""
    return (1.0 - complete(*pair(g, count))).mean()
