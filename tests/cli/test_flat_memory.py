"""What a run keeps doesn't grow with the number of its cases."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import msgspec

from autoperf.core.case import Case, Input
from autoperf.core.outcome import Outcome, Pass, Status
from autoperf.core.tensors import TensorSpec, Uniform
from autoperf.reports.table import terminal_lines
from autoperf.runs.run_reader import LazyOutcomes, RunReader
from autoperf.runs.run_writer import RunWriter
from autoperf.stats.statistics import summarise
from autoperf.summary.documents import run_reports
from autoperf.summary.runs import RunReport
from tests.values import HEADER, MACHINE

FEW, MANY = 100, 500
# What one case may leave behind in all: where its line begins, and its id.
BYTES_A_CASE = 400


def outcomes(number: int) -> Iterator[Outcome]:
    samples = summarise([1.0 + step / 100 for step in range(100)])
    for index in range(number):
        case = Case(
            operator=f"operator_{index % 20}", category="unary", profile="drawn",
            inputs=(Input("data", TensorSpec((index + 1, 3), "float32", Uniform())),),
        )  # fmt: skip
        yield Outcome(
            case=case.id, operator=case.operator, category=case.category, profile=case.profile,
            status=Status.MEASURED if index % 3 else Status.FAILED, reason="" if index % 3 else f"because {index % 7}",
            inputs=case.inputs, forward=Pass(kernel_us=samples, wall_us=samples),
        )  # fmt: skip


def peak_of(number: int, path: Path) -> int:
    """The most bytes that writing so many outcomes and printing their table takes at once."""
    thresholds = gc.get_threshold()
    # Garbage that waits for its collection is kept by nothing.
    gc.set_threshold(50, 1, 1)
    tracemalloc.start()
    try:
        with RunWriter(path, HEADER, MACHINE) as writer:
            for outcome in outcomes(number):
                writer.add(outcome)
            writer.finish(1.0)
        with RunReader(path) as run:
            report = RunReport(run.header, LazyOutcomes(run, samples=False))
            shown = sum(1 for _ in terminal_lines(run_reports(report), 100))
        assert shown > number
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
        gc.set_threshold(*thresholds)


def test_writing_and_showing_a_run_keeps_next_to_nothing_of_a_case(tmp_path: Path) -> None:
    # What the first run makes for all later ones (caches, patterns, decoders) is of no case.
    peak_of(MANY, tmp_path / "first.ndjson")
    few = peak_of(FEW, tmp_path / "few.ndjson")
    many = peak_of(MANY, tmp_path / "many.ndjson")
    one = len(msgspec.json.encode(next(outcomes(1))))
    assert one > 2 * BYTES_A_CASE
    assert (many - few) / (MANY - FEW) < BYTES_A_CASE
