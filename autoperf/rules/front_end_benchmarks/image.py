"""Image functions and augmentations: `mx.image` and the transforms of `gluon.data.vision`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from autoperf.core.tensors import Integers, Shape
from autoperf.rules.front_end_benchmarks.benchmark import FrontEndBenchmark, benchmark
from autoperf.rules.rule import Draft

SHAPES: Mapping[str, Shape] = {
    "small": (64, 64, 3),
    "common": (256, 256, 3),
    "large": (512, 512, 3),
    "skewed": (64, 512, 3),
}
"""(height, width, channels)."""
SIDE = 32
MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


def _image(name: str, call: str, prepare: Callable[..., Callable[[], object]]) -> FrontEndBenchmark:
    return benchmark(name, call, prepare, lambda shape: {"image": Draft(shape, "uint8", Integers(0, 256))}, SHAPES)


def _normalize(mx: Any, image: Any) -> Callable[[], object]:
    mean, std = mx.nd.array(MEAN), mx.nd.array(STD)
    return partial(mx.image.color_normalize, image.astype("float32"), mean, std)


def _augmenters(mx: Any, image: Any) -> Callable[[], object]:
    """What an image record iterator does to a picture in training."""
    augmenters = mx.image.CreateAugmenter((3, SIDE, SIDE), rand_crop=True, rand_mirror=True, mean=True, std=True)

    def apply() -> object:
        result = image
        for augmenter in augmenters:
            result = augmenter(result)
        return result

    return apply


def _transform(name: str, *arguments: Any) -> FrontEndBenchmark:
    written = ", ".join(map(repr, arguments))

    def prepare(mx: Any, image: Any) -> Callable[[], object]:
        return partial(getattr(mx.gluon.data.vision.transforms, name)(*arguments), image)

    return _image(f"transforms_{name}", f"gluon.data.vision.transforms.{name}({written})(image)", prepare)


def _normalized(mx: Any, image: Any) -> Callable[[], object]:
    transforms = mx.gluon.data.vision.transforms
    return partial(transforms.Normalize(MEAN, STD), transforms.ToTensor()(image))


BENCHMARKS = (
    _image(
        "image_imresize",
        "mx.image.imresize(image, 32, 32)",
        lambda mx, image: partial(mx.image.imresize, image, SIDE, SIDE),
    ),
    _image(
        "image_resize_short",
        "mx.image.resize_short(image, 32)",
        lambda mx, image: partial(mx.image.resize_short, image, SIDE),
    ),
    _image(
        "image_fixed_crop",
        "mx.image.fixed_crop(image, 0, 0, 32, 32)",
        lambda mx, image: partial(mx.image.fixed_crop, image, 0, 0, SIDE, SIDE),
    ),
    _image(
        "image_center_crop",
        "mx.image.center_crop(image, (32, 32))",
        lambda mx, image: partial(mx.image.center_crop, image, (SIDE, SIDE)),
    ),
    _image(
        "image_random_crop",
        "mx.image.random_crop(image, (32, 32))",
        lambda mx, image: partial(mx.image.random_crop, image, (SIDE, SIDE)),
    ),
    _image(
        "image_random_size_crop",
        "mx.image.random_size_crop(image, (32, 32), area, ratio)",
        lambda mx, image: partial(mx.image.random_size_crop, image, (SIDE, SIDE), (0.1, 1.0), (0.75, 1.33)),
    ),
    _image("image_color_normalize", "mx.image.color_normalize(image, mean, std)", _normalize),
    _image("image_CreateAugmenter", "each of mx.image.CreateAugmenter(...)", _augmenters),
    _transform("ToTensor"),
    _transform("Resize", SIDE),
    _transform("CenterCrop", SIDE),
    _transform("RandomResizedCrop", SIDE),
    _transform("RandomFlipLeftRight"),
    _transform("RandomBrightness", 0.5),
    _transform("RandomColorJitter", 0.5, 0.5, 0.5),
    _image("transforms_Normalize", "gluon.data.vision.transforms.Normalize(mean, std)(image)", _normalized),
)
