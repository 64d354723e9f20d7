"""Data iterators and loaders, image functions and transforms."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from autoperf.core.tensors import Integers, Shape
from autoperf.rules.front_end_benchmarks.benchmark import Benchmark, of_release
from autoperf.rules.rule import Draft
from autoperf.rules.table import by_profile

ITEM_SHAPES: Mapping[str, Shape] = {"small": (320, 32), "common": (1024, 256), "large": (1024, 4096)}
"""(items, features)."""
BATCH = 32
NextBatch = Callable[[], object]


def _cycle(iterator: Any) -> NextBatch:
    """The next batch; after the last one, the first of the next pass."""

    def next_batch() -> object:
        try:
            return iterator.next()
        except StopIteration:
            iterator.reset()
            return iterator.next()

    return next_batch


def _iterator(name: str, call: str, make: Callable[[Any, Any], Any]) -> Benchmark:
    return Benchmark(f"io_{name}", f"mx.io.{call}.next()", lambda mx, x: _cycle(make(mx, x)), shapes=ITEM_SHAPES)


def _csv(mx: Any, x: Any) -> Any:
    """An iterator over a file in memory."""
    descriptor = os.memfd_create("autoperf-data")
    file = f"/proc/self/fd/{descriptor}"
    np.savetxt(file, x.asnumpy(), delimiter=",", fmt="%.6g")
    return mx.io.CSVIter(data_csv=file, data_shape=(x.shape[1],), batch_size=BATCH)


def _loader(mx: Any, x: Any, *, shuffle: bool) -> NextBatch:
    dataset = mx.gluon.data.ArrayDataset(of_release(mx, x))
    loader = mx.gluon.data.DataLoader(dataset, batch_size=BATCH, shuffle=shuffle)

    def batches() -> Iterator[object]:
        while True:
            yield from loader

    return batches().__next__


def _batches(mx: Any, x: Any, **options: object) -> Any:
    return mx.io.NDArrayIter(x, batch_size=BATCH, **options)


ITERATORS = (
    _iterator("NDArrayIter", "NDArrayIter(x, batch_size=32)", _batches),
    _iterator("NDArrayIter_shuffle", "NDArrayIter(x, batch_size=32, shuffle=True)", partial(_batches, shuffle=True)),
    _iterator("ResizeIter", "ResizeIter(iterator, 10)", lambda mx, x: mx.io.ResizeIter(_batches(mx, x), 10)),
    _iterator("PrefetchingIter", "PrefetchingIter(iterator)", lambda mx, x: mx.io.PrefetchingIter(_batches(mx, x))),
    _iterator("CSVIter", "CSVIter(data_csv=file, data_shape=..., batch_size=32)", _csv),
    *(
        Benchmark(
            f"gluon_DataLoader{suffix}",
            f"next(iter(gluon.data.DataLoader(dataset, batch_size=32{option})))",
            lambda mx, x, shuffle=bool(option): _loader(mx, x, shuffle=shuffle),
            shapes=ITEM_SHAPES,
        )
        for suffix, option in (("", ""), ("_shuffle", ", shuffle=True"))
    ),
)


PICTURE_SHAPES: Mapping[str, Shape] = by_profile((64, 64, 3), (256, 256, 3), (512, 512, 3), (64, 512, 3))
"""(height, width, channels)."""
SIDE = 32
MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


def _image(name: str, call: str, prepare: Callable[..., Callable[[], object]]) -> Benchmark:
    return _legacy_image(name, call, lambda mx, image: prepare(mx, of_release(mx, image)))


def _legacy_image(name: str, call: str, prepare: Callable[..., Callable[[], object]]) -> Benchmark:
    """A benchmark that takes an image of `mx.nd` in every release."""
    return Benchmark(
        name, call, prepare, lambda shape: {"image": Draft(shape, "uint8", Integers(0, 256))}, PICTURE_SHAPES
    )


def _normalize(mx: Any, image: Any) -> Callable[[], object]:
    mean, std = (of_release(mx, mx.nd.array(values)) for values in (MEAN, STD))
    return partial(mx.image.color_normalize, image.astype("float32"), mean, std)


def _augmenters(mx: Any, image: Any) -> Callable[[], object]:
    """The augmentations that an image record iterator applies in training; their flip is an operator of `mx.nd`."""
    augmenters = mx.image.CreateAugmenter((3, SIDE, SIDE), rand_crop=True, rand_mirror=True, mean=True, std=True)

    def apply() -> object:
        result = image
        for augmenter in augmenters:
            result = augmenter(result)
        return result

    return apply


def _function(name: str, *arguments: Any, written: str = "") -> Benchmark:
    call = f"mx.image.{name}(image, {written or ', '.join(map(repr, arguments))})"
    return _image(f"image_{name}", call, lambda mx, image: partial(getattr(mx.image, name), image, *arguments))


def _transform(name: str, *arguments: Any) -> Benchmark:
    written = ", ".join(map(repr, arguments))

    def prepare(mx: Any, image: Any) -> Callable[[], object]:
        return partial(getattr(mx.gluon.data.vision.transforms, name)(*arguments), image)

    return _image(f"transforms_{name}", f"gluon.data.vision.transforms.{name}({written})(image)", prepare)


def _normalized(mx: Any, image: Any) -> Callable[[], object]:
    transforms = mx.gluon.data.vision.transforms
    return partial(transforms.Normalize(MEAN, STD), transforms.ToTensor()(image))


IMAGES = (
    _function("imresize", SIDE, SIDE),
    _function("resize_short", SIDE),
    _function("fixed_crop", 0, 0, SIDE, SIDE),
    _function("center_crop", (SIDE, SIDE)),
    _function("random_crop", (SIDE, SIDE)),
    _function("random_size_crop", (SIDE, SIDE), (0.1, 1.0), (0.75, 1.33), written="(32, 32), area, ratio"),
    _image("image_color_normalize", "mx.image.color_normalize(image, mean, std)", _normalize),
    _legacy_image("image_CreateAugmenter", "each of mx.image.CreateAugmenter(...)", _augmenters),
    _transform("ToTensor"),
    _transform("Resize", SIDE),
    _transform("CenterCrop", SIDE),
    _transform("RandomResizedCrop", SIDE),
    _transform("RandomFlipLeftRight"),
    _transform("RandomBrightness", 0.5),
    _transform("RandomColorJitter", 0.5, 0.5, 0.5),
    _image("transforms_Normalize", "gluon.data.vision.transforms.Normalize(mean, std)(image)", _normalized),
)
