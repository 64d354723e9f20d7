"""Suppression: which of many overlapping detections remain."""

from __future__ import annotations

from autoperf.core.tensors import Boxes, Uniform
from autoperf.rules.composites.composite import Sizes, composite
from autoperf.rules.composites.graph_builder import GraphBuilder, GraphValue
from autoperf.rules.composites.overlaps import IMAGE, overlap

DETECTIONS: Sizes = {"small": (32,), "common": (200,), "large": (1000,), "skewed": (1,)}
HEATMAPS: Sizes = {"small": (1, 4, 16), "common": (4, 20, 64), "large": (8, 80, 128), "skewed": (1, 1, 256)}
CLASSES = 80


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
    """Fast NMS, three times: what is suppressed no longer suppresses (Zheng et al., 2021)."""
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
