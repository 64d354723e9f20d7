"""Anchors: where boxes are predicted from, and which of them are trained on which target."""

from __future__ import annotations

from autoperf.core.tensors import Boxes
from autoperf.rules.composites.composite import Sizes, composite
from autoperf.rules.composites.graph_builder import GraphBuilder, GraphValue
from autoperf.rules.composites.overlaps import CROSSED, crossed, overlap

FEATURE_MAPS: Sizes = {"small": (4, 4, 3), "common": (25, 38, 9), "large": (100, 152, 9), "skewed": (1, 200, 1)}
"""Rows and columns of a feature map, and anchors in each cell."""
STRIDE = 16.0


def cell_centers(g: GraphBuilder, rows: int, columns: int) -> GraphValue:
    """The centres (rows * columns, 2) of all cells in pixels."""
    x = g.arange(columns).reshape(1, columns).call("broadcast_to", shape=(rows, columns))
    y = g.arange(rows).reshape(rows, 1).call("broadcast_to", shape=(rows, columns))
    return (g.stack(x, y).reshape(-1, 2) + 0.5) * STRIDE


@composite(FEATURE_MAPS)
def anchor_grid(g: GraphBuilder, rows: int, columns: int, anchors: int) -> GraphValue:
    """The anchors of every cell: the base anchors, moved to its centre."""
    base = g.tensor("base", 1, anchors, 4, content=Boxes(128, 128))
    centers = cell_centers(g, rows, columns)
    return (base + g.concat(centers, centers).expand(1)).reshape(-1, 4)


@composite({profile: size[:2] for profile, size in FEATURE_MAPS.items()})
def feature_points(g: GraphBuilder, rows: int, columns: int) -> GraphValue:
    """The centres of all cells, with an offset that is learned (deformable points)."""
    return cell_centers(g, rows, columns) + g.tensor("offset", rows * columns, 2) * STRIDE


@composite({"small": (64,), "common": (10_000,), "large": (100_000,), "skewed": (1,)}, differentiable=False)
def anchors_inside(g: GraphBuilder, count: int) -> GraphValue:
    """Which anchors lie within the image."""
    anchors = g.tensor("anchors", count, 4, content=Boxes(700, 700))
    low, high = anchors.columns(0, 2) >= 0.0, anchors.columns(2, 4) < 640.0
    return g.concat(low, high).min(-1)


@composite(CROSSED, differentiable=False)
def anchor_labels(g: GraphBuilder, anchors: int, targets: int) -> GraphValue:
    """1 for anchors that overlap a target, 0 for background, -1 for those between (Ren et al., 2015)."""
    ious = overlap(*crossed(g, anchors, targets))[0].reshape(0, 0)
    best = ious.max(1)
    closest = (ious >= ious.max(0, keepdims=True)).max(1)
    positive = (best >= 0.7).maximum(closest)
    negative = (best < 0.3) * (1.0 - positive)
    return positive - (1.0 - positive) * (1.0 - negative)


@composite(CROSSED, differentiable=False)
def center_sampling(g: GraphBuilder, points: int, targets: int) -> GraphValue:
    """The target of each point: the smallest box that it lies in, or -1 (FCOS; Tian et al., 2019)."""
    places = g.tensor("points", points, 1, 2)
    boxes = g.tensor("targets", targets, 4, content=Boxes(1, 1)).expand(0)
    low, high = places - boxes.columns(0, 2), boxes.columns(2, 4) - places
    inside = g.concat(low, high).min(-1) > 0.0
    areas = (high + low).call("prod", axis=-1)
    nearest = g.where(inside, areas, areas * 0.0 + 1e8).call("argmin", axis=1)
    return nearest * inside.max(1) - (1.0 - inside.max(1))
