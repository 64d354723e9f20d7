"""The order of simplicity, and the reductions of an input."""

from __future__ import annotations

from dataclasses import replace

import pytest

from autoperf.cases.release import Release
from autoperf.core.case import Case
from autoperf.core.outcome import PassName
from autoperf.hunt.edits import drafts
from autoperf.hunt.investigator import Shrinker, reductions, simplicity
from autoperf.rules.rule import Inputs, inputs, tensor
from tests.hunt.hunt_values import factory_of, point, timings_of, view_of, with_axis

# Each is simpler than the next, for any later part of the order.
ORDER: tuple[tuple[Inputs, str], ...] = (
    (inputs(data=[tensor(2)]), "float32"),
    (inputs(data=[tensor(64)]), "float32"),
    (inputs(data=[tensor(4000)]), "float32"),
    (inputs(data=[tensor(4096)]), "float32"),
    (inputs(data=[tensor(1, 2)]), "float32"),
    (inputs(data=[tensor(64, 64)]), "float32"),
    (inputs(data=[tensor(2, 2, 2)]), "float32"),
    (inputs(data=[tensor(2)]), "float64"),
    (inputs(data=[tensor(1), tensor(1)]), "float32"),
    (inputs(data=[tensor(1)], axis=0), "float32"),
)


def test_the_order_of_simplicity(release: Release) -> None:
    points = [point(release, "stack", call, dtype) for call, dtype in ORDER]
    assert sorted(points, key=simplicity) == points


@pytest.mark.parametrize(("odd", "round_"), [((63,), (64,)), ((37, 2), (40, 2)), ((129,), (128,))])
def test_among_about_as_many_elements_round_dimensions_are_simpler(
    release: Release, odd: tuple[int, ...], round_: tuple[int, ...]
) -> None:
    one, other = (simplicity(point(release, "exp", inputs(data=tensor(*shape)))) for shape in (odd, round_))
    assert one[-1] > other[-1] == 0


def test_sparse_storage_is_less_simple(release: Release) -> None:
    dense = point(release, "square", inputs(data=tensor(8, 8)))
    sparse = point(release, "square", inputs(data=tensor(8, 8, storage="csr", density=0.5)))
    assert simplicity(dense) < simplicity(sparse)


def test_everything_that_can_go_goes_in_turn(release: Release) -> None:
    call = inputs(data=tensor(4, 6), axis=1, k=4, is_ascend=True)
    found = list(reductions(point(release, "topk", call, "float64")))
    params = [one.params for one, _ in found]
    assert params[:3] == [
        {"k": 4, "is_ascend": True},
        {"axis": 1, "is_ascend": True},
        {"axis": 1, "k": 4},
    ]
    assert {dtype for _, dtype in found} == {"float32", "float64"}
    assert {"axis": 1, "k": 1, "is_ascend": True} in params
    assert {"axis": 1, "k": 3, "is_ascend": True} in params
    shapes = [[draft.shape for _, _, draft in drafts(one)] for one, _ in found]
    assert [(6,)] in shapes


def test_entries_of_a_shape_shrink_together_and_one_by_one(release: Release) -> None:
    call = inputs(data=tensor(1, 1), shape=(8, 6))
    shapes = [one.params.get("shape") for one, _ in reductions(point(release, "broadcast_to", call))]
    assert [shape for shape in shapes if shape and shape != (8, 6)][-3:] == [(1, 1), (4, 6), (8, 3)]


def test_lists_shrink_to_their_first_and_by_their_last(release: Release) -> None:
    lengths = [
        len(one.tensors["data"])  # type: ignore[arg-type]
        for one, _ in reductions(point(release, "stack", inputs(data=[tensor(2)] * 4)))
    ]
    assert lengths[:2] == [1, 3]


def test_every_reduction_of_what_rules_draw_is_simpler_or_refused(release: Release) -> None:
    for name in ("topk", "Pooling", "broadcast_add", "slice", "sum"):
        factory = factory_of(release, name)
        for one in factory.drawn("float32", "simpler", 6, 0):
            for other in factory.make(list(reductions(one))):
                if other and other.key != one.key:
                    assert len(other.call.params) <= len(one.call.params)
                    assert simplicity(other)[:2] <= simplicity(one)[:2]


@pytest.mark.parametrize(("dtypes", "tried"), [(("float16",), {"float16"}), ((), {"float16", "float32"})])
def test_a_plainer_dtype_is_tried_only_if_the_hunt_may(
    release: Release, dtypes: tuple[str, ...], tried: set[str]
) -> None:
    """`hunt --dtype float16` excludes other dtypes."""
    seen: set[str] = set()

    def slow_first_axis(case: Case, _pass: PassName) -> float:
        seen.add(case.inputs[0].tensor.dtype)
        return 1000.0 if case.params.get("axis") == 0 else 200.0

    timings, _ = timings_of(slow_first_axis, 600.0)
    finder = view_of(timings, factory_of(release, "softmax", replace(with_axis, dtypes=dtypes)))
    slow = point(release, "softmax", inputs(data=tensor(64, 64), axis=0), "float16")
    contrast = finder.best_contrast(slow, kinds=("axis",))
    assert contrast
    seen.clear()
    Shrinker(finder, contrast).result()
    assert seen == tried
