"""Regions of interest: which target and which feature map each proposal gets."""

from __future__ import annotations

from autoperf.core.tensors import Probabilities
from autoperf.rules.composites.boxes import centered, deviations, offsets
from autoperf.rules.composites.composite import Sizes, composite
from autoperf.rules.composites.graph_builder import GraphBuilder, GraphValue
from autoperf.rules.composites.overlaps import CROSSED, IMAGE, PAIRS, area, crossed, generalized, overlap

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


TALL: Sizes = {"small": (64, 8), "common": (1000, 50), "large": (8000, 100), "skewed": (20_000, 1)}


@composite(TALL, differentiable=False)
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
