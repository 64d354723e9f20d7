"""What changes of calls give networks, held against sums made by hand."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from autoperf.cases.store import VERSION, CasesHeader, write_cases
from autoperf.comparison.comparison import ComparedFigure, Verdict
from autoperf.comparison.groups import captured_calls, captured_files, network_answer, with_networks
from autoperf.core.case import Case
from autoperf.core.errors import UsageError
from autoperf.core.graph import Graph, Node
from tests.values import case, compared, comparison, inputs, tensor


def counted(made: Case, **calls: int) -> Case:
    return msgspec.structs.replace(made, calls=calls, network_calls=dict.fromkeys(calls, 10))


EXP, LOG, SIN = case("exp", 4), case("log", 4), case("sin", 4)
WHOLE = Case(
    operator="_CachedOp", category="network", profile="hybridized", inputs=inputs(data=(tensor(4),)),
    graphs={"graph": Graph(("x",), (Node("y", "exp", ("x",), {}),), ("y",))}, way="compiled",
)  # fmt: skip
CASES = (counted(EXP, a=3, b=1), counted(LOG, a=2), counted(SIN, b=1), counted(WHOLE, a=1))


def figures(verdict: Verdict = Verdict.SLOWER) -> list[ComparedFigure]:
    return [
        compared(EXP.id, "forward", "kernel", 1.5, verdict, base_us=10.0),
        compared(EXP.id, "forward", "wall", 9.0, Verdict.SLOWER, base_us=50.0),
        compared(LOG.id, "forward", "kernel", 0.9, Verdict.UNDECIDED, base_us=20.0),
        compared(WHOLE.id, "forward", "wall", 1.2, Verdict.SLOWER, base_us=100.0),
    ]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    header = CasesHeader(VERSION, "0.1.0", "1.9.1", 0)
    write_cases(tmp_path / "a.ndjson", header, [CASES[0], CASES[1], CASES[3]])
    write_cases(tmp_path / "b.ndjson", header, [CASES[0], CASES[2]])
    return tmp_path


@pytest.mark.parametrize("verdict", [Verdict.SLOWER, Verdict.ACCEPTED])
def test_a_change_counts_as_often_as_the_network_makes_the_call(folder: Path, verdict: Verdict) -> None:
    found = with_networks(comparison(*figures(verdict)), captured_calls(folder)).networks
    # b: 1 * 5 of 10 us that were compared; a: 3 * 5 of a whole of 100, of which 3 * 10 + 2 * 20 were compared.
    assert [(each.name, each.calls, each.made, each.change_us) for each in found] == [
        ("b", 1, 10, 5.0),
        ("a", 5, 10, 15.0),
    ]
    assert [each.share for each in found] == [0.5, 0.15]
    assert [each.coverage for each in found] == [None, 0.7]


def test_the_answer_has_the_network_that_changes_most_first(folder: Path) -> None:
    first, second = network_answer(with_networks(comparison(*figures()), captured_calls(folder)))
    assert first == "b, forward: +5.00 us (+50.0% of 10.0 us), by exp +5.00 us; 1 of 10 calls were compared"
    assert second.endswith("5 of 10 calls were compared, with 70% of its time")


def test_a_folder_stands_for_its_captured_files(folder: Path) -> None:
    (folder / "notes.txt").write_text("no cases", encoding="utf-8")
    assert [path.name for path in captured_files(folder)] == ["a.ndjson", "b.ndjson"]
    assert captured_files(folder / "a.ndjson") == (folder / "a.ndjson",)


@pytest.mark.parametrize("name", ["empty", "cases.yaml"])
def test_files_without_counts_are_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "cases.yaml").write_text("cases: []", encoding="utf-8")
    with pytest.raises(UsageError, match=r"invalid --networks .* expected the file of `autoperf capture"):
        captured_calls(tmp_path / name)
