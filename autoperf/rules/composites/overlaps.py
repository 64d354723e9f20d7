"""How much boxes and masks overlap: IoU and its kinds."""

from __future__ import annotations

from math import pi

from autoperf.core.tensors import Boxes, Mask
from autoperf.rules.composites.composite import Sizes, composite
from autoperf.rules.composites.graph_builder import GraphBuilder, GraphValue

IMAGE = Boxes(640, 640)
"""Boxes in pixels."""
EPSILON = 1e-6
PAIRS: Sizes = {"small": (64,), "common": (1000,), "large": (20_000,), "skewed": (1,)}
"""As many boxes in two lists."""
CROSSED: Sizes = {"small": (32, 8), "common": (1000, 100), "large": (8000, 100), "skewed": (20_000, 1)}
"""Boxes of one list against those of another."""


def area(boxes: GraphValue) -> GraphValue:
    """Width times height, with the last axis kept at 1."""
    return (boxes.columns(2, 3) - boxes.columns(0, 1)) * (boxes.columns(3, 4) - boxes.columns(1, 2))


def intersection(a: GraphValue, b: GraphValue) -> GraphValue:
    """The area that both boxes have in common, with the last axis kept at 1."""
    low, high = a.columns(0, 2).maximum(b.columns(0, 2)), a.columns(2, 4).minimum(b.columns(2, 4))
    sides = (high - low).maximum(0.0)
    return sides.columns(0, 1) * sides.columns(1, 2)


def overlap(a: GraphValue, b: GraphValue) -> tuple[GraphValue, GraphValue]:
    """IoU and the area of the union."""
    common = intersection(a, b)
    union = area(a) + area(b) - common
    return common / (union + EPSILON), union


def enclosing(a: GraphValue, b: GraphValue) -> GraphValue:
    """Width and height of the smallest box that holds both."""
    return a.columns(2, 4).maximum(b.columns(2, 4)) - a.columns(0, 2).minimum(b.columns(0, 2))


def center_distance(a: GraphValue, b: GraphValue) -> GraphValue:
    """The squared distance of both centres as a share of the squared diagonal of the enclosing box."""
    offset = (a.columns(0, 2) + a.columns(2, 4) - b.columns(0, 2) - b.columns(2, 4)) * 0.5
    diagonal = enclosing(a, b).square().sum(-1, keepdims=True)
    return offset.square().sum(-1, keepdims=True) / (diagonal + EPSILON)


def generalized(a: GraphValue, b: GraphValue) -> GraphValue:
    """GIoU (Rezatofighi et al., 2019)."""
    iou, union = overlap(a, b)
    sides = enclosing(a, b)
    hull = sides.columns(0, 1) * sides.columns(1, 2)
    return iou - (hull - union) / (hull + EPSILON)


def distance(a: GraphValue, b: GraphValue) -> GraphValue:
    """DIoU (Zheng et al., 2020)."""
    return overlap(a, b)[0] - center_distance(a, b)


def complete(a: GraphValue, b: GraphValue) -> GraphValue:
    """CIoU (Zheng et al., 2020): DIoU less a penalty for the aspect ratio."""
    iou, _ = overlap(a, b)
    ratio = (_angle(a) - _angle(b)).square() * (4 / pi**2)
    weight = (ratio / (1.0 - iou + ratio + EPSILON)).detached()
    return iou - center_distance(a, b) - weight * ratio


def _angle(boxes: GraphValue) -> GraphValue:
    sides = boxes.columns(2, 4) - boxes.columns(0, 2)
    return (sides.columns(0, 1) / (sides.columns(1, 2) + EPSILON)).call("arctan")


def pair(g: GraphBuilder, count: int) -> tuple[GraphValue, GraphValue]:
    """As many predicted boxes as targets."""
    return g.tensor("predicted", count, 4, content=IMAGE), g.tensor("target", count, 4, content=IMAGE)


def crossed(g: GraphBuilder, rows: int, columns: int) -> tuple[GraphValue, GraphValue]:
    """Boxes of shape (rows, 1, 4) and (1, columns, 4), which broadcast to all pairs."""
    first = g.tensor("boxes", rows, 4, content=IMAGE)
    second = g.tensor("targets", columns, 4, content=IMAGE)
    return first.expand(1), second.expand(0)


@composite(PAIRS)
def iou_aligned(g: GraphBuilder, count: int) -> GraphValue:
    """IoU of each predicted box with its target."""
    return overlap(*pair(g, count))[0]


@composite(CROSSED)
def iou_pairwise(g: GraphBuilder, rows: int, columns: int) -> GraphValue:
    """IoU of all pairs of two lists of boxes."""
    return overlap(*crossed(g, rows, columns))[0].reshape(0, 0)


@composite(CROSSED)
def iof_pairwise(g: GraphBuilder, rows: int, columns: int) -> GraphValue:
    """The part of each box that lies within each target: intersection over foreground."""
    boxes, targets = crossed(g, rows, columns)
    return (intersection(boxes, targets) / (area(boxes) + EPSILON)).reshape(0, 0)


@composite(CROSSED)
def giou_pairwise(g: GraphBuilder, rows: int, columns: int) -> GraphValue:
    """GIoU of all pairs of two lists of boxes."""
    return generalized(*crossed(g, rows, columns)).reshape(0, 0)


@composite(PAIRS)
def diou_aligned(g: GraphBuilder, count: int) -> GraphValue:
    """DIoU of each predicted box with its target."""
    return distance(*pair(g, count))


@composite(PAIRS)
def ciou_aligned(g: GraphBuilder, count: int) -> GraphValue:
    """CIoU of each predicted box with its target."""
    return complete(*pair(g, count))


@composite({"small": (4, 16), "common": (50, 64), "large": (100, 256), "skewed": (500, 8)})
def mask_iou(g: GraphBuilder, masks: int, side: int) -> GraphValue:
    """IoU of all pairs of binary masks, by one matrix product."""
    flat = g.tensor("masks", masks, side, side, content=Mask(0.3)).reshape(0, -1)
    common = flat.call("dot", flat, transpose_b=True)
    areas = flat.sum(1, keepdims=True)
    return common / (areas + areas.transpose(1, 0) - common + EPSILON)
