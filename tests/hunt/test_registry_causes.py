"""The findings of several operators with one explanation are one cause, and calls that are common rank first."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from autoperf.core.case import Case
from autoperf.core.finding import CauseRanking, CommonTime, Finding
from autoperf.core.operator import Value
from autoperf.hunt.registry_causes import common_time, is_broadcast, is_elementwise, ranking, trait_of
from autoperf.hunt.stored import read_hunt
from autoperf.hunt.timings import Times
from tests.finding_values import finding
from tests.kept_hunts import LOGS, kept_log, name_of
from tests.values import case, inputs, tensor


def stored(name: str) -> CauseRanking:
    """The ranking of a kept hunt."""
    return ranking(read_hunt(kept_log(name)).findings)


@pytest.mark.parametrize("log", LOGS, ids=name_of)
def test_each_stored_finding_is_in_one_place_in_any_order(log: Path) -> None:
    findings = read_hunt(log).findings
    ranked = ranking(findings)
    assert sorted(ranked.order) == sorted(findings)
    assert ranked == ranking(dict(reversed(findings.items())))
    assert [cause.cost for cause in ranked.causes] == sorted((cause.cost for cause in ranked.causes), reverse=True)
    for cause in ranked.causes:
        assert set(cause.ratios) == {findings[reference].operator for reference in cause.findings}


@pytest.mark.parametrize(
    ("name", "words", "operators", "worst"),
    [
        ("1.9.1", "float16 is slower than float32 or float64", 316, "_contrib_RROIAlign"),
        ("1.9.1", "a dimension of one in broadcasting, backward", 18, "broadcast_div"),
        ("1.9.1", "an axis that isn't the last", 22, "_npi_insert_slice"),
        ("2.0.0b1", "float16 is slower than float32 or float64", 326, "broadcast_logical_or"),
        ("2.0.0b1-1.9.1", "a dimension of one in broadcasting, forward", 12, "broadcast_div"),
        ("2.0.0b1-1.9.1", "functions of each element, backward", 3, "_maximum"),
        ("1.9.1", "temperature is given", 3, "log_softmax"),
    ],
)
def test_stored_findings_have_causes(name: str, words: str, operators: int, worst: str) -> None:
    (cause,) = (cause for cause in stored(name).causes if cause.words == words)
    assert len(cause.ratios) == operators
    assert next(iter(cause.ratios)) == worst


def test_softmax_and_reductions_are_no_functions_of_each_element() -> None:
    named = {each.operator: each.case for each in read_hunt(kept_log("1.9.1-torch")).findings.values()}
    assert [name for name in ("clip", "log_softmax", "_np_any", "_np_sum", "rint") if is_elementwise(named[name])] == [
        *("clip", "rint")
    ]


def test_few_findings_of_all_operators_of_a_release_remain_their_own() -> None:
    assert len(stored("1.9.1").own) == 76
    assert stored("1.9.1").causes[0].ratio == pytest.approx(5.44, abs=0.01)


def of(operator: str, *shape: int, fast: Case | None = None, dtype: str = "float32", **params: Value) -> Finding:
    """A finding for one tensor, by default with a fast neighbour in float64."""
    slow = case(operator, *shape, dtype=dtype, params=params)
    return finding(slow, fast or case(operator, *shape, dtype="float64", params=params))


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (of("exp", 8, dtype="float16"), "float16 is slower than"),
        (of("exp", 8, dtype="uint8"), "int8 and uint8 are slower than"),
        (of("sum", 8, 32, fast=case("sum", 8, 32, params={"axis": 1}), axis=0), "an axis that isn't the last"),
        (of("sum", 8, 32, fast=case("sum", 8, 32, params={"axis": 0}), axis=-1), "the last axis"),
        (of("take", 8, fast=case("take", 8), mode="clip"), "mode=clip"),
        (of("take", 8, fast=case("take", 8), k=3), "k is given"),
        (of("exp", 512, 2, fast=case("exp", 2, 512)), "a last dimension of at most 16"),
    ],
)
def test_the_difference_of_both_inputs_is_the_trait(found: Finding, words: str) -> None:
    assert trait_of(found).words == words
    assert trait_of(found).holds(found.case)


def test_what_no_trait_explains_is_joined_by_its_kernel() -> None:
    found = {name: msgspec.structs.replace(of(name, 100, fast=case(name, 101)), kernels={"scan": 9.0}) for name in "ab"}
    (cause,) = ranking(found).causes
    assert (cause.words, cause.kernels, list(cause.ratios)) == ("calls of the kernel scan", ("scan",), ["a", "b"])
    assert ranking({"a": found["a"]}).own == ("a",)


def test_a_cause_names_the_kernels_that_all_of_its_findings_share() -> None:
    half = {name: of(name, 8, dtype="float16") for name in "abc"}
    found = {name: msgspec.structs.replace(each, kernels={"copy": 1.0, name: 2.0}) for name, each in half.items()}
    assert ranking(found).causes[0].kernels == ("copy",)
    found["c"] = half["c"]
    assert ranking(found | {"c": msgspec.structs.replace(half["c"], kernels={"c": 2.0})}).causes[0].kernels == ()


@pytest.mark.parametrize(
    ("shapes", "broadcasts"),
    [(((8, 64), (8, 1)), True), (((1,), (64,)), True), (((8, 64), (8, 64)), False), (((8, 64), (64, 8)), False)],
)
def test_operands_broadcast(shapes: tuple[tuple[int, ...], tuple[int, ...]], broadcasts: bool) -> None:
    first, second = (tensor(*shape) for shape in shapes)
    assert is_broadcast(case("add", inputs=inputs(lhs=first, rhs=second))) is broadcasts
    assert not is_broadcast(case("dense", inputs=inputs(data=first, weight=second)))


def test_a_common_call_that_is_slow_outranks_a_larger_ratio_of_an_uncommon_one() -> None:
    common = msgspec.structs.replace(of("trunc", 100, fast=case("negative", 100)), step="negative: both read once")
    uncommon = of("exp", 100, dtype="float16")
    ranked = ranking({"uncommon": uncommon, "common": common})
    assert ranked.own == ("common", "uncommon")
    assert ranked.costs["common"] == pytest.approx(1 - 1 / common.estimate.low)
    assert ranked.costs["uncommon"] == pytest.approx(0.1 * 3.074 / (1 + 0.1 * 3.074))


def test_measured_common_calls_replace_the_assumption() -> None:
    """Calls with the finding's axis lose their own time; without any, one call in ten takes longer in this pass."""
    calls = [
        (case("sum", 100, 50, params={"axis": 0}), Times(30.0, 10.0)),
        (case("sum", 100, 50, params={"axis": 1}), Times(50.0, 10.0)),
    ]
    last = case("sum", 64, 64, params={"axis": 1})
    axis = finding(case("sum", 64, 64, params={"axis": 0}), last)
    half = finding(case("sum", 64, 64, dtype="float16"), case("sum", 64, 64))
    alone = of("sum", 100, fast=case("sum", 101))
    timed = {
        name: msgspec.structs.replace(each, common=common_time(each, calls))
        for name, each in (("axis", axis), ("half", half), ("alone", alone))
    }
    assert timed["axis"].common == CommonTime(100.0, 80.0, 30.0)
    assert timed["half"].common == timed["alone"].common == CommonTime(100.0, 80.0, 0.0)
    lost = 0.1 * 80 * 3.074
    share = pytest.approx(lost / (100 + lost))
    assert ranking(timed).costs == {"axis": pytest.approx(0.3 * (1 - 1 / 4.074)), "half": share, "alone": share}
    assert ranking({**timed, "old": axis}).assumed == ("old",)
    assert common_time(msgspec.structs.replace(axis, pass_="backward"), [(last, Times(9.0, None))]) is None


def test_weights_rank_by_what_these_calls_lose() -> None:
    """Each call counts for the finding by which it loses most, in proportion to its elements."""
    last = case("sum", 100, 100, params={"axis": 1})
    axis = finding(case("sum", 100, 100, params={"axis": 0}), last)
    half = finding(case("exp", 100, dtype="float16"), case("exp", 100), ratio=50.0)
    lost_us = axis.actual_us - axis.expected_us

    def call(made: Case, count: int) -> Case:
        return msgspec.structs.replace(made, calls={"net": count}, training=False)

    calls = [call(case("sum", 200, 100, params={"axis": 0}), 3), call(last, 9), call(case("exp", 100), 9)]
    ranked = ranking({"half": half, "axis": axis}, calls)
    assert ranked.weighted
    assert ranked.own == ("axis", "half")
    assert ranked.costs == {"axis": pytest.approx(3 * 2 * lost_us / 1000), "half": 0.0}
    twice = [msgspec.structs.replace(calls[0], calls={"net": 3, "other": 4}), *calls[1:]]
    lost = ranking({"half": half, "axis": axis}, twice).lost
    assert list(lost.items()) == [
        ("other", {"axis": pytest.approx(4 * 2 * lost_us / 1000)}),
        ("net", {"axis": pytest.approx(3 * 2 * lost_us / 1000)}),
    ]
    backward = {"half": msgspec.structs.replace(half, pass_="backward")}
    assert ranking(backward, [call(case("exp", 100, dtype="float16"), 5)]).costs == {"half": 0.0}


def test_a_call_of_which_nothing_but_the_dtype_is_known_loses_only_if_it_is_the_slow_one() -> None:
    """The findings of older logs lack outputs, so that a call's inputs alone count."""
    narrow = msgspec.structs.replace(case("exp", 1, 3, 1000, params={"k": 2}), outputs=())
    found = {"a": finding(narrow, case("exp", 1, 1000, 3, params={"k": 3}))}
    lost_ms = (found["a"].actual_us - found["a"].expected_us) / 1000
    for called, lost in (
        (narrow, lost_ms),
        (case("exp", 1, 3, 1000, params={"k": 2}), lost_ms),
        (case("exp", 9, 9), 0.0),
    ):
        counted = msgspec.structs.replace(called, calls={"net": 1}, training=False)
        assert ranking(found, [counted]).costs == {"a": pytest.approx(lost)}
