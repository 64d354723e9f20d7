"""The command that decides what a comparison left undecided, and the time that it takes."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from autoperf.comparison.comparison import ComparedFigure, Comparison, Verdict
from autoperf.core.options import DEFAULT_PROCESSES, SIDE_MAX_TIME, seconds_of
from autoperf.reports.units import span
from autoperf.runs.runfile import Provenance


def deciding_command(comparison: Comparison) -> Iterator[tuple[str, str]]:
    """The command that measures the undecided cases of two builds longer, labelled with the time that it takes."""
    undecided = [figure for figure in comparison.cases if figure.verdict is Verdict.UNDECIDED]
    base, new = comparison.base_provenance, comparison.new_provenance
    words = _sides(base, new) if undecided and base and new else []
    if not words:
        return
    more = max(_more_time(figure, comparison.threshold_of(figure)) for figure in undecided)
    seconds = min(MAX_SECONDS, math.ceil(more * _max_time(shlex.split(base.command if base else ""))))
    profiles = [] if {"--cases", "--input"} & set(words) else ["--input-profile", _names(undecided, "profile")]
    total = seconds_of_sides(len({figure.case for figure in undecided}), seconds, DEFAULT_PROCESSES)
    command = [*words, "--operator", _names(undecided, "operator"), *profiles, "--max-time", f"{seconds}s"]
    yield f"to decide, in about {span(total)} on an idle machine", shlex.join(command)


MIN_MORE, MAX_MORE = 4.0, 16.0
"""The least and the largest factor of sampling time by which undecided cases are measured again."""
MAX_SECONDS = 60
TRIAL_SECONDS = 0.1
PROCESS_SECONDS = 0.05
"""The time of a case on a side in addition to its samples: the trial, and the start in each process."""
_REPLACED = frozenset({
    "--operator", "--category", "--namespace", "--input-profile", "--max-time", "--time-budget", "--samples", "--runs",
    "--run-file", "--report", "--format", "--columns", "--sort", "--limit", "--group-by",
})  # fmt: skip
"""The options of a comparison that the command which decides it has its own of, or none."""


def seconds_of_sides(cases: int, max_time: float, processes: int) -> float:
    """The time that cases take on both sides of a comparison, on an idle machine."""
    return 2 * cases * (max_time + TRIAL_SECONDS + PROCESS_SECONDS * processes)


def _more_time(figure: ComparedFigure, threshold: float) -> float:
    """The factor of sampling time after which the interval, shrunk by its square root, ends before the threshold."""
    if not 0 < figure.low < figure.high < math.inf:
        return MAX_MORE
    distance = abs(abs(math.log(figure.ratio)) - math.log1p(threshold))
    half = math.log(figure.high / figure.low) / 2
    return min(MAX_MORE, max(MIN_MORE, (half / distance) ** 2 if distance else MAX_MORE))


def _sides(base: Provenance, new: Provenance) -> list[str]:
    """The command that measures both sides, without its selection of cases; empty where it isn't known."""
    words = shlex.split(base.command)
    if words[1:2] == ["compare"] and base.command == new.command:
        return [] if any(word.startswith("--front-ends") for word in words) else _without_replaced(words)
    if base.build in ("", new.build) or not new.build:
        return []
    seed = [] if base.seed is None else ["--seed", str(base.seed)]
    return ["autoperf", "compare", "--mxnet", base.build, "--mxnet", new.build, *seed]


def _without_replaced(words: Iterable[str]) -> list[str]:
    kept: list[str] = []
    is_value = False
    for word in words:
        name, equals, _ = word.partition("=")
        if not is_value and name in _REPLACED:
            is_value = not equals
            continue
        kept += [] if is_value else [word]
        is_value = False
    return kept


def _max_time(words: Sequence[str]) -> float:
    """The seconds of --max-time in a command that compares; the default without them."""
    split = [part for word in words for part in word.split("=", 1)] if "compare" in words[1:2] else []
    return seconds_of(dict(pairwise(split)).get("--max-time", "")) or SIDE_MAX_TIME


def _names(figures: Iterable[ComparedFigure], field: str) -> str:
    return ",".join(dict.fromkeys(str(getattr(figure, field)) for figure in figures))
