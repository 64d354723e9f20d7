"""What composites of detection compute, in plain NumPy: inputs by name, and the outputs in order."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Inputs = Mapping[str, Array]
DEVIATIONS = np.array([0.1, 0.1, 0.2, 0.2])
EPSILON = 1e-6


def area(boxes: Array) -> Array:
    return (boxes[..., 2] - boxes[..., 0]) * (boxes[..., 3] - boxes[..., 1])  # type: ignore[return-value]


def common(a: Array, b: Array) -> Array:
    width = np.minimum(a[..., 2], b[..., 2]) - np.maximum(a[..., 0], b[..., 0])
    height = np.minimum(a[..., 3], b[..., 3]) - np.maximum(a[..., 1], b[..., 1])
    return np.clip(width, 0, None) * np.clip(height, 0, None)


def iou(a: Array, b: Array) -> Array:
    return common(a, b) / (area(a) + area(b) - common(a, b) + EPSILON)


def hull(a: Array, b: Array) -> tuple[Array, Array]:
    width = np.maximum(a[..., 2], b[..., 2]) - np.minimum(a[..., 0], b[..., 0])
    return width, np.maximum(a[..., 3], b[..., 3]) - np.minimum(a[..., 1], b[..., 1])


def giou(a: Array, b: Array) -> Array:
    width, height = hull(a, b)
    union = area(a) + area(b) - common(a, b)
    return iou(a, b) - (width * height - union) / (width * height + EPSILON)


def diou(a: Array, b: Array) -> Array:
    width, height = hull(a, b)
    offset = ((a[..., :2] + a[..., 2:]) - (b[..., :2] + b[..., 2:])) / 2
    return iou(a, b) - (offset**2).sum(-1) / (width**2 + height**2 + EPSILON)


def ciou(a: Array, b: Array) -> Array:
    angles = [np.arctan((x[..., 2] - x[..., 0]) / (x[..., 3] - x[..., 1] + EPSILON)) for x in (a, b)]
    ratio = 4 / np.pi**2 * (angles[0] - angles[1]) ** 2
    return diou(a, b) - ratio / (1 - iou(a, b) + ratio + EPSILON) * ratio


def pairwise(x: Inputs, first: str = "boxes", second: str = "targets") -> tuple[Array, Array]:
    return x[first][:, None], x[second][None]


def centers(boxes: Array) -> tuple[Array, Array]:
    return (boxes[..., :2] + boxes[..., 2:]) / 2, boxes[..., 2:] - boxes[..., :2]


def corners(center: Array, side: Array) -> Array:
    return np.concatenate([center - side / 2, center + side / 2], -1)


def encoded(boxes: Array, anchors: Array) -> Array:
    (center, side), (origin, extent) = centers(boxes), centers(anchors)
    return np.concatenate([(center - origin) / extent, np.log(side / extent)], -1) / DEVIATIONS


def decoded(x: Inputs) -> Array:
    center, side = centers(x["anchors"])
    deltas = x["deltas"] * DEVIATIONS
    return np.clip(corners(center + deltas[:, :2] * side, np.exp(deltas[:, 2:]) * side), 0, 640)


def yolo(x: Inputs) -> Array:
    cells = round(np.sqrt(x["raw"].shape[1]))
    grid = np.stack(np.meshgrid(np.arange(cells), np.arange(cells)), -1).reshape(1, -1, 1, 2)
    center = (1 / (1 + np.exp(-x["raw"][..., :2])) + grid) * 640 / cells
    return corners(center, np.exp(x["raw"][..., 2:]) * x["priors"])


def ssd(x: Inputs) -> Array:
    center = x["priors"][..., :2] + x["deltas"][..., :2] * x["priors"][..., 2:] * 0.1
    return corners(center, np.exp(x["deltas"][..., 2:] * 0.2) * x["priors"][..., 2:])


def mask_iou(x: Inputs) -> Array:
    flat = x["masks"].reshape(len(x["masks"]), -1).astype(bool)
    both = np.array([[(a & b).sum() for b in flat] for a in flat])
    return both / np.array([[(a | b).sum() + EPSILON for b in flat] for a in flat])


def cell_centers(rows: int, columns: int) -> Array:
    return np.array([[(column + 0.5) * 16, (row + 0.5) * 16] for row in range(rows) for column in range(columns)])


def clipped(x: Inputs) -> Array:
    boxes = np.clip(x["boxes"], 0, 600)
    kept = centers(boxes)[1].min(-1) >= 16
    return np.where(kept[:, None], boxes, -1)


def anchor_labels(x: Inputs) -> Array:
    ious = iou(*pairwise(x))
    labels = np.where(ious.max(1) < 0.3, 0, -1)
    labels[ious.max(1) >= 0.7] = 1
    labels[(ious == ious.max(0)).any(1)] = 1
    return labels


def better(x: Inputs) -> tuple[Array, Array]:
    """Scores from the best on, and the overlaps of each detection with better ones."""
    order = np.argsort(-x["scores"].ravel(), kind="stable")
    boxes = x["boxes"][order]
    return x["scores"].ravel()[order], np.triu(iou(boxes[:, None], boxes[None]), 1)


def fast_nms(x: Inputs) -> Array:
    scores, ious = better(x)
    return scores * (ious.max(0) <= 0.5)


def matrix_nms(x: Inputs) -> Array:
    scores, ious = better(x)
    return scores * ((1 - ious) / (1 - ious.max(0)[:, None] + EPSILON)).min(0)


def matched(x: Inputs, name: str) -> tuple[Array, Array]:
    ious = iou(*pairwise(x, name))
    return ious.argmax(1), ious.max(1)


def assigned(x: Inputs) -> list[Array]:
    match, best = matched(x, "boxes")
    return [match, best, np.where(best >= 0.5, x["labels"][match] + 1, 0)]


def region_targets(x: Inputs) -> Array:
    match, best = matched(x, "regions")
    return np.where(best[:, None] >= 0.5, encoded(x["targets"][match], x["regions"]), 0)


def costs(x: Inputs) -> Array:
    boxes, targets = pairwise(x)
    apart = np.abs(boxes - targets).sum(-1) / 640
    return 5 * apart - 2 * giou(boxes, targets) - x["chances"][:, x["labels"].astype(int)]


REFERENCES = {
    "iou_aligned": lambda x: iou(x["predicted"], x["target"])[:, None],
    "iou_pairwise": lambda x: iou(*pairwise(x)),
    "iof_pairwise": lambda x: common(*pairwise(x)) / (area(x["boxes"])[:, None] + EPSILON),
    "giou_pairwise": lambda x: giou(*pairwise(x)),
    "diou_aligned": lambda x: diou(x["predicted"], x["target"])[:, None],
    "ciou_aligned": lambda x: ciou(x["predicted"], x["target"])[:, None],
    "mask_iou": mask_iou,
    "boxes_to_centers": lambda x: np.concatenate(centers(x["boxes"]), -1),
    "boxes_to_corners": lambda x: corners(x["boxes"][:, :2], x["boxes"][:, 2:]),
    "box_delta_encode": lambda x: encoded(x["targets"], x["anchors"]),
    "box_delta_decode": decoded,
    "ssd_box_decode": ssd,
    "yolo_box_decode": yolo,
    "ltrb_encode": lambda x: np.concatenate([x["points"] - x["boxes"][:, :2], x["boxes"][:, 2:] - x["points"]], -1),
    "boxes_clip_and_filter": clipped,
    "anchor_grid": lambda x: (x["base"] + np.tile(cell_centers(4, 4), 2)[:, None]).reshape(-1, 4),
    "feature_points": lambda x: cell_centers(4, 4) + x["offset"] * 16,
    "anchors_inside": lambda x: ((x["anchors"][:, :2] >= 0) & (x["anchors"][:, 2:] < 640)).all(-1),
    "anchor_labels": anchor_labels,
    "fast_nms": fast_nms,
    "matrix_nms": matrix_nms,
    "fpn_levels": lambda x: np.clip(np.floor(4 + np.log2(np.sqrt(area(x["regions"])) / 224)), 2, 5)[:, None],
    "max_iou_assignment": assigned,
    "region_targets": region_targets,
    "matching_costs": costs,
    "iou_loss": lambda x: [-np.log(np.clip(iou(x["predicted"], x["target"]), 1e-6, None)).mean()],
    "giou_loss": lambda x: [1 - giou(x["predicted"], x["target"]).mean()],
    "diou_loss": lambda x: [1 - diou(x["predicted"], x["target"]).mean()],
    "ciou_loss": lambda x: [1 - ciou(x["predicted"], x["target"]).mean()],
}
"""By composite; one array, or a list of them."""
