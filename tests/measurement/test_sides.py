"""Cases made once for two releases: what is chosen, under which name, and what one of them lacks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

from autoperf.cases.build import Recipe
from autoperf.cases.release import Release
from autoperf.cases.selection import Selection
from autoperf.core.case import Case, Input
from autoperf.core.errors import UnknownNameError, UsageError
from autoperf.core.outcome import Status
from autoperf.core.tensors import TensorSpec, Uniform
from autoperf.measurement.batches import OperatorBatches
from autoperf.measurement.side_batches import group_batches, selected_batches
from autoperf.measurement.sides import Side, label_sides, select_operators, targets_by_side, with_counterparts
from autoperf.registry.calls import Completion, InferenceCall
from autoperf.registry.client import RegistryClient
from tests.values import case, inputs, tensor

SMALL = Recipe(draws=1, profiles=frozenset({"small"}))


@pytest.fixture(scope="module")
def sides(release: Release, next_release: Release) -> list[Side]:
    return label_sides([release, next_release])


class Refusing(RegistryClient):
    """No case that one of these releases takes is refused by the other's inference today."""

    def complete(self, calls: Sequence[InferenceCall]) -> list[Completion]:
        return [Completion(error="groups must be even") for _ in calls]


def row_of(sides: list[Side], name: str, recipe: Recipe = SMALL) -> OperatorBatches:
    (found,) = selected_batches(sides, select_operators(sides, Selection(operators=(name,))), recipe)
    return found


def reasons(row: OperatorBatches, side: int) -> set[str]:
    return {outcome.reason for outcome in row[side].skipped}


def stored(operator: str, **params: object) -> Iterator[Case]:
    data = Input("data", TensorSpec((4, 4), "float32", Uniform(-1.0, 1.0)))
    yield Case(operator=operator, category="unary", profile="user", inputs=(data,), params=params)  # type: ignore[arg-type]


def test_releases_of_one_version_are_numbered(release: Release, next_release: Release) -> None:
    assert [side.label for side in label_sides([release, next_release, release])] == ["1.9.1", "2.0.0b1", "1.9.1-2"]


def test_each_operator_is_chosen_once_by_the_first_release_that_covers_it(sides: list[Side]) -> None:
    chosen = {
        one.target.operator.name: one.source.label for one in select_operators(sides, Selection(operators=("*cumsum",)))
    }
    assert chosen == {"_np_cumsum": "1.9.1"}
    chosen = {
        one.target.operator.name: one.source.label
        for one in select_operators(sides, Selection(categories=("bitwise",)))
    }
    assert chosen["_npi_bitwise_and"] == "1.9.1"
    assert chosen["_npi_bitwise_left_shift"] == "2.0.0b1"


def test_a_name_must_be_known_to_one_release(sides: list[Side]) -> None:
    both = Selection(operators=("exp", "_npi_bitwise_left_shift"))
    assert [[target.operator.name for target in listed] for listed in targets_by_side(sides, both)] == [
        ["exp"],
        ["_npi_bitwise_left_shift", "exp"],
    ]
    with pytest.raises(UnknownNameError, match="did you mean"):
        targets_by_side(sides, Selection(operators=("exp", "exq")))
    with pytest.raises(UsageError, match="no operator is"):
        targets_by_side(sides, Selection(operators=("exp",), categories=("pooling",)))


def test_what_another_release_calls_otherwise_is_found(sides: list[Side]) -> None:
    found = targets_by_side(sides, Selection(operators=("_sg_onednn_conv",)))
    names = [[target.operator.name for target in listed] for listed in with_counterparts(sides, found)]
    assert names == [["_sg_mkldnn_conv"], ["_sg_onednn_conv"]]


def test_both_run_the_same_cases(sides: list[Side]) -> None:
    first, second = row_of(sides, "broadcast_add")
    assert first.jobs == second.jobs
    assert [job.case.profile for job in first.jobs] == ["small"]
    assert first.skipped == second.skipped == ()


def test_a_renamed_operator_runs_under_the_name_that_both_know(sides: list[Side]) -> None:
    first, second = row_of(list(reversed(sides)), "_npi_cumsum")
    assert {job.case.operator for job in (*first.jobs, *second.jobs)} == {"cumsum"}
    assert first.jobs == second.jobs


def test_an_operator_that_a_release_lacks_is_skipped_by_case(sides: list[Side]) -> None:
    first, second = row_of(sides, "_npi_bitwise_left_shift")
    assert first.jobs == ()
    assert reasons((first, second), 0) == {"MXNet 1.9.1 has no operator _npi_bitwise_left_shift"}
    assert [outcome.case for outcome in first.skipped] == [job.case.id for job in second.jobs]
    assert all(outcome.status is Status.SKIPPED and outcome.inputs for outcome in first.skipped)


def test_a_parameter_that_a_release_does_not_know_is_no_case(sides: list[Side]) -> None:
    row = group_batches(sides, tuple(stored("exp", speed=3)))
    assert [batch.jobs for batch in row] == [(), ()]
    assert reasons(row, 1) == {"MXNet 2.0.0b1 has no parameter speed of exp"}
    row = group_batches(sides, tuple(stored("broken")))
    assert reasons(row, 0) == {"MXNet 1.9.1 has no operator broken"}


def test_tensors_of_a_file_that_do_not_fit_are_skipped(sides: list[Side]) -> None:
    shapes = {"data1": tensor(1, 3, 8, 8), "data2": tensor(1, 4, 8, 8)}
    row = group_batches(sides, [case("Correlation", inputs=inputs(**shapes))])
    assert [batch.jobs for batch in row] == [(), ()]
    (reason,) = reasons(row, 0)
    assert reason.startswith(
        "c of data2 (n c h w) is 4, and in data1 it is 3; MXNet 1.9.1's inference doesn't check it"
    )


def test_a_parameter_that_one_release_takes_and_the_other_does_not(sides: list[Side]) -> None:
    row = row_of(sides, "_npi_concatenate")
    assert row[0].jobs
    assert row[1].jobs == ()
    assert reasons(row, 1) == {"MXNet 2.0.0b1 has no parameter axis of _npi_concatenate"}


def test_what_was_not_made_says_by_which_release(sides: list[Side]) -> None:
    first, second = row_of(sides, "dot", Recipe(draws=0, profiles=SMALL.profiles, max_bytes=8))
    assert first.jobs == second.jobs == ()
    (said,) = reasons((first, second), 0)
    assert reasons((first, second), 1) == {f"under MXNet 1.9.1, which the cases were made with: {said}"}


def test_a_parameter_that_the_rule_gives_need_not_be_listed(sides: list[Side]) -> None:
    operator = sides[0].operators["_linspace"]
    assert operator.parameter("num") is None
    for batch in row_of(sides, "_linspace", Recipe(draws=20)):
        assert any("endpoint" in job.case.params for job in batch.jobs)
        assert batch.skipped == ()


def test_inputs_that_a_release_refuses_are_skipped_with_its_words(sides: list[Side]) -> None:
    first, second = sides
    wary = Side(second.label, replace(second.release, client=Refusing(first.release.backend, first.release.library)))
    row = row_of([first, wary], "GroupNorm")
    assert row[0].jobs
    assert row[1].jobs == ()
    assert reasons(row, 1) == {"MXNet 2.0.0b1 refuses these inputs: groups must be even"}


def test_a_graph_that_one_release_holds_and_the_other_does_not(sides: list[Side]) -> None:
    row = row_of(sides, "_sg_mkldnn_selfatt_valatt")
    assert row[0].jobs
    assert row[1].jobs == ()
    assert reasons(row, 1) == {"MXNet 2.0.0b1 runs _sg_mkldnn_selfatt_valatt without a graph (graph)"}


def test_layers_need_the_python_package(sides: list[Side]) -> None:
    recipe = Recipe(draws=0, profiles=frozenset({"imperative", "static"}))
    first, second = row_of(sides, "gluon.nn.Dense", recipe)
    assert [job.case.profile for job in first.jobs] == ["imperative", "static"]
    assert not second.jobs
    (reason,) = {outcome.reason for outcome in second.skipped}
    assert reason.startswith("MXNet 2.0.0b1 can't run layers of Gluon without the Python package, which is not in ")
