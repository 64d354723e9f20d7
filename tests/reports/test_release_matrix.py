"""What changed in which release, from separate runs."""

from __future__ import annotations

import msgspec
import pytest

from autoperf.core.outcome import Outcome, Pass, Status
from autoperf.reports.release_matrix import OperatorRatios, ReleaseFigures, operator_ratios, release_figures
from autoperf.reports.side_by_side import ReleaseRun
from tests.reports.report_values import report
from tests.values import PAIR, ended, measured, timed


def outcome(kernel: float, digest: str = "1", backward: Pass | None = None) -> Outcome:
    return measured("exp", "small", PAIR, timed(kernel, kernel + 9), backward, digest=digest)


def figures(*releases: list[Outcome]) -> list[ReleaseFigures]:
    return list(release_figures([ReleaseRun(f"1.{number}", report(run)) for number, run in enumerate(releases)]))


def changes(*releases: list[Outcome]) -> list[str]:
    return [step.sentence() for row in figures(*releases) for step in row.steps()]


def test_a_change_names_its_release_and_factor() -> None:
    assert changes([outcome(10)], [outcome(20)], [outcome(20.1)], [outcome(5)]) == [
        "2.00x slower in 1.1", "4.02x faster in 1.3",
    ]  # fmt: skip


@pytest.mark.parametrize("kernel", [10.0, 10.9, 9.3])
def test_less_than_a_tenth_is_no_change(kernel: float) -> None:
    assert changes([outcome(10)], [outcome(kernel)]) == []


def test_intervals_that_touch_are_no_change() -> None:
    wide = outcome(20)
    assert wide.forward
    assert wide.forward.kernel_us
    series = msgspec.structs.replace(wide.forward.kernel_us, low=10.0)
    wide = msgspec.structs.replace(wide, forward=msgspec.structs.replace(wide.forward, kernel_us=series))
    assert changes([outcome(10)], [wide]) == []


def test_a_release_without_a_figure_is_passed_over_with_its_reason() -> None:
    missing = msgspec.structs.replace(ended(Status.FAILED, "no operator exp", "exp"), case="exp/1")
    rows = figures([outcome(10)], [missing], [outcome(20)])
    assert [step.sentence() for step in rows[0].steps()] == ["2.00x slower in 1.2"]
    assert rows[0].reasons == ("", "failed: no operator exp", "")
    assert [rows[0].median(at) for at in range(3)] == [10, None, 20]


def test_ratios_are_to_the_first_release_that_has_a_figure() -> None:
    missing = msgspec.structs.replace(ended(Status.FAILED, "no operator exp", "exp"), case="exp/1")
    (row,) = figures([missing], [outcome(10)], [outcome(20)])
    assert [row.ratio(at) for at in range(3)] == [None, 1.0, 2.0]


def test_a_backward_pass_has_figures_of_its_own() -> None:
    rows = figures([outcome(10, backward=timed(3, 9))], [outcome(10)])
    assert [(row.pass_, row.ratio(1)) for row in rows] == [("forward", 1.0), ("backward", None)]


def test_an_operator_has_the_geometric_mean_and_the_changes_that_its_cases_agree_on() -> None:
    (row,) = operator_ratios(figures([outcome(10, "1"), outcome(10, "2")], [outcome(20, "1"), outcome(80, "2")]))
    assert row.ratios == pytest.approx((1.0, 4.0))
    assert [step.sentence() for step in row.steps] == ["4.00x slower in 1.1"]
    (mixed,) = operator_ratios(figures([outcome(10, "1"), outcome(10, "2")], [outcome(20, "1"), outcome(5, "2")]))
    assert mixed == OperatorRatios("exp", "broadcast", "forward", (1.0, pytest.approx(1.0)), ())  # type: ignore[arg-type]
