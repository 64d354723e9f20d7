"""Image transformation on (height, width, channels) with values on [0, 256): flips, crops, resizing, colours."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from hypothesis import strategies as st

from autoperf.core.case import Case
from autoperf.core.operator import Value
from autoperf.core.tensors import AnyContent, Integers, Literal_, Shape
from autoperf.core.work import no_arithmetic
from autoperf.rules.rule import Draft, Inputs, InputSpec, inputs, rule
from autoperf.rules.table import Row, SampleInputs, by_profile, named, sized, table
from autoperf.strategies import extents

image_rule = partial(rule, category="image")

BMP_HEADER = 54
PIXELS = Integers(0, 256)
OF_PICTURE = {"data": PIXELS, "src": PIXELS}
OPENCV = ("float32", "float64", "uint8", "int32")
"""The dtypes in MXNet's table of OpenCV's; for others (but float16) it reads beyond the table."""
opencv_rule = partial(image_rule, dtype="uint8", dtypes=OPENCV, contents=OF_PICTURE)
PICTURES: dict[str, Shape] = by_profile((20, 16, 3), (128, 160, 3), (360, 480, 3), (2000, 4, 3))


def _of_each(build: Callable[[Draft], Inputs]) -> Mapping[str, Inputs]:
    """Canonical inputs: the four profiles, and a picture in float32, which may have a gradient."""
    pictures = {profile: Draft(shape) for profile, shape in PICTURES.items()}
    pictures["float"] = Draft(PICTURES["common"], "float32")
    return {profile: build(picture) for profile, picture in pictures.items()}


@st.composite
def _pictures(draw: st.DrawFn, elements: int, batches: bool = False) -> Shape:
    """(height, width, channels) of 3 channels or 1 (grey), or a batch of such pictures."""
    channels = draw(st.sampled_from((3, 3, 1)))
    batch = draw(st.integers(1, 4)) if batches and draw(st.booleans()) else 0
    side = max(2, int((elements // (channels * max(batch, 1))) ** 0.5))
    shape = (draw(extents(2, side)), draw(extents(2, side)), channels)
    return (batch, *shape) if batch else shape


def pictures(batches: bool = False, **params: Value) -> SampleInputs:
    """A picture of any size, in colour or grey, or a batch of them; and parameters that don't depend on the size."""

    def build(picture: Draft) -> Inputs:
        return inputs(data=picture, **params)

    return SampleInputs(
        lambda _spec: _of_each(build),
        lambda draw, spec: build(Draft(draw(_pictures(spec.elements, batches)))),
        OF_PICTURE,
    )


def colour_flops(case: Case) -> float:
    """One operation for each number of a picture in colour; a grey one has no hue, saturation or lighting to change."""
    shape = case.inputs[0].tensor.shape
    return float(math.prod(shape) if shape[-1] > 1 else 0)


picture_row = partial(Row, dtype="uint8")
RULES = table(
    __name__,
    "image",
    flips=picture_row(
        named("_image_*", "flip_left_right", "flip_top_bottom", "random_flip_left_right", "random_flip_top_bottom"),
        pictures(),
        "A picture.",
    ),
    to_tensor=picture_row(("_image_to_tensor",), pictures(batches=True), "A picture, or a batch."),
    light_ranges=picture_row(
        named("_image_random_*", "brightness", "contrast"),
        pictures(min_factor=0.5, max_factor=1.5),
        "A picture, and a range of positive factors.",
    ),
    colour_ranges=picture_row(
        named("_image_random_*", "saturation", "hue"),
        pictures(min_factor=0.5, max_factor=1.5),
        "A picture, and a range of positive factors.",
        flops=colour_flops,
    ),
    colour_jitter=picture_row(
        ("_image_random_color_jitter",),
        pictures(brightness=0.4, contrast=0.4, saturation=0.4, hue=0.1),
        "A picture, and how far each colour may change.",
        flops=colour_flops,
    ),
    random_lighting=picture_row(
        ("_image_random_lighting",), pictures(alpha_std=0.1), "A picture, and a deviation.", flops=colour_flops
    ),
    adjust_lighting=picture_row(
        ("_image_adjust_lighting",),
        pictures(alpha=(0.1, 0.1, 0.1)),
        "A picture, and a number for each principal component of its colours.",
        flops=colour_flops,
    ),
)


def _resized(picture: Draft, height: int, width: int, interpolation: int = 1) -> Inputs:
    return inputs(data=picture, size=(width, height), interp=interpolation)


def _resized_by_opencv(shape: Shape, height: int, width: int, interpolation: int = 1) -> Inputs:
    return inputs(src=Draft(shape), w=width, h=height, interp=interpolation)


@opencv_rule(
    "_image_resize", canonical=_of_each(lambda picture: _resized(picture, picture.shape[0] // 2, picture.shape[1] // 2))
)
def resize(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """(width, height), or one number: both sides, or the shorter one if the ratio is kept; 3 ways to interpolate."""
    shape = draw(_pictures(spec.elements // 4, batches=True))
    if draw(st.booleans()):
        size = draw(extents(1, min(shape[-3], shape[-2])))
        return inputs(data=Draft(shape), size=(size,), keep_ratio=draw(st.booleans()))
    return _resized(Draft(shape), *_new_sides(draw, shape), draw(st.integers(0, 2)))


@opencv_rule(
    "_cvimresize",
    canonical=sized(lambda _spec, shape: _resized_by_opencv(shape, shape[0] // 2, shape[1] // 2), PICTURES),
)
def opencv_resize(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """To a width and a height, by nearest, bilinear, area, cubic or Lanczos interpolation."""
    shape = draw(_pictures(spec.elements // 4))
    return _resized_by_opencv(shape, *_new_sides(draw, shape), draw(st.integers(0, 4)))


def _new_sides(draw: st.DrawFn, shape: Shape) -> tuple[int, int]:
    return draw(extents(1, 2 * shape[-3])), draw(extents(1, 2 * shape[-2]))


def _file(height: int, width: int) -> Literal_:
    """A 24-bit BMP file: a header of 54 bytes, then pixels (the header, repeated); width % 4 == 0."""
    size = 3 * height * width
    start = struct.pack("<2sIHHI", b"BM", BMP_HEADER + size, 0, 0, BMP_HEADER)
    header = start + struct.pack("<IiiHHIIiiII", 40, width, height, 1, 24, 0, size, 0, 0, 0, 0)
    return Literal_(tuple(map(float, header)))


def _bitmap(height: int, width: int) -> Inputs:
    return inputs(buf=Draft((BMP_HEADER + 3 * height * width,), "uint8", _file(height, width)))


def _drawn_bitmap(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    side = max(1, int((max(1, spec.elements - BMP_HEADER) // 12) ** 0.5))
    file = _bitmap(draw(extents(1, side)), 4 * draw(extents(1, side)))
    return replace(file, params={"flag": draw(st.integers(0, 1)), "to_rgb": draw(st.booleans())})


def squarest(case: Case) -> Mapping[str, AnyContent]:
    """The file of the squarest picture that has so many bytes."""
    pixels = (case.inputs[0].tensor.type.elements - BMP_HEADER) // 3
    widths = [width for width in range(4, 4 * math.isqrt(max(pixels, 0)) + 5, 4) if pixels % width == 0]
    if not widths or pixels < 4:
        raise ValueError(f"a picture's file has {BMP_HEADER} bytes, and 12 for every four pixels of a row")
    width = min(widths, key=lambda width: abs(width - pixels // width))
    return {case.inputs[0].name: _file(pixels // width, width)}


NO_SIDES = "the size of a file doesn't say which height and width its picture has"


@image_rule(
    "_cvimdecode",
    "_npi_cvimdecode",
    canonical=sized(lambda _spec, shape: _bitmap(*shape[:2]), PICTURES),
    dtype="uint8",
    contents=squarest,
    varied={"buf": NO_SIDES},
)
def decode(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """The bytes of an image file, to (height, width, 3 or 1), red first or blue."""
    return _drawn_bitmap(draw, spec)


def _on_disk(bitmap: Inputs) -> Inputs:
    """The call with its bytes in a file, whose path the executor makes the parameter."""
    return Inputs({"filename": bitmap.tensors["buf"]}, bitmap.params)


@image_rule(
    "_cvimread",
    "_npi_cvimread",
    canonical=sized(lambda _spec, shape: _on_disk(_bitmap(*shape[:2])), PICTURES),
    dtype="uint8",
    inferable=False,
    contents=squarest,
    varied={"filename": NO_SIDES},
)
def read(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """An image file, to (height, width, 3 or 1), red first or blue; the file is in memory."""
    return _on_disk(_drawn_bitmap(draw, spec))


@opencv_rule(
    "_cvcopyMakeBorder",
    canonical=sized(lambda _spec, shape: inputs(src=Draft(shape), top=4, bot=4, left=4, right=4), PICTURES),
)
def border(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """A picture within a frame of constant, replicated or reflected pixels, narrower than the picture."""
    shape = draw(_pictures(spec.elements // 9))
    sides = {name: draw(st.integers(0, shape[0] - 1)) for name in ("top", "bot")}
    edges = {name: draw(st.integers(0, shape[1] - 1)) for name in ("left", "right")}
    return inputs(src=Draft(shape), type=draw(st.integers(0, 4)), value=0.0, **sides, **edges)


def _centred(picture: Draft) -> Inputs:
    height, width, _ = picture.shape
    return inputs(data=picture, x=width // 4, y=height // 4, width=width // 2, height=height // 2)


@image_rule("_image_crop", canonical=_of_each(_centred), dtype="uint8", flops=no_arithmetic, contents=OF_PICTURE)
def crop(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """A window that lies within the picture."""
    shape = draw(_pictures(spec.elements, batches=True))
    height, width = draw(extents(1, shape[-3])), draw(extents(1, shape[-2]))
    corner = {"x": draw(st.integers(0, shape[-2] - width)), "y": draw(st.integers(0, shape[-3] - height))}
    return inputs(data=Draft(shape), width=width, height=height, **corner)


def _channels_first(_spec: InputSpec, shape: Shape) -> Inputs:
    """A picture with the mean and the deviation of ImageNet's colours."""
    return inputs(data=Draft((shape[2], *shape[:2])), mean=(0.485, 0.456, 0.406), std=(0.229, 0.224, 0.225))


@image_rule("_image_normalize", canonical=sized(_channels_first, PICTURES))
def normalize(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """(channels, height, width), or a batch of them, with a mean and a deviation for each channel."""
    *batch, height, width, channels = draw(_pictures(spec.elements, batches=True))
    scale: dict[str, Value] = {"mean": (0.5,) * channels, "std": (0.25,) * channels}
    return inputs(data=Draft((*batch, channels, height, width)), **scale)


def _quartered(picture: Draft) -> Inputs:
    return inputs(data=picture, width=picture.shape[1] // 2, height=picture.shape[0] // 2)


@opencv_rule(
    "_image_random_crop", canonical=_of_each(_quartered), flops=no_arithmetic, dims={"data": "... height+ width+ _"}
)
def random_crop(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """A window of this size anywhere in the picture, or within a part of it.

    MXNet's documentation promises to enlarge the picture for a larger window, but the kernel reads beyond its end.
    """
    shape = draw(_pictures(spec.elements, batches=True))
    size = {"width": draw(extents(1, shape[-2])), "height": draw(extents(1, shape[-3]))}
    part = st.sampled_from(((0.0, 1.0), (0.25, 0.75), (0.5, 0.5)))
    return inputs(data=Draft(shape), xrange=draw(part), yrange=draw(part), **size)


def cropped(case: Case) -> float:
    """One move for each element of a window of half the area, or of the largest square, and of the result."""
    *batch, height, width, channels = case.inputs[0].tensor.shape
    return math.prod(batch) * channels * min(height * width / 2, min(height, width) ** 2) + case.outputs[0].elements


@opencv_rule("_image_random_resized_crop", canonical=_of_each(_quartered), moves=cropped)
def random_resized_crop(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """A window of random area and shape (`area` and `ratio`, which the registry doesn't list), resized."""
    *batch, height, width, channels = draw(_pictures(spec.elements // 4, batches=True))
    shape = (*batch, max(height, 16), max(width, 16), channels)
    to_height, to_width = _new_sides(draw, shape)
    return inputs(
        data=Draft(shape),
        width=to_width,
        height=to_height,
        area=draw(st.sampled_from(((0.25, 1.0), (0.5, 0.5)))),
        ratio=draw(st.sampled_from(((0.75, 1.25), (1.0, 1.0)))),
        interp=draw(st.integers(0, 2)),
    )
