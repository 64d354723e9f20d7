"""The operations of pooling over regions, against counts by loops over regions that were drawn."""

from __future__ import annotations

import math
import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest

from autoperf.backends.contents import fill
from autoperf.core.case import Case
from autoperf.core.tensors import ArrayType, Boxes, Literal_, Uniform
from autoperf.rules.operators.pooling import (
    INTERPOLATION_FLOPS,
    SCENES,
    aligned_flops,
    deformable_flops,
    elements_averaged,
    elements_pooled,
    nonempty_cells,
    rotated_flops,
    rotated_within_images,
)
from tests.values import case, inputs, tensor

TOLERANCE = 0.1
"""As the regions of one draw are."""
CELLS = (3, 5)
SCALE = 1 / 16
REGIONS = 10_000
IMAGE = Boxes(width=640.0, height=480.0, lead=((0, 1),))
MAPS = {"whole": (30, 40), "low": (3, 40), "narrow": (30, 4)}
Span = Callable[[float, float, int, int], int]


def pooled(height: int, width: int, size: tuple[int, int] = CELLS, **params: float) -> Case:
    """A call with two channels on a map that is the image, or smaller, with the same regions."""
    shapes = {"data": tensor(1, 2, height, width), "rois": tensor(REGIONS, 5, content=IMAGE)}
    return case(
        "ROIPooling",
        inputs=inputs(**shapes),
        params={"pooled_size": size, "spatial_scale": SCALE, **params},
        outputs=(ArrayType((REGIONS, 2, *size), "float32"),),
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


def averaged(start: float, end: float, cells: int, length: int) -> int:
    """The elements of a map in all cells, as MXNet's psroi_pooling.cc bounds them."""
    first, last = round(start) * SCALE, (round(end) + 1) * SCALE
    size = max(last - first, 0.1) / cells
    bounds = ((math.floor(first + cell * size), math.ceil(first + (cell + 1) * size)) for cell in range(cells))
    return sum(max(0, min(length, high) - max(0, low)) for low, high in bounds)


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
def test_elements_of_cells_between_elements(shape: tuple[int, int]) -> None:
    assert elements_averaged(pooled(*shape)) == pytest.approx(2 * summed(*shape, averaged), rel=TOLERANCE)


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
    (_, channels, side, width), regions = SCENES["large"]
    maps = {"data": tensor(1, channels, side, width), "rois": tensor(regions, 6)}
    rotated = case("_contrib_RROIAlign", inputs=inputs(**maps), params={"spatial_scale": SCALE})
    content = rotated_within_images(rotated)["rois"]

    def flops(height: int) -> float:
        shapes = {"data": tensor(1, channels, height, width), "rois": tensor(regions, 6, content=content)}
        params = {"pooled_size": CELLS, "spatial_scale": SCALE, "sampling_ratio": 2}
        outputs = (ArrayType((regions, channels, *CELLS), "float32"),)
        return rotated_flops(case("_contrib_RROIAlign", inputs=inputs(**shapes), params=params, outputs=outputs))

    whole = regions * channels * math.prod(CELLS) * 2**2 * INTERPOLATION_FLOPS
    assert flops(side) == whole
    assert flops(side // 2) == whole / 2
    assert flops(1) == 0


def given(content: Literal_ | Uniform, size: tuple[int, int] = CELLS) -> Case:
    """Four regions on a map of 6 x 10 with two channels."""
    shapes = {"data": tensor(1, 2, 6, 10), "rois": tensor(4, 5, content=content)}
    return case(
        "ROIPooling",
        inputs=inputs(**shapes),
        params={"pooled_size": size, "spatial_scale": SCALE},
        outputs=(ArrayType((4, 2, *size), "float32"),),
    )


def test_listed_regions_are_counted_as_they_are() -> None:
    rows = (0.0, 16.0, 0.0, 79.0, 47.0, 0.0, 0.0, 32.0, 159.0, 95.0)
    both = sum(elements(y, end_y, 3, 6) for y, end_y in ((0.0, 47.0), (32.0, 95.0))) / 2
    across = sum(elements(x, end_x, 5, 10) for x, end_x in ((16.0, 79.0), (0.0, 159.0))) / 2
    assert elements_pooled(given(Literal_(rows))) == 4 * 2 * both * across


@pytest.mark.parametrize("content", [Uniform(), Literal_((3.0,))])
def test_regions_given_otherwise_are_whole_maps(content: Literal_ | Uniform) -> None:
    assert elements_pooled(given(content)) == 4 * 2 * elements(0, 96, 3, 6) * elements(0, 160, 5, 10)


def test_many_cells_take_little_memory() -> None:
    cells = 50_000
    tracemalloc.start()
    counted = elements_pooled(pooled(30, 40, size=(cells, 1)))
    assert tracemalloc.get_traced_memory()[1] < 100e6
    tracemalloc.stop()
    assert counted >= REGIONS * 2 * cells * 30 * 0.1
    assert elements_pooled(given(Uniform(), (0, 3))) == 0
