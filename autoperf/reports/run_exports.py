"""A run's results for other programs and documents: CSV, Markdown and one JSON document, written piece by piece."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator

import msgspec

from autoperf.core.outcome import Outcome, Pass, PassMemory, Series, Status
from autoperf.reports.doubts import words
from autoperf.reports.markdown import cells, heading
from autoperf.reports.runs import verdict
from autoperf.reports.summary import Tally, figure, peak
from autoperf.reports.units import (
    describe_case,
    describe_inputs,
    describe_params,
    duration,
    one_line,
    size,
    spread,
    within,
)

PASSES = ("forward", "backward")
CLOCKS = ("kernel", "wall")
INTERVAL = ("low", "high")
COUNTS = ("count", "processes", "loops", "doubts")
PARTS = ("helpers", "dispatch")
STATISTICS = ("mean", "median", "p50", "p90", "p99", "min", "max", "std")
_KINDS = ("peak", "output", "workspace")
_FACTS = ("case", "operator", "category", "profile", "status", "reason", "inputs", "params")
_MARKDOWN = (
    ("operator", False),
    ("profile", False),
    ("inputs", False),
    ("forward kernel", True),
    ("95%", True),
    ("P90", True),
    ("forward wall", True),
    ("backward kernel", True),
    ("95%", True),
    ("backward wall", True),
    ("peak memory", True),
    ("doubts", False),
    ("status", False),
)

CSV_COLUMNS = (
    *_FACTS,
    *(
        name
        for one in PASSES
        for clock in CLOCKS
        for name in (
            *(f"{one}_{clock}_{statistic}_us" for statistic in (*STATISTICS, *INTERVAL)),
            *(f"{one}_{clock}_{fact}" for fact in COUNTS),
        )
    ),
    *(f"{one}_{part}_us" for one in PASSES for part in PARTS),
    *(f"{one}_{kind}_bytes" for one in PASSES for kind in _KINDS),
    "seconds",
)


def to_csv(outcomes: Iterable[Outcome]) -> str:
    """One row a case under `CSV_COLUMNS`: times in microseconds, memory in bytes, empty where there is no figure."""
    return "".join(csv_lines(outcomes))


def csv_lines(outcomes: Iterable[Outcome]) -> Iterator[str]:
    """The lines of `to_csv`, each as soon as its outcome is there."""
    yield _csv_line(CSV_COLUMNS)
    for outcome in outcomes:
        yield _csv_line(_csv_row(outcome))


def to_markdown(outcomes: Iterable[Outcome], asked: int | None = None) -> str:
    """GitHub tables, one for each category, with the sum below; `asked`: how many cases the run set out with."""
    return "".join(markdown_lines(outcomes, asked))


def markdown_lines(outcomes: Iterable[Outcome], asked: int | None = None) -> Iterator[str]:
    """The lines of `to_markdown`; a category that comes back gets another table, so that nothing has to be kept."""
    tally, category = Tally(), None
    for outcome in map(tally.add, outcomes):
        if outcome.category != category:
            gap = "" if category is None else "\n"
            category = outcome.category
            yield f"{gap}### {category}\n\n" + heading(_MARKDOWN)
        yield cells(_markdown_row(outcome))
    yield f"\n{tally.summary(asked).sentence()}\n"


def to_json(header: object, outcomes: Iterable[Outcome], end: object = None, asked: int | None = None) -> str:
    """`{"run": header, "outcomes": [...], "summary": {...}, "end": end}`, an outcome a line, as the run file has it.

    `header` and `end` are the run file's first and last records (any value that msgspec encodes); `end` is null where
    a run was cut short.
    """
    return "".join(json_chunks(header, outcomes, end, asked))


def json_chunks(
    header: object, outcomes: Iterable[Outcome], end: object = None, asked: int | None = None
) -> Iterator[str]:
    """The pieces of `to_json`, each as soon as its outcome is there."""
    tally, separator = Tally(), "\n"
    yield f'{{"run": {_json(header)},\n"outcomes": ['
    for outcome in map(tally.add, outcomes):
        yield separator + _json(outcome)
        separator = ",\n"
    yield f'\n],\n"summary": {_json(tally.summary(asked))},\n"end": {_json(end)}}}\n'


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _csv_line(values: Iterable[object]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(values)
    return line.getvalue()


def _csv_row(outcome: Outcome) -> Iterator[object]:
    yield from (outcome.case, outcome.operator, outcome.category, outcome.profile, outcome.status.value)
    yield from (one_line(outcome.reason), describe_inputs(outcome), describe_params(outcome))
    for one in (outcome.forward, outcome.backward):
        yield from _statistics(one.kernel_us if one else None)
        yield from _statistics(one.wall_us if one else None)
    for one in (outcome.forward, outcome.backward):
        yield from (one.helpers_us, one.dispatch_us) if one else (None, None)
    memory = outcome.memory
    yield from _bytes(memory.forward if memory else None)
    yield from _bytes(memory.backward if memory else None)
    yield outcome.seconds


def _statistics(series: Series | None) -> Iterator[object]:
    for name in (*STATISTICS, *INTERVAL, "count"):
        yield None if series is None else getattr(series, name)
    yield None if series is None else max(1, len(series.processes))
    yield None if series is None else series.loops
    yield None if series is None else " ".join(doubt.value for doubt in series.doubts)


def _bytes(memory: PassMemory | None) -> Iterator[object]:
    for kind in _KINDS:
        yield None if memory is None else getattr(memory, kind)


def _markdown_row(outcome: Outcome) -> Iterator[str]:
    yield from (outcome.operator, outcome.profile, describe_case(outcome))
    yield from (_median(outcome.forward, "kernel_us"), within(figure(outcome.forward)))
    yield spread(outcome.forward.kernel_us if outcome.forward else None)
    yield _median(outcome.forward, "wall_us")
    yield from (_median(outcome.backward, "kernel_us"), within(figure(outcome.backward)))
    yield _median(outcome.backward, "wall_us")
    yield from (size(peak(outcome)), words(outcome), "" if outcome.status is Status.MEASURED else verdict(outcome))


def _median(run: Pass | None, clock: str) -> str:
    series: Series | None = getattr(run, clock, None)
    return duration(series.median if series else None)
