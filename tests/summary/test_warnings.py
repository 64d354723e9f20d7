"""Warnings, and the lines about the speed of the machine and its roofline."""

from __future__ import annotations

import datetime as dt

import msgspec
import pytest
from syrupy.assertion import SnapshotAssertion

from autoperf.core.machine import Roofline, Throughput
from autoperf.core.outcome import FigureWarning, Outcome, Pass, Series
from autoperf.reports.columns import View
from autoperf.reports.provenance import WARNINGS, load, pass_letters, roofline_line, run_warnings, speed_line, warnings
from autoperf.summary.runs import RunReport
from tests.reports.report_values import run_text, text_of
from tests.values import PAIR, measured, outcome, passed, series, stated, timed


def reaching(share: float, *reasons: FigureWarning, loops: int = 1, median: float = 10.0) -> Series:
    """A series whose interval reaches so far."""
    made = stated(median, 1.1 * median, reasons)
    return msgspec.structs.replace(made, low=median, high=(1 + share) * median, loops=loops)


def test_every_reason_but_the_load_has_a_letter_of_its_own() -> None:
    assert set(WARNINGS) == set(FigureWarning) - {FigureWarning.LOAD}
    assert len({letter for letter, _, _ in WARNINGS.values()}) == len(WARNINGS)


def test_both_clocks_and_passes_are_taken_together() -> None:
    forward = Pass(
        kernel_us=reaching(0, FigureWarning.THROTTLED), wall_us=reaching(0.3, FigureWarning.NOISY, FigureWarning.LOAD)
    )
    outcome = measured("exp", "small", PAIR, forward, Pass(wall_us=reaching(0, FigureWarning.SHORT)))
    assert warnings(forward) == (FigureWarning.NOISY, FigureWarning.THROTTLED)
    assert pass_letters(*outcome.passes.values()) == "nst"
    assert pass_letters(forward) == "nt"
    assert pass_letters(None) == ""
    assert warnings(None) == ()


@pytest.mark.parametrize(
    ("reason", "limit"), [(FigureWarning.NOISY, 0.25), (FigureWarning.DISAGREE, 0.06), (FigureWarning.DRIFT, 0.25)]
)
def test_noise_gives_a_warning_if_the_interval_is_wide(reason: FigureWarning, limit: float) -> None:
    assert warnings(Pass(wall_us=reaching(limit - 0.01, reason))) == ()
    assert warnings(Pass(wall_us=reaching(limit + 0.01, reason))) == (reason,)
    unknown = msgspec.structs.replace(reaching(0.01, reason), low=None, high=None)
    assert warnings(Pass(wall_us=unknown)) == (reason,)


def test_a_fraction_of_the_clocks_step_gives_no_warning() -> None:
    """A quarter of a microsecond, whatever share it is of the time."""
    assert warnings(Pass(kernel_us=reaching(0.12, FigureWarning.DISAGREE, median=2.0))) == ()
    assert warnings(Pass(kernel_us=reaching(0.13, FigureWarning.DISAGREE, median=2.0))) == (FigureWarning.DISAGREE,)
    coarse = [
        warnings(Pass(kernel_us=reaching(0, FigureWarning.RESOLUTION, median=2.0, loops=loops))) for loops in (4, 2)
    ]
    assert coarse == [(), (FigureWarning.RESOLUTION,)]


def test_disagreement_and_drift_replace_the_noise_warning() -> None:
    assert warnings(Pass(wall_us=reaching(0.3, FigureWarning.NOISY, FigureWarning.DISAGREE))) == (
        FigureWarning.DISAGREE,
    )
    assert warnings(Pass(wall_us=reaching(0.3, FigureWarning.NOISY, FigureWarning.DRIFT))) == (FigureWarning.DRIFT,)


def test_a_coarse_clock_gives_a_warning() -> None:
    assert warnings(Pass(kernel_us=reaching(0, FigureWarning.RESOLUTION, loops=2))) == ()
    assert warnings(Pass(kernel_us=reaching(0, FigureWarning.RESOLUTION, median=9.0))) == (FigureWarning.RESOLUTION,)


def test_a_case_counts_once_for_both_sides() -> None:
    throttled = measured("exp", "small", PAIR, Pass(wall_us=reaching(0, FigureWarning.THROTTLED)))
    short = measured("exp", "small", PAIR, Pass(wall_us=reaching(0, FigureWarning.SHORT, FigureWarning.THROTTLED)))
    assert legend([throttled, short], [throttled]) == ["s short (1 case)", "t throttled (2 cases)"]
    assert legend([throttled], [short])[1] == "t throttled (2 cases)"


def legend(*cases: list[Outcome]) -> list[str]:
    """The lines of the legend, without the meanings."""
    return [line.partition(":")[0] for line in run_warnings(cases).legend(cases)]


def crowd(*reaches: float, quiet: int = 0) -> list[Outcome]:
    """Cases that other programs disturbed, with intervals of this reach, and others."""
    runs = [Pass(wall_us=reaching(share, FigureWarning.CROWDED)) for share in reaches]
    runs += [Pass(wall_us=reaching(0.01))] * quiet
    return [measured(f"op{number}", "small", PAIR, run) for number, run in enumerate(runs)]


def test_what_many_cases_have_is_said_once_and_marks_only_rows_that_are_worse() -> None:
    outcomes = crowd(0.1, 0.1, 0.1, 0.3, quiet=3)
    report = RunReport(None, outcomes)
    assert [report.warnings.letters_of(outcome) for outcome in outcomes] == ["", "", "", "c", "", "", ""]
    text = " ".join(run_text(outcomes).split())
    assert "7 of 7 cases measured, warnings: crowded 4; the slowest" in text
    assert text.count("4 of 7 cases were disturbed (crowded 4): half of the cases have intervals that reach ±10%") == 1
    assert "codes mark only those beyond ±20% c crowded (1 case): other programs" in text
    # One of them less, and they are few.
    few = crowd(0.1, 0.1, 0.3, quiet=3)
    report = RunReport(None, few)
    assert [report.warnings.letters_of(outcome) for outcome in few] == ["c", "c", "c", "", "", ""]
    assert "warnings: crowded 3;" in run_text(few)


@pytest.mark.parametrize(("retaken", "told"), [(0, []), (20, []), (40, ["40%"])])
def test_a_machine_that_changes_its_speed_is_told_as_the_cause_in_a_disturbed_run(
    retaken: int, told: list[str]
) -> None:
    """Of 60 calls of a case: 20 by the wall clock, and ten groups of four with the profiler."""
    wall = msgspec.structs.replace(reaching(0.1, FigureWarning.CROWDED), count=20, retaken=retaken)
    run = Pass(wall_us=wall, kernel_us=msgspec.structs.replace(wall, count=10, loops=4))
    cases = [[measured(f"op{number}", "small", PAIR, run, run)] for number in range(4)]
    first, *others = run_warnings(cases).legend(cases)
    assert first.startswith("4 of 4 cases were disturbed")
    again = [line.partition(" of the timed calls were taken again, since the machine") for line in others]
    assert [share for share, words, _ in again if words] == told
    assert not list(run_warnings(cases[:1]).legend([]))


def test_at_most_a_tenth_of_the_rows_have_codes() -> None:
    outcomes = crowd(*(0.1 + number / 100 for number in range(50)), quiet=70)
    letters = [RunReport(None, outcomes).warnings.letters_of(outcome) for outcome in outcomes]
    assert letters == [""] * 38 + ["c"] * 12 + [""] * 70


def test_counts_beside_times_leave_the_worst_rows_their_codes() -> None:
    counts = msgspec.structs.replace(series([100.0, 100.0]), low=None, high=None)
    outcomes = [
        measured(f"op{number}", "small", PAIR, msgspec.structs.replace(one.forward, instructions=counts))
        for number, one in enumerate(crowd(0.1, 0.1, 0.1, 0.3, quiet=3))
        if one.forward
    ]
    report = RunReport(None, outcomes)
    assert [report.warnings.letters_of(outcome) for outcome in outcomes] == ["", "", "", "c", "", "", ""]


def test_a_warning_of_few_cases_stays_in_a_disturbed_run() -> None:
    compiled = measured("last", "small", PAIR, Pass(wall_us=reaching(0.1, FigureWarning.RECOMPILED)))
    drifting = measured("drifting", "small", PAIR, Pass(wall_us=reaching(0.3, FigureWarning.DRIFT)))
    outcomes = [*crowd(0.2, 0.2, 0.2), drifting, compiled]
    report = RunReport(None, outcomes)
    assert [report.warnings.letters_of(outcome) for outcome in outcomes] == ["", "", "", "", "j"]
    assert report.warnings.words == "4 cases disturbed, recompiled 1"


def test_a_warning_of_the_method_is_of_the_run_if_most_cases_have_it() -> None:
    short = Pass(wall_us=stated(1.0, 1.1, (FigureWarning.SHORT,)))
    cases = [[measured(f"op{number}", "small", PAIR, short)] for number in range(4)]
    found = run_warnings(cases)
    assert list(found.legend(cases)) == ["short (4 of 4 cases): too few samples for an interval"]
    assert found.letters(short) == ""
    assert found.words == "short 4"


def test_few_cases_have_codes_each() -> None:
    outcomes = crowd(0.1, 0.1, 0.1)
    assert [RunReport(None, outcomes).warnings.letters_of(outcome) for outcome in outcomes] == ["c", "c", "c"]


def test_the_load_is_reported_once_for_the_run() -> None:
    loaded = measured("exp", "small", PAIR, Pass(wall_us=reaching(0, FigureWarning.LOAD)))
    plain = measured("exp", "small", PAIR, Pass(wall_us=reaching(0)))
    assert pass_letters(*loaded.passes.values()) == ""
    assert load([loaded, plain]) == "other processes used the processor during 1 of 2 cases"
    assert load([plain]) == ""
    line = "other processes used the processor during 2 of 2 cases"
    verbose = RunReport(None, (loaded, loaded), view=View(verbose=True))
    assert text_of("run", "table", verbose).count(line) == run_text([loaded, loaded], form="md").count(line) == 1
    assert line not in run_text([loaded, loaded])


def test_the_legend_counts_the_warnings_in_use(run: tuple[Outcome, ...]) -> None:
    assert legend(*([outcome] for outcome in run)) == ["r resolution (1 case)"]
    assert legend([measured("exp", "small", PAIR, timed(1, 2))]) == []


@pytest.mark.parametrize("width", [60, 100])
def test_a_verbose_run_is_shown_in_detail(width: int, snapshot: SnapshotAssertion) -> None:
    outcome = measured("exp", "small", PAIR, timed(8, 50, (), (FigureWarning.SHORT,)), timed(16, 10))
    verbose = RunReport(None, (outcome,), view=View(verbose=True))
    assert text_of("run", "table", verbose, width) == snapshot


@pytest.mark.parametrize(("cases", "above", "below"), [(2, 2, 0), (5, 0, 1)])
def test_a_note_of_many_cases_stands_once_below_the_table(cases: int, above: int, below: int) -> None:
    note = "4 of 5 processes gave no samples: interrupted"
    outcomes = [measured("exp", f"p{number}", PAIR, timed(8, 50, (note,))) for number in range(cases)]
    assert run_text(outcomes, 120).count(f"      note: forward: {note}") == above
    assert run_text(outcomes, 120).count(f"\nnote of 5 cases: forward: {note}\n") == below
    verbose = RunReport(None, outcomes, view=View(verbose=True))
    assert text_of("run", "table", verbose, 120).count(f"      note: forward: {note}") == cases


def at_speed(speed: float | None) -> Outcome:
    wall = series([1.0, 2.0])
    return outcome(0, passed(wall=wall if speed is None else msgspec.structs.replace(wall, speed=speed)))


def test_the_line_has_the_median_and_nine_tenths_of_the_figures() -> None:
    speeds = [0.5] * 4 + [0.9] * 46 + [0.95] * 46 + [1.2] * 4
    line = speed_line(map(at_speed, speeds))
    assert line.endswith("which ran at 90% of it (90% to 95%)")


def test_a_slow_tenth_is_told() -> None:
    assert speed_line(map(at_speed, [0.5] * 10 + [1.0] * 90)).endswith("which ran at 100% of it (50% to 100%)")


def test_a_reference_of_a_slow_moment_is_told() -> None:
    line = speed_line(map(at_speed, [1.0] * 50 + [1.3] * 50))
    assert "which ran at 100% of it (100% to 130%): the reference was measured in a slow moment;" in line


def test_without_a_probe_there_is_no_line() -> None:
    assert speed_line([at_speed(None)]) == speed_line([]) == ""


def counted(share: float | None) -> Outcome:
    return outcome(0, passed(wall=series([1.0, 2.0]), throughput=Throughput(1.0, 1.0, share)))


def roofline(load: float) -> Roofline:
    return Roofline(
        bandwidth=1e10, cached_bandwidth=1e10, cache_bytes=0, flops={}, overhead_us=5.0, load=load, processors=2,
        measured=dt.datetime(2026, 1, 1, tzinfo=dt.timezone.utc),
    )  # fmt: skip


def test_a_roofline_that_is_not_known_or_too_low_is_told() -> None:
    assert roofline_line([counted(None)], None).startswith("the roofline of this machine wasn't known to the run")
    line = roofline_line([counted(2.0)], roofline(7.25))
    assert line.startswith("other programs used 2.0 of 2 processors while the roofline was measured, so that shares")
    assert roofline_line([counted(0.5)], roofline(0.1)) == roofline_line([at_speed(None)], roofline(7.0)) == ""
