"""Boxes, their overlap and their coding as offsets; augmentations of images and their boxes."""

from __future__ import annotations

from math import log, pi

from autoperf.core.tensors import Boxes, Literal_, Mask, Uniform
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


IMAGES: Sizes = {"small": (2, 16), "common": (4, 64), "large": (16, 112), "skewed": (1, 512)}
"""Images, and pixels of their sides."""
CLASSES = 10


def images(g: GraphBuilder, count: int, side: int, name: str = "images") -> GraphValue:
    """Images (count, 3, side, side) with values from 0 to 1."""
    return g.tensor(name, count, 3, side, side, content=Uniform(0, 1))


def factors(g: GraphBuilder, count: int, name: str) -> GraphValue:
    """A random factor from 0.5 to 1.5 for each image."""
    return g.tensor(name, count, 1, 1, 1, content=Uniform(0.5, 1.5)).detached()


def classes(g: GraphBuilder, count: int) -> GraphValue:
    """The label of each image, as zeros and a one."""
    return g.indices("labels", count, below=CLASSES).call("one_hot", depth=CLASSES, dtype=g.dtype)


def gray(g: GraphBuilder, colored: GraphValue) -> GraphValue:
    """The luma of each pixel, with the channel's axis kept at 1."""
    return (colored * g.tensor("luma", 1, 3, 1, 1, content=Literal_((0.299, 0.587, 0.114)))).sum(1, keepdims=True)


def window(g: GraphBuilder, count: int, side: int) -> GraphValue:
    """1 within a random square of each image, else 0: (count, 1, side, side)."""
    center = g.tensor("center", count, 2, content=Uniform(0.25, 0.75)) * float(side)
    place = g.arange(side).expand(0)
    row, column = ((place - center.columns(axis, axis + 1)).abs() <= side / 4 for axis in (0, 1))
    return row.reshape(count, 1, side, 1) * column.reshape(count, 1, 1, side)


@composite(IMAGES)
def standardized_images(g: GraphBuilder, count: int, side: int) -> GraphValue:
    """Bytes as floating numbers, less the mean and divided by the deviation of each channel."""
    mean = g.tensor("mean", 1, 3, 1, 1, content=Literal_((0.485, 0.456, 0.406)))
    deviation = g.tensor("deviation", 1, 3, 1, 1, content=Literal_((0.229, 0.224, 0.225)))
    return (images(g, count, side) * 255.0 / 255.0 - mean) / deviation


@composite(IMAGES)
def color_jitter(g: GraphBuilder, count: int, side: int) -> GraphValue:
    """Random brightness, contrast and saturation of each image."""
    bright = (images(g, count, side) * factors(g, count, "brightness")).clip(0.0, 1.0)
    luma = gray(g, bright)
    contrast, saturation = factors(g, count, "contrast"), factors(g, count, "saturation")
    even = luma.mean(1, 2, 3, keepdims=True)
    contrasted = (even + (bright - even) * contrast).clip(0.0, 1.0)
    return (luma + (contrasted - luma) * saturation).clip(0.0, 1.0)


@composite(IMAGES)
def random_grayscale(g: GraphBuilder, count: int, side: int) -> GraphValue:
    """A fifth of the images without their colours."""
    colored = images(g, count, side)
    chosen = (g.tensor("random", count, 1, 1, 1, content=Uniform(0, 1)) < 0.2).detached()
    return colored + (gray(g, colored) - colored) * chosen


@composite(IMAGES)
def solarize(g: GraphBuilder, count: int, side: int) -> GraphValue:
    """Pixels above a threshold inverted."""
    data = images(g, count, side)
    return g.where(data > 0.5, 1.0 - data, data)


@composite(IMAGES)
def random_erasing(g: GraphBuilder, count: int, side: int) -> GraphValue:
    """A random square of each image replaced by noise (Zhong et al., 2020)."""
    hidden = window(g, count, side).detached()
    return images(g, count, side) * (1.0 - hidden) + images(g, count, side, "noise") * hidden


@composite(IMAGES)
def mixup(g: GraphBuilder, count: int, side: int) -> tuple[GraphValue, ...]:
    """Each image and label mixed with those of another one (Zhang et al., 2018)."""
    data, labels = images(g, count, side), classes(g, count)
    share = g.tensor("share", count, content=Uniform(0, 1)).detached()
    wide, narrow = share.reshape(count, 1, 1, 1), share.expand(1)
    other, label = data.call("reverse", axis=0), labels.call("reverse", axis=0)
    return data * wide + other * (1.0 - wide), labels * narrow + label * (1.0 - narrow)


@composite(IMAGES)
def cutmix(g: GraphBuilder, count: int, side: int) -> tuple[GraphValue, ...]:
    """A square of each image from another one, and labels by their areas (Yun et al., 2019)."""
    data, labels = images(g, count, side), classes(g, count)
    pasted = window(g, count, side).detached()
    share = pasted.mean(1, 2, 3).expand(1)
    other, label = data.call("reverse", axis=0), labels.call("reverse", axis=0)
    return data + (other - data) * pasted, labels + (label - labels) * share


@composite({"small": (2, 16, 4), "common": (4, 64, 20), "large": (16, 112, 100), "skewed": (1, 512, 1)})
def flip_with_boxes(g: GraphBuilder, count: int, side: int, boxes: int) -> tuple[GraphValue, ...]:
    """A random half of the images mirrored, with their boxes."""
    data, places = images(g, count, side), g.tensor("boxes", count, boxes, 4, content=IMAGE)
    chosen = (g.tensor("random", count, content=Uniform(0, 1)) < 0.5).detached()
    low, high = 640.0 - places.columns(2, 3), 640.0 - places.columns(0, 1)
    mirrored = g.concat(low, places.columns(1, 2), high, places.columns(3, 4))
    image = data + (data.call("reverse", axis=3) - data) * chosen.reshape(count, 1, 1, 1)
    return image, places + (mirrored - places) * chosen.reshape(count, 1, 1)


@composite(IMAGES)
def random_rotation(g: GraphBuilder, count: int, side: int) -> GraphValue:
    """Each image turned by a random angle, sampled bilinearly."""
    angle = g.tensor("angle", count, 1).detached()
    cosine, sine, zero = angle.call("cos"), angle.call("sin"), angle * 0.0
    matrix = g.concat(cosine, -sine, zero, sine, cosine, zero)
    places = matrix.call("GridGenerator", transform_type="affine", target_shape=(side, side))
    return images(g, count, side).call("BilinearSampler", places)


@composite(IMAGES)
def gaussian_blur(g: GraphBuilder, count: int, side: int) -> GraphValue:
    """Each channel blurred by five weights along rows, then along columns."""
    offset = g.arange(5) - 2.0
    weights = (offset.square() * -0.5).softmax()
    across, down = (weights.reshape(1, 1, *shape).call("tile", reps=(3, 1, 1, 1)) for shape in ((1, 5), (5, 1)))
    plain = {"num_filter": 3, "num_group": 3, "no_bias": True}
    blurred = images(g, count, side).call("Convolution", across, kernel=(1, 5), pad=(0, 2), **plain)
    return blurred.call("Convolution", down, kernel=(5, 1), pad=(2, 0), **plain)
