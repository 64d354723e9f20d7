"""Several releases side by side, and what changed in which of them."""

from __future__ import annotations

import csv
import dataclasses
import io
import json

import msgspec
import pytest
from syrupy.assertion import SnapshotAssertion

from autoperf.comparison.page import releases_page
from autoperf.comparison.release_matrix import answer_of_releases, changes_text, group_ratios, grouped_releases
from autoperf.comparison.side_by_side import ReleaseFigures, ReleaseRun, release_figures
from autoperf.core.outcome import FigureWarning, Outcome, Pass, Status
from autoperf.reports.columns import View
from autoperf.runs.runfile import RunEnd
from tests.reports.report_values import report, text_of
from tests.values import HEADER, PAIR, ended, measured, passed, stated, timed


def skipped(outcome: Outcome, reason: str) -> Outcome:
    without = {"forward": None, "backward": None, "memory": None}
    return msgspec.structs.replace(outcome, status=Status.SKIPPED, reason=reason, **without)


@pytest.fixture
def columns() -> list[ReleaseRun]:
    """1.6.0 lacks one operator, crashes in another's last case, and was cut off before it."""
    add = measured("broadcast_add", "small", PAIR, timed(8, 30), timed(4, 50))
    wide = measured("broadcast_add", "wide", PAIR, timed(100, 130), digest="aaaaaaaa", axis=-1)
    fmax = measured("_npi_fmax", "small", PAIR, timed(5, 20))
    last = measured("dot", "small", PAIR, timed(2, 9), category="gemm")
    old = [add, wide, skipped(fmax, "MXNet 1.6.0 has no operator _npi_fmax")]
    new = [
        msgspec.structs.replace(add, forward=timed(4, 20)),
        skipped(wide, "MXNet 2.0.0b1 has no parameter axis of broadcast_add"),
        fmax,
        last,
    ]
    return [ReleaseRun("1.6.0", report(old)), ReleaseRun("2.0.0b1", report(new))]


@pytest.mark.parametrize("width", [60, 100, 140])
def test_table(columns: list[ReleaseRun], width: int, snapshot: SnapshotAssertion) -> None:
    text = text_of("runs", "table", columns, width)
    assert max(map(len, text.splitlines())) <= width
    assert text == snapshot


def test_many_releases_fit_any_width(columns: list[ReleaseRun]) -> None:
    many = [ReleaseRun(f"1.{number}.0.post2", columns[0].run) for number in range(6)]
    text = text_of("runs", "table", many, 80)
    assert max(map(len, text.splitlines())) <= 80
    assert "1.5.0.post2 8.00 us, ratio 1.00" in " ".join(text.split())


def test_markdown(columns: list[ReleaseRun], snapshot: SnapshotAssertion) -> None:
    assert text_of("runs", "md", columns, 9999) == snapshot


def test_the_same_case_twice_stays_two_rows(columns: list[ReleaseRun]) -> None:
    outcome = columns[0].run.selected[0]
    twice = [ReleaseRun("a", report([outcome, outcome])), ReleaseRun("b", report([outcome, outcome]))]
    assert text_of("runs", "table", twice, 100).count("broadcast_add") == 1
    assert text_of("runs", "table", twice, 100).count("small") == 2


def test_figures_have_the_letters_of_their_warnings(columns: list[ReleaseRun]) -> None:
    add = columns[0].run.selected[0]
    short = msgspec.structs.replace(add, forward=timed(8, 30, warnings=(FigureWarning.SHORT,)))
    throttled = msgspec.structs.replace(short, backward=timed(4, 50, warnings=(FigureWarning.THROTTLED,)))
    warned = [ReleaseRun("1.6.0", report([short])), ReleaseRun("2.0.0b1", report([throttled]))]
    text = text_of("runs", "table", warned, 100)
    rows = [line.split("ward")[1].split() for line in text.splitlines() if "forward" in line or "backward" in line]
    assert rows == [["s", "8.00", "us", "s", "8.00", "us", "1.00"], ["4.00", "us", "t", "4.00", "us", "1.00"]]
    assert "s short (1 case): too few samples for an interval\nt throttled (1 case)" in text
    assert "forward s 8.00 us" in " ".join(text_of("runs", "table", warned, 50).split())
    page = text_of("runs", "md", warned, 9999)
    assert "| backward | 4.00 us | t 4.00 us | 1.00 |" in page
    assert "\n- s short (1 case): too few samples" in page


def test_csv_names_the_release(columns: list[ReleaseRun]) -> None:
    rows = list(csv.DictReader(io.StringIO(text_of("runs", "csv", columns, 10_000))))
    assert [(row["release"], row["operator"], row["status"]) for row in rows] == [
        ("1.6.0", "broadcast_add", "measured"),
        ("1.6.0", "broadcast_add", "measured"),
        ("1.6.0", "_npi_fmax", "skipped"),
        ("2.0.0b1", "broadcast_add", "measured"),
        ("2.0.0b1", "broadcast_add", "skipped"),
        ("2.0.0b1", "_npi_fmax", "measured"),
        ("2.0.0b1", "dot", "measured"),
    ]
    assert rows[0]["forward_kernel_median_us"] == "8"


def test_json_has_each_run_whole(columns: list[ReleaseRun]) -> None:
    whole = [
        ReleaseRun(column.label, dataclasses.replace(column.run, header=header, end=RunEnd(asked=3, seconds=1.5)))
        for column in columns
        for header in [msgspec.structs.replace(HEADER, mxnet=column.label)]
    ]
    runs = json.loads(text_of("runs", "json", whole))["runs"]
    assert [run["run"]["mxnet"] for run in runs] == ["1.6.0", "2.0.0b1"]
    assert [run["summary"]["skipped"] for run in runs] == [1, 1]
    assert [len(run["outcomes"]) for run in runs] == [3, 4]


def outcome(kernel: float, digest: str = "1", backward: Pass | None = None) -> Outcome:
    return measured("exp", "small", PAIR, timed(kernel, kernel + 9), backward, digest=digest)


def runs_of(*releases: list[Outcome]) -> list[ReleaseRun]:
    return [ReleaseRun(f"1.{number}", report(run)) for number, run in enumerate(releases)]


def figures(*releases: list[Outcome]) -> list[ReleaseFigures]:
    return list(release_figures(runs_of(*releases)))


def changes(*releases: list[Outcome]) -> list[str]:
    return [changes_text([step]) for row in figures(*releases) for step in row.steps()]


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
    runs = runs_of([outcome(10)], [missing], [outcome(20)])
    rows = list(release_figures(runs))
    assert [changes_text([step]) for step in rows[0].steps()] == ["2.00x slower in 1.2"]
    ((_, *of_releases),) = (table.rows for table in releases_page(runs).details[0].tables)
    assert [reason for *_, reason in of_releases] == ["", "failed: no operator exp", ""]
    assert [rows[0].median(at) for at in range(3)] == [10, None, 20]


def test_ratios_are_to_the_first_release_that_has_a_figure() -> None:
    missing = msgspec.structs.replace(ended(Status.FAILED, "no operator exp", "exp"), case="exp/1")
    (row,) = figures([missing], [outcome(10)], [outcome(20)])
    assert [row.ratio(at) for at in range(3)] == [None, 1.0, 2.0]


def test_a_backward_pass_has_figures_of_its_own() -> None:
    rows = figures([outcome(10, backward=timed(3, 9))], [outcome(10)])
    assert [(row.pass_, row.ratio(1)) for row in rows] == [("forward", 1.0), ("backward", None)]


def test_an_operator_has_the_geometric_mean_and_the_changes_that_its_cases_agree_on() -> None:
    steady = [outcome(10, "1"), outcome(10, "2")]
    (row,) = group_ratios(figures(steady, [outcome(20, "1"), outcome(80, "2")]), "operator")
    assert row.ratios == pytest.approx((1.0, 4.0))
    assert [changes_text([step]) for step in row.steps] == ["4.00x slower in 1.1"]
    (mixed,) = group_ratios(figures(steady, [outcome(20, "1"), outcome(5, "2")]), "operator")
    assert (mixed.name, mixed.category, mixed.pass_, mixed.steps) == ("exp", "broadcast", "forward", ())
    assert mixed.ratios == pytest.approx((1.0, 1.0))


def test_a_case_that_an_earlier_release_lacks_does_not_dilute_the_mean() -> None:
    first, second, third = (
        [outcome(10, "1")],
        [outcome(20, "1"), outcome(10, "2")],
        [outcome(40, "1"), outcome(90, "2")],
    )
    (row,) = group_ratios(figures(first, second, third), "operator")
    assert row.ratios == pytest.approx((1.0, 2.0, 6.0))
    (nothing_in_common,) = group_ratios(figures(first, [outcome(10, "2")]), "operator")
    assert nothing_in_common.ratios == (1.0, None)


def in_framework(run: Pass, python: float) -> Pass:
    return msgspec.structs.replace(run, python_us=stated(python))


def test_ways_of_a_composite_stand_beside_other_frameworks() -> None:
    def composite(way: str, python: float, reason: str = "") -> Outcome:
        run = in_framework(timed(8.0, python), python)
        made = measured("gate", f"common:{way}", PAIR, run, category="composite", digest=way)
        return skipped(made, reason) if reason else made

    own = [composite("imperative", 90.0), composite("hybridized", 60.0), composite("static", 30.0)]
    one_way = "a graph runs in one way there"
    other = [composite("imperative", 45.0), composite("hybridized", 0, one_way), composite("static", 0, one_way)]
    runs = [ReleaseRun("1.9.1", report(own)), ReleaseRun("torch-2.13.0", report(other))]
    text = text_of("runs", "table", runs, 120)
    lines = [line.split() for line in text.splitlines()]
    assert ["imperative", "hybridized", "static", "torch-2.13.0"] in [line[-4:] for line in lines]
    assert ["forward", "python", "90.0", "us", "60.0", "us", "30.0", "us", "45.0", "us"] in lines
    assert ["forward", "speed-up", "1.00", "1.50", "3.00", "2.00"] in lines
    assert "common:static" not in text
    assert one_way in text
    assert "python: the median time of a call from Python" in text


def test_releases_with_ways_of_their_own_stay_rows_of_cases() -> None:
    made = [
        measured("gate", f"common:{way}", PAIR, timed(8.0, 90.0), category="composite", digest=way)
        for way in ("imperative", "static")
    ]
    text = text_of("runs", "table", [ReleaseRun("1.9.1", report(made)), ReleaseRun("2.0.0b1", report(made))], 120)
    assert "common:static" in text
    assert "speed-up" not in text


def test_the_answer_and_what_changed_most_stand_before_the_cases() -> None:
    old = [outcome(10, str(number)) for number in range(3)] + [measured("dot", "small", PAIR, timed(90, 99))]
    new = [outcome(14, str(number)) for number in range(3)] + [measured("dot", "small", PAIR, timed(30, 99))]
    runs = [ReleaseRun("1.9.1", report(old)), ReleaseRun("2.0.0b1", report(new)), ReleaseRun("2.0.0", report(new))]
    lines = text_of("runs", "table", runs, 120).splitlines()
    assert lines[-2:] == [
        "2.0.0b1 is slower than 1.9.1 in exp forward (1.40 times); faster than 1.9.1 in dot forward (3.00 times)",
        "2.0.0 is nowhere known to differ from 2.0.0b1 by 10% or more",
    ]
    assert [line.split() for line in lines[:5]] == [
        ["slower", "(1", "operator)", "pass", "1.9.1", "2.0.0b1", "2.0.0"],
        ["exp", "forward", "1.000", "1.400", "1.400"],
        [],
        ["faster", "(1", "operator)", "pass", "1.9.1", "2.0.0b1", "2.0.0"],
        ["dot", "forward", "1.000", "0.333", "0.333"],
    ]


COUNTED = measured("exp", "small", PAIR, passed(instructions=stated(1000.0)), digest="1")


@pytest.mark.parametrize(
    ("old", "new", "advice"),
    [
        (COUNTED, COUNTED, "; `autoperf compare --clock none --counters instructions` compares their counts"),
        (outcome(10), measured("dot", "small", PAIR, timed(90, 99)), ""),
    ],
)
def test_releases_without_a_common_time_are_not_called_alike(old: Outcome, new: Outcome, advice: str) -> None:
    runs = [ReleaseRun("1.9.1", report([old])), ReleaseRun("2.0.0b1", report([new]))]
    said = f"2.0.0b1 and 1.9.1 have no time in common, so nothing is compared{advice}"
    assert list(answer_of_releases(runs)) == [said]
    assert releases_page(runs).answer == (said,)
    by_category = [ReleaseRun(run.label, dataclasses.replace(run.run, view=View(group_by="category"))) for run in runs]
    assert said in grouped_releases(by_category).notes


def test_a_change_is_against_the_last_release_that_was_measured() -> None:
    missing = msgspec.structs.replace(ended(Status.FAILED, "no operator exp", "exp"), case="exp/1")
    other = measured("exp", "wide", PAIR, timed(10, 20), digest="2")
    slower = msgspec.structs.replace(other, forward=timed(20, 30))

    def answered(*releases: list[Outcome]) -> list[str]:
        return list(answer_of_releases([ReleaseRun(f"1.{at}", report(run)) for at, run in enumerate(releases)]))

    said = "1.2 is slower than {} in exp forward (2.00 times)"
    assert answered([outcome(10)], [missing], [outcome(20)])[1] == said.format("1.0")
    both = [outcome(10), other], [missing, other], [outcome(20), slower]
    assert answered(*both)[1] == said.format("earlier releases")


def test_groups_count_what_no_release_has_a_time_of() -> None:
    broken = ended(Status.FAILED, "no axis", "dot")
    view = View(group_by="operator")
    runs = [dataclasses.replace(report([outcome(us), broken]), view=view) for us in (10, 20)]
    grouped = grouped_releases([ReleaseRun(f"1.{at}", run) for at, run in enumerate(runs)])
    assert [group.name for group in grouped.groups] == ["exp"]
    assert "left out: 1 row without a time in any release" in grouped.notes


def test_runs_of_different_methods_say_so() -> None:
    headers = {label: msgspec.structs.replace(HEADER, method=method) for label, method in (("1.0", 4), ("1.1", 5))}
    run = report([outcome(10)])
    runs = [ReleaseRun(label, dataclasses.replace(run, header=header)) for label, header in headers.items()]
    said = "measured by different methods, which may give other times: 1.0 by 4, 1.1 by 5"
    assert said in " ".join(text_of("runs", "table", runs).split())
    assert said in text_of("runs", "md", runs)
    assert said in releases_page(runs).notes
    by_category = [ReleaseRun(run.label, dataclasses.replace(run.run, view=View(group_by="category"))) for run in runs]
    assert said in grouped_releases(by_category).notes
    assert "different methods" not in text_of("runs", "md", [runs[0], runs[0]])


@pytest.mark.parametrize("is_skipped", [True, False])
def test_one_function_of_numpy_under_two_names_is_one_row(is_skipped: bool) -> None:
    old, new = (measured(name, "small", PAIR, timed(us, 20)) for name, us in (("_np_max", 10), ("_npi_max", 20)))
    runs = [[old], [new]]
    if is_skipped:
        runs = [[old, skipped(new, "no such operator")], [skipped(old, "no such operator"), new]]
    shown = [ReleaseRun(label, report(made)) for label, made in zip(("1.9.1", "2.0.0b1"), runs, strict=True)]
    text = text_of("runs", "table", shown, 120)
    assert "2.0.0b1 is slower than 1.9.1 in np.max (_np_max, _npi_max) forward (2.00 times)" in text
    assert "without a figure" not in text
    both = [ReleaseRun(label, report([old, new])) for label in ("1.9.1", "2.0.0b1")]
    assert "np.max" not in text_of("runs", "table", both, 120)
