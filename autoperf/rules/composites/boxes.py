"""Boxes: how much they overlap, and their coding as offsets from anchors, points and cells."""

from __future__ import annotations

from math import log, pi

from autoperf.core.tensors import Boxes, Literal_, Mask
from autoperf.rules.composites.composite import GraphBuilder, GraphValue, Sizes, composite

IMAGE = Boxes(640, 640)
"""Boxes in pixels."""
EPSILON = 1e-6
PAIRS: Sizes = {"small": (64,), "common": (1000,), "large": (20_000,), "skewed": (1,)}
"""Numbers of boxes in two lists of equal length."""
CROSSED: Sizes = {"small": (32, 8), "common": (1000, 100), "large": (8000, 100), "skewed": (20_000, 1)}
"""Numbers of boxes in two lists that are compared pair by pair."""


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
    """Width and height of the smallest box around both."""
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
    return g.tensor("boxes", rows, 4, content=IMAGE).expand(1), g.tensor("targets", columns, 4, content=IMAGE).expand(0)


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


MAX_LOG_RATIO = log(1000 / 16)
"""How much larger than its anchor a decoded box may be."""
DEVIATIONS = (0.1, 0.1, 0.2, 0.2)
"""The divisors of the offsets of a box in two-stage detectors."""


def centered(boxes: GraphValue) -> tuple[GraphValue, GraphValue]:
    """The centres and the sides of boxes, in two columns each."""
    low, high = boxes.columns(0, 2), boxes.columns(2, 4)
    return (low + high) * 0.5, high - low


def cornered(g: GraphBuilder, centers: GraphValue, sides: GraphValue) -> GraphValue:
    """Boxes (x1, y1, x2, y2) of centres and sides."""
    return g.concat(centers - sides * 0.5, centers + sides * 0.5)


def deviations(g: GraphBuilder) -> GraphValue:
    """The deviations of offsets, (1, 4)."""
    return g.tensor("deviations", 1, 4, content=Literal_(DEVIATIONS))


def offsets(g: GraphBuilder, boxes: GraphValue, anchors: GraphValue) -> GraphValue:
    """Boxes as offsets of the centre and logarithms of the sides' ratios (Girshick et al., 2014)."""
    (centers, sides), (origins, extents) = centered(boxes), centered(anchors)
    return g.concat((centers - origins) / extents, (sides / extents).log())


@composite(PAIRS)
def boxes_to_centers(g: GraphBuilder, count: int) -> GraphValue:
    """(x1, y1, x2, y2) as (x, y, width, height)."""
    return g.concat(*centered(g.tensor("boxes", count, 4, content=IMAGE)))


@composite(PAIRS)
def boxes_to_corners(g: GraphBuilder, count: int) -> GraphValue:
    """(x, y, width, height) as (x1, y1, x2, y2)."""
    boxes = g.tensor("boxes", count, 4, content=IMAGE)
    return cornered(g, boxes.columns(0, 2), boxes.columns(2, 4))


@composite(PAIRS)
def box_delta_encode(g: GraphBuilder, count: int) -> GraphValue:
    """The offsets of target boxes from their anchors, divided by their deviations."""
    targets, anchors = g.tensor("targets", count, 4, content=IMAGE), g.tensor("anchors", count, 4, content=IMAGE)
    return offsets(g, targets, anchors) / deviations(g)


@composite(PAIRS)
def box_delta_decode(g: GraphBuilder, count: int) -> GraphValue:
    """The boxes of predicted offsets, clipped to the image."""
    anchors, deltas = g.tensor("anchors", count, 4, content=IMAGE), g.tensor("deltas", count, 4)
    centers, sides = centered(anchors)
    scaled = deltas * deviations(g)
    moved = centers + scaled.columns(0, 2) * sides
    grown = scaled.columns(2, 4).clip(-MAX_LOG_RATIO, MAX_LOG_RATIO).exp() * sides
    return cornered(g, moved, grown).clip(0.0, 640.0)


@composite({"small": (2, 64), "common": (8, 2000), "large": (16, 8732), "skewed": (1, 24_564)})
def ssd_box_decode(g: GraphBuilder, batch: int, anchors: int) -> GraphValue:
    """A single-shot detector's boxes (batch, anchors, 4) from anchors by centre and side (Liu et al., 2016)."""
    priors, deltas = g.tensor("priors", 1, anchors, 4, content=IMAGE), g.tensor("deltas", batch, anchors, 4)
    origins, sides = priors.columns(0, 2), priors.columns(2, 4)
    centers = origins + deltas.columns(0, 2) * sides * 0.1
    return cornered(g, centers, (deltas.columns(2, 4) * 0.2).exp() * sides)


@composite(PAIRS)
def ltrb_encode(g: GraphBuilder, count: int) -> GraphValue:
    """The distances of points from the four sides of their boxes (FCOS; Tian et al., 2019)."""
    points, boxes = g.tensor("points", count, 2), g.tensor("boxes", count, 4, content=IMAGE)
    return g.concat(points - boxes.columns(0, 2), boxes.columns(2, 4) - points)


@composite(PAIRS)
def ltrb_decode(g: GraphBuilder, count: int) -> GraphValue:
    """The boxes at these distances from points, clipped to the image."""
    points, distances = g.tensor("points", count, 2), g.tensor("distances", count, 4)
    low, high = points - distances.columns(0, 2), points + distances.columns(2, 4)
    return g.concat(low, high).clip(0.0, 640.0)


@composite({"small": (1, 4, 3), "common": (8, 26, 3), "large": (16, 52, 3), "skewed": (1, 76, 1)})
def yolo_box_decode(g: GraphBuilder, batch: int, cells: int, anchors: int) -> GraphValue:
    """YOLO's boxes (batch, cells**2, anchors, 4) from the cell and the anchor (Redmon and Farhadi, 2018)."""
    raw = g.tensor("raw", batch, cells * cells, anchors, 4)
    priors = g.tensor("priors", 1, 1, anchors, 2, content=Literal_((10.0, 13.0, 16.0, 30.0, 33.0, 23.0)))
    cell = g.arange(cells * cells)
    row = (cell / cells).call("floor")
    grid = g.stack(cell - row * cells, row, axis=-1).reshape(1, cells * cells, 1, 2)
    centers = (raw.columns(0, 2).sigmoid() + grid) * (640.0 / cells)
    return cornered(g, centers, raw.columns(2, 4).exp() * priors)


@composite(PAIRS, differentiable=False)
def boxes_clip_and_filter(g: GraphBuilder, count: int) -> GraphValue:
    """Boxes clipped to the image, with those smaller than 16 pixels set to -1."""
    boxes = g.tensor("boxes", count, 4, content=IMAGE).clip(0.0, 600.0)
    _, sides = centered(boxes)
    kept = sides.min(-1, keepdims=True) >= 16.0
    return boxes * kept - (1.0 - kept)
