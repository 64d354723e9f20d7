"""Whatever is done to a file, its readers raise errors of our own alone."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from mutants import READERS, findings
from mutation import mutants

from autoperf.cases.store import VERSION, CasesHeader, write_cases
from autoperf.core.outcome import Memory, PassMemory, Status
from tests.finding_values import LOOP, SOFTMAX, TAKE
from tests.results.test_huntlog import END, EVENTS, written
from tests.values import outcome, passed, steady, write_run

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
