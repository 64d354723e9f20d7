"""Box coders: boxes as offsets from anchors, points and cells, and back."""

from __future__ import annotations

from math import log

from autoperf.core.tensors import Literal_
from autoperf.rules.composites.composite import Sizes, composite
from autoperf.rules.composites.graph_builder import GraphBuilder, GraphValue
from autoperf.rules.composites.overlaps import IMAGE, PAIRS

MAX_LOG_RATIO = log(1000 / 16)
"""How much larger than its anchor a decoded box may be."""
DEVIATIONS = (0.1, 0.1, 0.2, 0.2)
"""By which the offsets of a box are divided in two-stage detectors."""


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


GRIDS: Sizes = {"small": (1, 4, 3), "common": (8, 26, 3), "large": (16, 52, 3), "skewed": (1, 76, 1)}


@composite(GRIDS)
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
