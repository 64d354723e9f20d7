"""Corrupted files, messages and killed children cause no traceback and no hang; readers raise our own errors alone."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import fuzz
import msgspec
import pytest
from fuzz_calls import CallResult, problems_of
from mutants import READERS, findings
from mutation import mutants

from autoperf.cases.store import VERSION, CasesHeader, write_cases
from autoperf.core.outcome import Memory, PassMemory, Status
from tests.finding_values import LOOP, SOFTMAX, TAKE
from tests.runs.test_huntlog import END, EVENTS, written
from tests.values import outcome, passed, steady, write_run

SCRIPT = Path(fuzz.__file__)


def _fuzzed(*options: str) -> str:
    """In a process of its own, since it forks; what it found, if anything."""
    command = [sys.executable, str(SCRIPT), *options]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


@pytest.mark.nightly
def test_a_few_of_each() -> None:
    output = _fuzzed("--seed", "7", "--mutants", "12", "--kills", "1", "--messages", "1", "--budget", "1s")
    assert "seed 7\n" in output
    assert "0 problems in 14 attempts" in output


@pytest.mark.parametrize("limit", ["Ctrl-C", "--seconds"])
def test_the_counts_survive_an_early_end(
    limit: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Files and processes are left out; time passes by attempts."""

    class Attempts:
        def __init__(self, folder: Path, seed: int, budget: str) -> None:
            self.now = 0.0
            monkeypatch.setattr("time.monotonic", lambda: self.now)

        def read_mutant(self, number: int, tally: fuzz.Tally) -> None:
            self.now += 60.0
            if limit == "Ctrl-C" and number == 3:
                raise KeyboardInterrupt
            tally.add("suite", f"mutant {number}", ["it hung"] if number == 1 else [])

        kill = relay_messages = read_mutant

    monkeypatch.setattr(fuzz, "Bench", Attempts)
    words = ["--seed", "5", *(["--seconds", "150"] if limit == "--seconds" else [])]
    assert fuzz.main(words) == (130 if limit == "Ctrl-C" else 1)
    printed = capsys.readouterr()
    interrupted = ", interrupted" if limit == "Ctrl-C" else ""
    assert printed.out.splitlines() == [f"seed 5{interrupted}", "     3 suite", "1 problems in 3 attempts"]
    assert printed.err.splitlines()[:2] == ["1 attempts, now suite; 0 problems", "suite mutant 1: it hung"]


@pytest.mark.nightly
def test_many_of_each() -> None:
    output = _fuzzed("--seed", "1", "--mutants", "5000", "--kills", "300", "--messages", "300")
    assert "0 problems" in output


@pytest.mark.parametrize(
    ("result", "output"),
    [
        (CallResult(None, "last"), "it hung: last"),
        (CallResult(1, "Traceback (most recent call last):\n  ...\nKeyError: 1"), "a traceback: KeyError: 1"),
        (CallResult(70, "x"), "exit code 70"),
        (CallResult(-9, "x"), "exit code -9"),
        (CallResult(2, "what?"), "no reason is told"),
    ],
)
def test_what_must_not_happen_is_noticed(result: CallResult, output: str) -> None:
    assert output in problems_of(result)[0]
    assert problems_of(CallResult(2, "autoperf: no such file")) == []


def _outcome(case: str, status: str = "measured", peak: int = 4) -> dict[str, object]:
    memory = {"forward": {"peak": peak, "output": 4, "workspace": 0}}
    return {"type": "outcome", "case": case, "operator": case[0], "status": status, "outputs": [], "memory": memory}


def _written(path: Path, outcomes: list[dict[str, object]], **counts: int) -> Path:
    end = {"type": "end", "asked": len(outcomes), **dict.fromkeys(fuzz.STATUSES, 0), "complete": True} | counts
    path.write_text("".join(json.dumps(line) + "\n" for line in [*outcomes, end]))
    return path


def test_answers_under_another_cases_id_and_wrong_sums_are_noticed(tmp_path: Path) -> None:
    bench = object.__new__(fuzz.Bench)
    bench.known = {name: {"id": name, "operator": name[0]} for name in ("a/1", "b/2")}
    bench.baseline = {name: fuzz.fingerprint(_outcome(name)) for name in bench.known}
    output = tmp_path / "run.ndjson"

    def problems(*outcomes: dict[str, object], **counts: int) -> str:
        return "; ".join(bench.check_outcomes(_written(output, list(outcomes), **counts), known=True, same=True))

    assert problems(_outcome("a/1"), _outcome("b/2", "failed"), measured=1, failed=1) == ""
    assert "the sums don't hold" in problems(_outcome("a/1"), _outcome("b/2"), measured=1)
    assert "outcomes of 1 of 2 cases" in problems(_outcome("a/1"), measured=1)
    assert "b/2 has another case's answer" in problems(_outcome("a/1"), _outcome("b/2", peak=8), measured=2)
    assert "c/3 is not one of the requested cases" in problems(_outcome("a/1"), _outcome("c/3"), measured=2)


COUNT = 60


def written_cases(path: Path) -> Path:
    write_cases(path, CasesHeader(VERSION, "0.1.0", "1.9.1", 1), [SOFTMAX.case, LOOP, TAKE.case])
    return path


def written_run(path: Path) -> Path:
    memory = Memory(PassMemory(10, 5, 5), PassMemory(10, 5, 5))
    measured = outcome(0, passed(steady(10.0), steady(12.0)), passed(steady(20.0)))
    return write_run(
        path,
        [
            msgspec.structs.replace(measured, memory=memory, params={"axis": (0, 1)}),
            outcome(1, passed(steady(11.0))),
            outcome(2, status=Status.SKIPPED, reason="too large"),
        ],
    )


FILES = {"cases": written_cases, "run": written_run, "log": lambda path: written(path, *EVENTS, END)}


@pytest.mark.parametrize("kind", READERS)
def test_readers_of_mutants_raise_errors_of_our_own_alone(tmp_path: Path, kind: str) -> None:
    data = FILES[kind](tmp_path / "whole.ndjson").read_bytes()
    assert findings(kind, data, 16, COUNT, tmp_path) == []


def test_mutants_are_the_same_for_the_same_seed() -> None:
    data = b'{"type":"cases","version":1}\n{"a":[1,2]}\n'
    made = list(mutants(data, 1, 50))
    assert made == list(mutants(data, 1, 50))
    assert made != list(mutants(data, 2, 50))
    assert sum(mutant != data for mutant in made) > 40
