"""Composites side by side in tables, Markdown, JSON and on the page, from outcomes made by hand."""

from __future__ import annotations

import json

import msgspec
import pytest

from autoperf.core.graph import Graph, Node
from autoperf.core.outcome import FigureWarning, Outcome, Pass, Status
from autoperf.networks.report import input_modes
from autoperf.reports.columns import RowFilter, View
from autoperf.summary.runs import RunReport
from tests.reports.report_values import run_text, text_of
from tests.values import PAIR, ended, measured, timed

NODES = tuple(Node(f"n{number}", "exp", ("x",)) for number in range(4))
GIVEN = "lhs (32, 32), rhs (32, 1)"
GRAPH = {"graph": Graph(("x",), NODES, ("n3",))}


def composite(way: str, wall: float, *, size: str = "common", backward: Pass | None = None) -> Outcome:
    made = measured("gate", f"{size}:{way}", PAIR, timed(8.0, wall), backward, category="composite", digest=way)
    return msgspec.structs.replace(made, graphs=GRAPH)


def failed(way: str) -> Outcome:
    made = ended(Status.FAILED, "MXNet refuses it", "gate")
    return msgspec.structs.replace(made, category="composite", profile=f"large:{way}")


@pytest.fixture
def outcomes() -> list[Outcome]:
    return [
        composite("imperative", 109.0, backward=timed(8.0, 59.0)),
        composite("hybridized", 60.0, backward=timed(8.0, 49.0)),
        composite("static", 27.25, backward=timed(8.0, 118.0)),
        failed("static"),
    ]


def test_ways_of_one_input_are_beside_each_other(outcomes: list[Outcome]) -> None:
    (times,) = input_modes(outcomes)
    assert (times.outcome.operator, times.outcome.profile, times.operators) == ("gate", "common", 4)
    assert times.wall("forward") == {"imperative": 109.0, "hybridized": 60.0, "static": 27.25}
    assert (times.without_kernel("forward")["imperative"], times.speedup("forward")["static"]) == (100.0, 4.0)
    assert (times.without_kernel("backward")["imperative"], times.speedup("backward")["static"]) == (50.0, 0.5)


def test_inputs_of_one_profile_are_apart() -> None:
    first, other = composite("imperative", 10.0, size="drawn"), composite("static", 5.0, size="drawn")
    assert len(input_modes([first, other])) == 1
    assert input_modes([first, msgspec.structs.replace(other, inputs=PAIR[:1])]) == []


def shown(outcomes: list[Outcome], **view: object) -> RunReport:
    return RunReport(None, tuple(outcomes), None, View(**view))  # type: ignore[arg-type]


@pytest.mark.parametrize("width", [80, 120])
def test_the_table_replaces_the_cases(outcomes: list[Outcome], width: int) -> None:
    text = run_text(outcomes, width)
    head, _, rest = text.partition(f"gate common {GIVEN}; graph=graph(exp+exp+exp+exp)\n")
    assert head.splitlines()[-1].split() == ["composites", "(1", "configuration)", "imperative", "hybridized", "static"]
    assert [line.split() for line in rest.splitlines()[:2]] == [
        ["forward", "wall", "109", "us", "60.0", "us", "27.2", "us"],
        ["forward", "speed-up", "1.00", "1.82", "4.00"],
    ]
    (failed,) = (line.split() for line in text.splitlines() if line.startswith("  large:static "))
    assert failed[-4:] == ["failed:", "MXNet", "refuses", "it"]
    assert "common:static" not in text
    assert all(len(line) <= width for line in text.splitlines())


@pytest.mark.parametrize("view", [{"columns": ("forward_wall",)}, {"sort": "-forward_wall"}])
def test_columns_and_orders_show_the_cases(outcomes: list[Outcome], view: dict[str, object]) -> None:
    text = text_of("run", "table", shown(outcomes, **view))
    assert "common:static" in text
    assert "speed-up" not in text


def test_the_legend_counts_the_warnings() -> None:
    run = timed(8.0, 109.0, warnings=(FigureWarning.SHORT,))
    short = msgspec.structs.replace(composite("imperative", 109.0), forward=run)
    text = run_text([short, composite("static", 27.25)])
    assert "\ns short (1 case): too few samples for an interval\n" in text
    assert "short" not in run_text([composite("imperative", 109.0), composite("static", 27.25)])


def test_a_size_selects_every_way(outcomes: list[Outcome]) -> None:
    for profile, number in {"common": 3, "common:static": 1, "large": 1}.items():
        assert len(shown(outcomes, rows=RowFilter(profiles=(profile,))).selected) == number


def test_limit_holds_for_the_cases_beside_them_too(outcomes: list[Outcome]) -> None:
    plain = [measured(name, "small", PAIR, timed(1.0, 2.0), digest=name) for name in ("exp", "relu")]
    text = text_of("run", "table", shown([*outcomes[:3], *plain], limit=1))
    assert "relu" not in text
    assert "1 of 2 cases shown; --limit sets how many" in text


def test_limit_counts_inputs(outcomes: list[Outcome]) -> None:
    wide = [msgspec.structs.replace(outcome, inputs=PAIR[:1]) for outcome in outcomes[:2]]
    text = text_of("run", "table", shown([*outcomes, *wide], limit=1))
    assert text.count("forward  wall") == 1
    assert "1 of 2 configurations shown" in text


def test_markdown_json_and_the_page_have_the_figures(outcomes: list[Outcome]) -> None:
    assert "| forward | wall | 109 us | 60.0 us | 27.2 us |" in run_text(outcomes, form="md")
    (record,) = json.loads(run_text(outcomes, form="json"))["composites"]
    assert [record[key] for key in ("composite", "profile", "inputs", "operators")] == ["gate", "common", GIVEN, 4]
    forward, backward = record["passes"]
    assert (forward["pass"], forward["wall_us"]["static"], forward["speedup"]["static"]) == ("forward", 27.25, 4.0)
    assert (forward["no_kernel_us"]["imperative"], backward["no_kernel_us"]["imperative"]) == (100.0, 50.0)
    assert '"Composites"' in run_text(outcomes, form="html")
