"""The operations of pooling over regions, against counts by loops over regions that were drawn."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from autoperf.backends.contents import fill
from autoperf.core.case import Case
from autoperf.core.tensors import ArrayType, Boxes, Literal_
from autoperf.rules.operators.roi_pooling import (
    INTERPOLATION_FLOPS,
    SCENES,
    aligned_flops,
    deformable_flops,
    elements_pooled,
    nonempty_cells,
    rotated_flops,
)
from tests.values import case, inputs, tensor

TOLERANCE = 0.1
TOLERANCE = 0.1
"""As the regions of one draw are."""
CELLS = (3, 5)
SCALE = 1 / 16
REGIONS = 10_000
IMAGE = Boxes(width=640.0, height=480.0, lead=((0, 1),))
MAPS = {"whole": (30, 40), "low": (3, 40), "narrow": (30, 4)}
Span = Callable[[float, float, int, int], int]


def pooled(height: int, width: int, **params: float | tuple[int, ...]) -> Case:
    """A call with two channels on a map that is the image, or smaller, with the same regions."""
    shapes = {"data": tensor(1, 2, height, width), "rois": tensor(REGIONS, 5, content=IMAGE)}
    return case(
        "ROIPooling",
        inputs=inputs(**shapes),
        params={"pooled_size": CELLS, "spatial_scale": SCALE, **params},
        outputs=(ArrayType((REGIONS, 2, *CELLS), "float32"),),
    )


def summed(height: int, width: int, count: Span) -> int:
    """The sum of products of counts along both axes, for each region."""
    rois = fill(IMAGE, (REGIONS, 5), "float32", np.random.default_rng(3))
    return sum(
        count(top, bottom, CELLS[0], height) * count(left, right, CELLS[1], width)
        for _, left, top, right, bottom in rois.tolist()
    )


def edges(start: float, end: float, cells: int, length: int) -> list[range]:
    """The elements of a map in each cell, as MXNet's roi_pooling.cc bounds them."""
    first, last = round(start * SCALE), round(end * SCALE)
    size = (last - first + 1) / cells
    bounds = [(first + math.floor(cell * size), first + math.ceil((cell + 1) * size)) for cell in range(cells)]
    return [range(max(0, low), min(length, high)) for low, high in bounds]


def elements(start: float, end: float, cells: int, length: int) -> int:
    return sum(map(len, edges(start, end, cells, length)))


def nonempty(start: float, end: float, cells: int, length: int) -> int:
    return sum(len(cell) > 0 for cell in edges(start, end, cells, length))


def samples(each: int) -> Span:
    """Counts the samples on the map of roi_align.cc: `each` along a cell, or one for each element of the map."""

    def count(start: float, end: float, cells: int, length: int) -> int:
        extent = max(1.0, (end - start) * SCALE)
        number = cells * (each if each > 0 else math.ceil(extent / cells))
        places = (start * SCALE + (place + 0.5) * extent / number for place in range(number))
        return sum(place <= length for place in places)

    return count


@pytest.mark.parametrize("shape", MAPS.values(), ids=MAPS)
def test_elements_of_cells(shape: tuple[int, int]) -> None:
    assert elements_pooled(pooled(*shape)) == pytest.approx(2 * summed(*shape, elements), rel=TOLERANCE)


@pytest.mark.parametrize("shape", MAPS.values(), ids=MAPS)
def test_each_cell_on_the_map_has_a_maximum(shape: tuple[int, int]) -> None:
    assert nonempty_cells(pooled(*shape)) == pytest.approx(2 * summed(*shape, nonempty), rel=TOLERANCE)


@pytest.mark.parametrize("each", [-1, 1, 2])
@pytest.mark.parametrize("shape", MAPS.values(), ids=MAPS)
def test_samples_of_aligned_cells(shape: tuple[int, int], each: int) -> None:
    flops = aligned_flops(pooled(*shape, sample_ratio=each))
    assert flops == pytest.approx(2 * INTERPOLATION_FLOPS * summed(*shape, samples(each)), rel=TOLERANCE)
    assert deformable_flops(pooled(*shape, sample_per_part=max(each, 1))) == aligned_flops(
        pooled(*shape, sample_ratio=max(each, 1))
    )


def test_rotated_regions_lie_in_the_middle_of_their_image() -> None:
    scene = SCENES["large"]
    content = scene.rotated.content
    assert isinstance(content, Literal_)

    def flops(height: int) -> float:
        shapes = {"data": tensor(1, 64, height, scene.width), "rois": tensor(scene.regions, 6, content=content)}
        params = {"pooled_size": CELLS, "spatial_scale": SCALE, "sampling_ratio": 2}
        outputs = (ArrayType((scene.regions, 64, *CELLS), "float32"),)
        return rotated_flops(case("_contrib_RROIAlign", inputs=inputs(**shapes), params=params, outputs=outputs))

    whole = scene.regions * 64 * math.prod(CELLS) * 2**2 * INTERPOLATION_FLOPS
    assert flops(scene.height) == whole
    assert flops(scene.height // 2) == whole / 2
    assert flops(1) == 0


def test_regions_given_otherwise_are_whole_maps() -> None:
    scores = case(
        "ROIPooling",
        inputs=inputs(data=tensor(1, 2, 6, 10), rois=tensor(4, 5)),
        params={"pooled_size": CELLS, "spatial_scale": SCALE},
        outputs=(ArrayType((4, 2, *CELLS), "float32"),),
    )
    assert elements_pooled(scores) > 0
