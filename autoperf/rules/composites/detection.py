"""Detection: anchors, the assignment of targets to regions, and the suppression of overlapping detections."""

from __future__ import annotations

from autoperf.core.tensors import Boxes, Probabilities, Uniform
from autoperf.rules.composites.boxes import (
    CROSSED,
    IMAGE,
    PAIRS,
    area,
    centered,
    crossed,
    deviations,
    generalized,
    offsets,
    overlap,
)
from autoperf.rules.composites.composite import GraphBuilder, GraphValue, Sizes, composite

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


CLASSES = 80


@composite(PAIRS, differentiable=False)
def fpn_levels(g: GraphBuilder, count: int) -> GraphValue:
    """The pyramid's level of each region, by its area (Lin et al., 2017)."""
    size = area(g.tensor("regions", count, 4, content=IMAGE)).maximum(1.0).sqrt()
    return ((size / 224.0 + 1e-6).call("log2") + 4.0).call("floor").clip(2.0, 5.0)


@composite(CROSSED, differentiable=False)
def max_iou_assignment(g: GraphBuilder, regions: int, targets: int) -> tuple[GraphValue, ...]:
    """The best target of each region, its IoU, and its class or 0 for background."""
    ious = overlap(*crossed(g, regions, targets))[0].reshape(0, 0)
    best, match = ious.max(1), ious.call("argmax", axis=1)
    labels = g.indices("labels", targets, below=CLASSES).call("take", match)
    return match, best, (labels + 1.0) * (best >= 0.5)


@composite(CROSSED, differentiable=False)
def region_targets(g: GraphBuilder, regions: int, targets: int) -> GraphValue:
    """The encoded offsets of each region's best target, zero for background."""
    boxes, others = g.tensor("regions", regions, 4, content=IMAGE), g.tensor("targets", targets, 4, content=IMAGE)
    ious = overlap(boxes.expand(1), others.expand(0))[0].reshape(0, 0)
    matched = others.call("take", ious.call("argmax", axis=1))
    return offsets(g, matched, boxes) / deviations(g) * (ious.max(1, keepdims=True) >= 0.5)


@composite(CROSSED, differentiable=False)
def matching_costs(g: GraphBuilder, queries: int, targets: int) -> GraphValue:
    """The costs by which queries are matched to targets: class, L1 and GIoU (DETR; Carion et al., 2020)."""
    boxes, others = crossed(g, queries, targets)
    chances = g.tensor("chances", queries, CLASSES, content=Probabilities())
    chosen = chances.transpose(1, 0).call("take", g.indices("labels", targets, below=CLASSES)).transpose(1, 0)
    apart = (boxes - others).abs().sum(-1) / 640.0
    return apart * 5.0 - generalized(boxes, others).reshape(0, 0) * 2.0 - chosen


@composite({"small": (64, 8), "common": (1000, 50), "large": (8000, 100), "skewed": (20_000, 1)}, differentiable=False)
def adaptive_assignment(g: GraphBuilder, anchors: int, targets: int) -> GraphValue:
    """Positives by the mean and deviation of each target's nine nearest anchors (ATSS; Zhang et al., 2020)."""
    boxes, others = g.tensor("anchors", anchors, 4, content=IMAGE), g.tensor("targets", targets, 4, content=IMAGE)
    ious = overlap(boxes.expand(1), others.expand(0))[0].reshape(0, 0)
    apart = (centered(boxes)[0].expand(1) - centered(others)[0].expand(0)).square().sum(-1)
    near = apart.call("topk", k=9, axis=0, ret_typ="mask", is_ascend=True)
    mean = (ious * near).sum(0, keepdims=True) / 9.0
    deviation = (((ious - mean).square() * near).sum(0, keepdims=True) / 8.0).sqrt()
    return near * (ious >= mean + deviation)


@composite({"small": (2, 3, 16), "common": (16, 16, 32), "large": (128, 64, 32), "skewed": (1, 512, 64)})
def region_grid_sample(g: GraphBuilder, regions: int, channels: int, side: int) -> GraphValue:
    """Each region of its feature map, sampled bilinearly at seven by seven places."""
    features = g.tensor("features", regions, channels, side, side)
    boxes = g.tensor("boxes", regions, 4)
    low, high = boxes.columns(0, 2).expand(2).expand(2), boxes.columns(2, 4).expand(2).expand(2)
    step = (g.arange(7) + 0.5) / 7.0
    rows = step.reshape(1, 1, 7, 1).call("broadcast_to", shape=(1, 1, 7, 7))
    columns = step.reshape(1, 1, 1, 7).call("broadcast_to", shape=(1, 1, 7, 7))
    places = low + (high - low) * g.concat(columns, rows, axis=1)
    return features.call("BilinearSampler", places)


DETECTIONS: Sizes = {"small": (32,), "common": (200,), "large": (1000,), "skewed": (1,)}
HEATMAPS: Sizes = {"small": (1, 4, 16), "common": (4, 20, 64), "large": (8, 80, 128), "skewed": (1, 1, 256)}


def sorted_detections(g: GraphBuilder, count: int) -> tuple[GraphValue, GraphValue]:
    """Boxes and scores of `count` detections, the best first."""
    boxes = g.tensor("boxes", count, 4, content=IMAGE)
    scores = g.tensor("scores", count, content=Uniform(0, 1))
    order = scores.call("argsort", is_ascend=False)
    return boxes.call("take", order), scores.call("take", order)


def overlaps_with_better(g: GraphBuilder, boxes: GraphValue, count: int) -> GraphValue:
    """IoU (better, worse) of each detection with those of higher scores; zero below the diagonal."""
    ious = overlap(boxes.expand(1), boxes.expand(0))[0].reshape(0, 0)
    rank = g.arange(count)
    return ious * (rank.expand(1) < rank.expand(0))


@composite(DETECTIONS, differentiable=False)
def fast_nms(g: GraphBuilder, count: int) -> GraphValue:
    """Scores without detections that any better one overlaps (YOLACT; Bolya et al., 2019)."""
    boxes, scores = sorted_detections(g, count)
    return scores * (overlaps_with_better(g, boxes, count).max(0) <= 0.5)


@composite(DETECTIONS, differentiable=False)
def cluster_nms(g: GraphBuilder, count: int) -> GraphValue:
    """Fast NMS, three times: a suppressed box no longer suppresses others (Zheng et al., 2021)."""
    boxes, scores = sorted_detections(g, count)
    ious = overlaps_with_better(g, boxes, count)
    kept = ious.max(0) <= 0.5
    for _ in range(2):
        kept = (ious * kept.expand(1)).max(0) <= 0.5
    return scores * kept


def _decayed(g: GraphBuilder, count: int, *, gaussian: bool) -> GraphValue:
    boxes, scores = sorted_detections(g, count)
    ious = overlaps_with_better(g, boxes, count)
    worst = ious.max(0).expand(1)
    decay = ((worst.square() - ious.square()) * 2.0).exp() if gaussian else (1.0 - ious) / (1.0 - worst + 1e-6)
    return scores * decay.min(0)


@composite(DETECTIONS, differentiable=False)
def matrix_nms(g: GraphBuilder, count: int) -> GraphValue:
    """Scores that decay with the overlap with better detections (SOLOv2; Wang et al., 2020)."""
    return _decayed(g, count, gaussian=False)


@composite(DETECTIONS, differentiable=False)
def matrix_nms_gaussian(g: GraphBuilder, count: int) -> GraphValue:
    """Matrix NMS whose decay is a Gaussian."""
    return _decayed(g, count, gaussian=True)


@composite(DETECTIONS, differentiable=False)
def class_wise_nms(g: GraphBuilder, count: int) -> GraphValue:
    """NMS within each class: boxes of classes are moved apart, then suppressed together."""
    boxes = g.tensor("boxes", count, 4, content=IMAGE)
    scores = g.tensor("scores", count, 1, content=Uniform(0, 1))
    labels = g.indices("labels", count, 1, below=CLASSES)
    moved = boxes + labels * (boxes.max() + 1.0).reshape(1, 1)
    rows = g.concat(labels, scores, moved)
    return rows.call("_contrib_box_nms", overlap_thresh=0.5, coord_start=2, score_index=1, id_index=-1)


@composite(HEATMAPS, differentiable=False)
def heatmap_peaks(g: GraphBuilder, batch: int, classes: int, side: int) -> tuple[GraphValue, ...]:
    """Scores, classes and places of the eight highest peaks of a heatmap (CenterNet; Zhou et al., 2019)."""
    heat = g.tensor("heat", batch, classes, side, side).sigmoid()
    highest = heat.call("Pooling", kernel=(3, 3), pad=(1, 1), stride=(1, 1), pool_type="max")
    peaks = (heat * (heat >= highest)).reshape(0, -1)
    best = peaks.call("topk", k=8, ret_typ="both", axis=-1)
    labels = (best[1] / (side * side)).call("floor")
    return best, labels, best[1] - labels * (side * side)


@composite({"small": (64, 3), "common": (1000, 20), "large": (8000, 80), "skewed": (20_000, 1)}, differentiable=False)
def top_scores(g: GraphBuilder, boxes: int, classes: int) -> tuple[GraphValue, ...]:
    """The ten best boxes by their best class, above a threshold."""
    scores = g.tensor("scores", boxes, classes).softmax()
    places = g.tensor("boxes", boxes, 4, content=Boxes())
    best = scores.max(1)
    order = (best * (best > 0.05)).call("topk", k=10, ret_typ="indices")
    labels = scores.call("argmax", axis=1).call("take", order)
    return places.call("take", order), best.call("take", order), labels
