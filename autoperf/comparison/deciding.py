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
    more = max(_more(figure, comparison.threshold_of(figure)) for figure in undecided)
    seconds, pairs = _given(shlex.split(base.command if base else ""))
    processes = max(pairs, min(MAX_PAIRS, math.ceil(more * pairs)))
    seconds *= processes / pairs
    profiles = [] if {"--cases", "--input"} & set(words) else ["--input-profile", _names(undecided, "profile")]
    total = seconds_of_sides(_cases_alike(comparison, undecided), seconds, processes)
    command = [*words, "--operator", _names(undecided, "operator"), *profiles]
    command += ["--processes", f"{processes}", "--max-time", f"{seconds:g}s"]
    yield f"to decide, in about {span(total)} on an idle machine", shlex.join(command)


MIN_MORE, MAX_MORE = 2.0, 8.0
"""The least and the largest factor of processes by which undecided cases are measured again.

Each process has its own layout of memory, and a kernel its own speed in it: in one that is sampled four times as long,
a median of 3 us is no better known, while in four times as many its interval is half as wide.
"""
MAX_PAIRS = 40
"""The most processes of a side; each keeps 100 MB."""
TRIAL_SECONDS = 0.3
PROCESS_SECONDS = 0.05
LONGEST_TURNS = 0.1
"""The seconds of samples that a process takes by default at most: 40 turns of 2.5 ms."""
PER_SAMPLE = 5.0
"""The time of a turn over that of its samples: iterations that aren't counted, and readings of the machine's speed.

By cases of the profiles small (7) and common (3). On two idle processors 10 cases took 62 s in 5 processes for the 61 s
of `seconds_of_sides`, and 477 s in 40 for 446 s; 4 small ones 33 s in 5 for 24 s.
"""
_REPLACED = frozenset({
    "--operator", "--category", "--namespace", "--input-profile", "--max-time", "--processes", "--time-budget",
    "--samples", "--runs", "--run-file", "--report", "--format", "--columns", "--sort", "--limit", "--group-by",
})  # fmt: skip
"""The options of a comparison that the command which decides it has its own of, or none."""


def seconds_of_sides(cases: int, max_time: float, processes: int) -> float:
    """The time that cases take on both sides of a comparison, on an idle machine."""
    sampling = PER_SAMPLE * min(max_time / processes, LONGEST_TURNS)
    return 2 * cases * (TRIAL_SECONDS + processes * (PROCESS_SECONDS + sampling))


def _more(figure: ComparedFigure, threshold: float) -> float:
    """The factor of processes after which the interval, shrunk by its square root, ends before the threshold."""
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


def _given(words: Sequence[str]) -> tuple[float, int]:
    """The seconds of --max-time and the number of processes of a command that compares, or their defaults."""
    split = [part for word in words for part in word.split("=", 1)] if "compare" in words[1:2] else []
    given = dict(pairwise(split))
    return seconds_of(given.get("--max-time", "")) or SIDE_MAX_TIME, int(given.get("--processes", DEFAULT_PROCESSES))


def _cases_alike(comparison: Comparison, undecided: Sequence[ComparedFigure]) -> int:
    """The number of cases that the command selects: those of any undecided operator in any undecided profile."""
    operators, profiles = ({getattr(figure, name) for figure in undecided} for name in ("operator", "profile"))
    alike = (each for each in comparison.cases if each.operator in operators and each.profile in profiles)
    return len({figure.case for figure in alike})


def _names(figures: Iterable[ComparedFigure], field: str) -> str:
    return ",".join(dict.fromkeys(str(getattr(figure, field)) for figure in figures))
