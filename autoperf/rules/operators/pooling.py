"""Pooling over sliding windows, the whole image, an output size, or regions of interest."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from autoperf.core.case import Case
from autoperf.core.operator import Value
from autoperf.core.tensors import AnyContent, Boxes, Literal_, Patterned, Shape, Uniform
from autoperf.rules.arithmetic import OUTPUT, Derivative, Gradients, Image, arrays, by_gradient, images, windows
from autoperf.rules.rule import Canonical, Draft, Inputs, InputSpec, inputs, rule, tensor
from autoperf.rules.table import by_profile, sized, where_known
from autoperf.strategies import divisors, extents

pooling_rule = partial(rule, category="pooling")

LAYOUTS = {1: ("NCW", "NWC"), 2: ("NCHW", "NHWC"), 3: ("NCDHW", "NDHWC")}
POSITIVE = Uniform(0.1, 1.0)
POOLING_V1 = {
    "small": inputs(data=tensor(1, 3, 16, 16), kernel=(2, 2), stride=(2, 2), pool_type="max"),
    "common": inputs(data=tensor(1, 64, 32, 32), kernel=(2, 2), stride=(2, 2), pool_type="max"),
    "large": inputs(data=tensor(1, 16, 112, 112), kernel=(3, 3), stride=(2, 2), pad=(1, 1), pool_type="max"),
    "skewed": inputs(data=tensor(1, 1, 1000, 10), kernel=(7, 1), stride=(2, 1), pool_type="avg"),
    "global": inputs(data=tensor(1, 64, 14, 14), kernel=(1, 1), global_pool=True, pool_type="avg"),
}


@st.composite
def _sliding(draw: st.DrawFn, image: Image, kinds: tuple[str, ...]) -> Inputs:
    kind, window = draw(st.sampled_from(kinds)), draw(windows(image.spatial, dilated=False))
    convention = draw(st.sampled_from(("valid", "full")))
    if convention == "full":
        # Strides of at most kernel - pad, so that even a last, incomplete window has an element.
        parts = zip(window.stride, window.kernel, window.pad, strict=True)
        window = replace(window, stride=tuple(min(step, size - edge) for step, size, edge in parts))
    options = window.params(dilation=False)
    if kind == "lp":
        options["p_value"] = draw(st.integers(1, 3))
    if kind == "avg" and "lp" in kinds:
        options["count_include_pad"] = draw(st.booleans())
    return inputs(data=Draft(image.shape), pool_type=kind, pooling_convention=convention, **options)


def pooling_flops(case: Case) -> float:
    """One operation for each element of each window, padding counted: outputs times window.

    The number of outputs reflects conventions and padding. A global window is the image, for every kernel.
    """
    if case.flag("global_pool"):
        return float(case.elements("data"))
    return float(case.outputs[0].elements * math.prod(case.numbers("kernel")))


def pooling_backward_flops(case: Case, _gradients: Gradients) -> float:
    """One operation for each element of each window; of a maximum's window, one element gets a gradient."""
    is_maximum = case.params.get("pool_type", "max") == "max"
    return float(case.outputs[0].elements) if is_maximum else pooling_flops(case)


def powers_read(case: Case, gradients: Gradients) -> float:
    """The bytes of data and output, by which the derivative of a root of powers follows; places of maxima are saved."""
    is_root = case.params.get("pool_type") == "lp" and case.number("p_value") > 1
    return arrays("data", OUTPUT)(case, gradients) if is_root else 0.0


@pooling_rule(
    "Pooling",
    "_npx_pooling",
    canonical={
        "small": inputs(data=tensor(1, 3, 16, 16), kernel=(2, 2), stride=(2, 2), pool_type="max"),
        "common": inputs(data=tensor(1, 64, 32, 32), kernel=(2, 2), stride=(2, 2), pool_type="max"),
        "large": inputs(data=tensor(1, 64, 112, 112), kernel=(3, 3), stride=(2, 2), pad=(1, 1), pool_type="max"),
        "skewed": inputs(data=tensor(1, 1, 10_000, 10), kernel=(7, 1), stride=(2, 1), pool_type="avg"),
        "average": inputs(data=tensor(1, 64, 56, 56), kernel=(3, 3), stride=(2, 2), pad=(1, 1), pool_type="avg"),
        "global": inputs(data=tensor(1, 512, 14, 14), global_pool=True, pool_type="avg"),
        "channels_last": inputs(data=tensor(1, 56, 56, 64), kernel=(2, 2), stride=(2, 2), layout="NHWC"),
        "line": inputs(data=tensor(4, 32, 512), kernel=(3,), stride=(2,), pool_type="max"),
        "volume": inputs(data=tensor(1, 8, 16, 28, 28), kernel=(2, 2, 2), stride=(2, 2, 2), pool_type="max"),
    },
    flops=pooling_flops,
    backward=Derivative(powers_read, pooling_backward_flops),
    contents=lambda case: {"data": POSITIVE} if case.params.get("pool_type") == "lp" else {},
)
def pooling(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Windows no larger than the padded image, with padding below their size, so that each contains an element.

    All four layouts' kinds run on a CPU: channels first or last, 1 to 3 dimensions.
    """
    image = draw(images(spec.elements))
    way = draw(st.sampled_from(("sliding", "sliding", "sliding", "global", "same")))
    if way == "same" and len(image.spatial) == 1:
        # No padding, which is spelled with three zeros, and a sum, which oneDNN lacks.
        window = draw(windows(image.spatial, dilated=False))
        places: dict[str, Value] = {"kernel": window.kernel, "stride": window.stride, "pad": (0, 0, 0)}
        return inputs(data=Draft(image.shape), pool_type="sum", pooling_convention="same", **places)
    kinds = ("max", "avg", "sum", "lp")
    if way == "global":
        kind = draw(st.sampled_from(kinds))
        power = {"p_value": draw(st.integers(1, 3))} if kind == "lp" else {}
        call = inputs(data=Draft(image.shape), pool_type=kind, global_pool=True, **power)
    else:
        call = draw(_sliding(image, kinds))
    layout = draw(st.sampled_from(LAYOUTS[len(image.spatial)]))
    shape = image.channels_last if layout.endswith("C") else image.shape
    return Inputs({"data": Draft(shape)}, {**call.params, "layout": layout})


@pooling_rule(
    "Pooling_v1", canonical=POOLING_V1, flops=pooling_flops, backward=Derivative(flops=pooling_backward_flops)
)
def pooling_v1(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """The first pooling: only (N, C, height, width); even global pooling needs a kernel."""
    image = draw(images(spec.elements, dims=(2, 2)))
    call = draw(_sliding(image, ("max", "avg", "sum")))
    return replace(call, params={**call.params, "global_pool": draw(st.booleans())})


def adaptive_flops(case: Case) -> float:
    """One operation for each element of each window, of about ceil(extent / outputs) in each dimension."""
    parts = zip(case.shape("data")[2:], case.outputs[0].shape[2:], strict=True)
    return float(case.outputs[0].elements * math.prod(-(-extent // count) for extent, count in parts))


@pooling_rule(
    "_contrib_AdaptiveAvgPooling2D",
    canonical={
        "small": inputs(data=tensor(1, 3, 16, 16), output_size=(4, 4)),
        "common": inputs(data=tensor(1, 64, 32, 32), output_size=(7, 7)),
        "large": inputs(data=tensor(1, 64, 112, 112), output_size=(7, 7)),
        "skewed": inputs(data=tensor(1, 1, 10_000, 10), output_size=(100, 1)),
        "global": inputs(data=tensor(1, 512, 14, 14), output_size=(1,)),
    },
    flops=adaptive_flops,
    backward=Derivative(flops=lambda case, _gradients: adaptive_flops(case)),
)
def adaptive_average_pooling(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """(N, C, height, width) to any height and width, also larger ones; one number is both, none fails on 2.0."""
    image = draw(images(spec.elements, dims=(2, 2)))
    room = int((spec.elements // (image.batch * image.channels)) ** 0.5)
    sides = draw(st.integers(1, 2))
    size = tuple(draw(extents(1, max(1, min(room, 2 * max(image.spatial))))) for _ in range(sides))
    return inputs(data=Draft(image.shape), output_size=size)


STRIDE = 16
SCALE = 1 / STRIDE
INTERPOLATION_FLOPS = 8
"""A bilinear sample sums four products."""
STARTS, SHARES = ((np.arange(count) + 0.5) / count for count in (256, 16))
"""Numbers of the unit interval, at equal distances, in place of random ones."""
MAX_CELLS = 2**18
"""The maximum number of cells that are counted one by one, unless a region has more."""
MIN_SIDE = 0.1
"""The least side of boxes that are drawn, as a share of the space from their start to the image's end."""

Numbers: TypeAlias = npt.NDArray[np.float64]
CellCount: TypeAlias = Callable[[Numbers, Numbers, int, int], Numbers]
"""Counts along an axis what regions from starts to ends have in so many cells, on a map of that length."""


def _spans(case: Case, axis: int) -> tuple[Numbers, Numbers]:
    """The starts and ends of regions along the height (0) or the width (1), in elements of the map.

    Drawn boxes start anywhere in their image and end anywhere beyond. Regions with other numbers are as the whole map.
    """
    rois = case.tensor("rois")
    columns = rois.shape[-1]
    content = rois.content.content if isinstance(rois.content, Patterned) else rois.content
    scale = float(str(case.params.get("spatial_scale", 1.0)))
    if isinstance(content, Boxes):
        start, share = np.meshgrid((1 - MIN_SIDE) * STARTS, MIN_SIDE + (1 - MIN_SIDE) * SHARES)
        image = scale * (content.height, content.width)[axis]
        return image * start.ravel(), image * (start + (1 - start) * share).ravel()
    if isinstance(content, Literal_) and columns in (5, 6) and len(content.values) % columns == 0:
        first, second = (scale * np.array(content.values[at - axis :: columns]) for at in (2, 4))
        # Five columns are the image and two corners, six the image, the middle, the sides and an angle.
        return (first, second) if columns == 5 else (first - second / 2, first + second / 2)
    return np.zeros(1), np.full(1, float(case.shape("data")[2 + axis]))


def _over_regions(count: CellCount) -> Callable[[Case], float]:
    """Multiplies the mean counts along both axes, and sums them over regions and output channels."""

    def counted(case: Case) -> float:
        if not case.outputs[0].elements:
            return 0.0
        means = []
        for axis, (cells, length) in enumerate(zip(case.outputs[0].shape[2:], case.shape("data")[2:], strict=True)):
            spans = _spans(case, axis)
            # Fewer regions where there are many cells, which take memory; odd, so that all starts take part.
            step = len(spans[0]) * cells // MAX_CELLS | 1
            starts, ends = (limits[::step] for limits in spans)
            means.append(float(count(starts, ends, cells, length).mean()))
        return case.outputs[0].elements / math.prod(case.outputs[0].shape[2:]) * math.prod(means)

    return counted


def _cell_sizes(starts: Numbers, ends: Numbers, cells: int, length: int) -> Numbers:
    """The elements of the map in each cell, of shape (regions, cells): those at its edges are in both cells."""
    first = np.rint(starts)[:, None]
    size = (np.rint(ends)[:, None] - first + 1) / cells
    low, high = first + np.floor(np.arange(cells) * size), first + np.ceil(np.arange(1, cells + 1) * size)
    sizes: Numbers = np.clip(high, 0, length) - np.clip(low, 0, length)
    return sizes


def _averaged(starts: Numbers, ends: Numbers, cells: int, length: int) -> Numbers:
    """The elements in all cells whose edges aren't rounded: those at an edge are in both cells."""
    edges = starts[:, None] + np.maximum(ends - starts, 0.1)[:, None] * (np.arange(cells + 1) / cells)
    low, high = np.clip(np.floor(edges[:, :-1]), 0, length), np.clip(np.ceil(edges[:, 1:]), 0, length)
    in_all: Numbers = (high - low).sum(1)
    return in_all


def _sampling(name: str, default: int) -> Callable[[Case], float]:
    """The operations of samples on the map: so many along each axis of a cell, or, below 1, about one an element."""

    def flops(case: Case) -> float:
        each = case.number(name, default)

        def samples(starts: Numbers, ends: Numbers, cells: int, length: int) -> Numbers:
            extent = np.maximum(ends - starts, 1.0)
            of_region = cells * (each if each > 0 else np.ceil(extent / cells))
            to_end, to_start = (np.floor((edge - starts) / extent * of_region + 0.5) for edge in (length, 0))
            inside: Numbers = np.clip(to_end, 0, of_region) - np.clip(to_start, 0, of_region)
            return inside

        return INTERPOLATION_FLOPS * _over_regions(samples)(case)

    return flops


elements_pooled = _over_regions(lambda *regions: _cell_sizes(*regions).sum(1))
"""One operation for each element of each cell."""
elements_averaged = _over_regions(_averaged)
"""One operation for each element of each cell, where edges of cells lie between elements."""
nonempty_cells = _over_regions(lambda *regions: (_cell_sizes(*regions) != 0).sum(1))
"""One operation for each cell on the map, whose maximum gets the gradient."""
aligned_flops = _sampling("sample_ratio", -1)
rotated_flops = _sampling("sampling_ratio", -1)
deformable_flops = _sampling("sample_per_part", 1)


def _of_map(flops: Callable[[Case], float]) -> Derivative:
    """A backward pass of so many operations; regions get no gradient."""
    read = by_gradient(data=("rois", "trans"), trans=("rois", "trans", "data"))
    return Derivative(read, lambda case, _gradients: flops(case), zero=("rois",))


def _images(case: Case) -> tuple[int, float, float]:
    """The number, width and height of the images, of which the map has `spatial_scale` times as many places."""
    batch, _, height, width = case.shape("data")
    scale = float(str(case.params.get("spatial_scale", 1.0)))
    return max(batch, 1), width / scale, height / scale


def within_images(case: Case) -> Mapping[str, AnyContent]:
    """Regions anywhere in their images."""
    batch, wide, high = _images(case)
    return {"rois": Boxes(wide, high, lead=((0, batch),))}


def rotated_within_images(case: Case) -> Mapping[str, AnyContent]:
    """12 different rotated regions in the middle of their images."""
    batch, wide, high = _images(case)
    rows = [
        (float(turn % batch), wide / 2, high / 2, wide / 4 + turn, high / 4 + turn, 30.0 * turn) for turn in range(12)
    ]
    return {"rois": Literal_(tuple(number for row in rows for number in row))}


Scene: TypeAlias = tuple[Shape, int]
"""Feature maps (N, C, height, width) of images that are 16 times as large, and the number of regions in them."""
SCENES: Mapping[str, Scene] = by_profile(
    ((1, 8, 8, 8), 4), ((1, 32, 32, 32), 16), ((1, 64, 64, 64), 64), ((1, 1, 1000, 10), 100)
)


def _everywhere(build: Callable[[Scene], Inputs]) -> Canonical:
    return sized(lambda _spec, scene: build(scene), SCENES)


@st.composite
def _scenes(draw: st.DrawFn, elements: int, cells: int, groups: int = 1) -> Scene:
    """A scene whose features, and whose output of `cells` for each region and channel, stay within the budget."""
    channels = groups * draw(extents(1, max(1, min(64 // groups, elements // groups))))
    batch = draw(st.integers(1, 4))
    side = max(1, int((elements // (batch * channels)) ** 0.5))
    height, width = draw(extents(1, side)), draw(extents(1, side))
    regions = draw(extents(1, max(1, min(128, elements // (channels * cells)))))
    return (batch, channels, height, width), regions


GRIDS = st.tuples(st.integers(1, 7), st.integers(1, 7))
"""The rows and columns of cells into which a region is divided."""


def _pooled(scene: Scene, columns: int = 5, /, **params: Value) -> Inputs:
    """A region is its image and two corners, or with 6 columns its image, centre, width, height and degrees."""
    features, regions = scene
    options: dict[str, Value] = {"pooled_size": (7, 7), "spatial_scale": SCALE, **params}
    return inputs(data=Draft(features), rois=Draft((regions, columns)), **options)


@pooling_rule(
    "ROIPooling",
    "_npx_roi_pooling",
    canonical=_everywhere(_pooled),
    flops=elements_pooled,
    backward=_of_map(nonempty_cells),
    contents=within_images,
)
def roi_pooling(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """The maximum over each cell of each region."""
    size = draw(GRIDS)
    return _pooled(draw(_scenes(spec.elements, size[0] * size[1])), pooled_size=size)


@pooling_rule(
    "_contrib_ROIAlign",
    canonical=_everywhere(_pooled),
    flops=aligned_flops,
    backward=_of_map(aligned_flops),
    contents=within_images,
)
def roi_align(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Bilinear samples in each cell; position-sensitive, the cells divide the channels."""
    size, sensitive = draw(GRIDS), draw(st.booleans())
    cells = size[0] * size[1]
    scene = draw(_scenes(spec.elements, cells, groups=cells if sensitive else 1))
    samples = draw(st.sampled_from((-1, 1, 2)))
    aligned = where_known(spec, aligned=draw(st.booleans()))
    return _pooled(scene, pooled_size=size, sample_ratio=samples, position_sensitive=sensitive, **aligned)


@pooling_rule(
    "_contrib_RROIAlign",
    canonical=_everywhere(lambda scene: _pooled(scene, 6)),
    flops=rotated_flops,
    contents=rotated_within_images,
)
def rotated_roi_align(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Bilinear samples in each cell of rotated regions."""
    size = draw(GRIDS)
    scene = draw(_scenes(spec.elements, size[0] * size[1]))
    return _pooled(scene, 6, pooled_size=size, sampling_ratio=draw(st.sampled_from((-1, 1, 2))))


def _sensitive(scene: Scene, groups: int = 7, **params: Value) -> Inputs:
    (batch, channels, *sides), regions = scene
    classes = max(1, channels // groups**2)
    options: dict[str, Value] = {"spatial_scale": SCALE, "pooled_size": groups, "group_size": groups, **params}
    data = Draft((batch, classes * groups**2, *sides))
    return inputs(data=data, rois=Draft((regions, 5)), output_dim=classes, **options)


def _deformed(scene: Scene, groups: int = 7, **params: Value) -> Inputs:
    return _sensitive(scene, groups, no_trans=True, sample_per_part=2, **params)


@pooling_rule(
    "_contrib_PSROIPooling",
    canonical=_everywhere(_sensitive),
    flops=elements_averaged,
    backward=_of_map(elements_averaged),
    dims={"data": "_ output_dim*group_size|pooled_size*group_size|pooled_size+ _ _"},
    contents=within_images,
)
def position_sensitive_pooling(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """The mean over each cell, from output_dim * group_size ** 2 channels."""
    groups = draw(st.integers(1, 7))
    return _sensitive(draw(_scenes(spec.elements, 1, groups=groups * groups)), groups)


@pooling_rule(
    "_contrib_DeformablePSROIPooling",
    canonical=_everywhere(_deformed),
    flops=deformable_flops,
    backward=_of_map(deformable_flops),
    dims={
        "data": "_ output_dim*group_size*group_size+ _ _",
        "rois": "r _",
        "trans": "r 2*_ part_size|pooled_size part_size|pooled_size",
    },
    contents=within_images,
)
def deformable_pooling(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Position-sensitive samples, shifted by two learnt numbers for each class, region and part, or not."""
    groups = draw(st.integers(1, 7))
    scene = draw(_scenes(spec.elements, 2, groups=groups * groups))
    if draw(st.booleans()):
        return _deformed(scene, groups)
    call = _sensitive(scene, groups, sample_per_part=2, part_size=groups, trans_std=0.1)
    features, regions = scene
    classes = draw(divisors(features[1] // groups**2))
    return Inputs({**call.tensors, "trans": Draft((regions, 2 * classes, groups, groups))}, call.params)
