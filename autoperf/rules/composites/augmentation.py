"""Augmentations of images and their labels, on whole batches."""

from __future__ import annotations

from autoperf.core.tensors import Literal_, Uniform
from autoperf.rules.composites.boxes import IMAGE
from autoperf.rules.composites.composite import GraphBuilder, GraphValue, Sizes, composite

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
