"""Exact counts of a comparison as flame graphs that https://www.speedscope.app opens: both sides, and what differs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from autoperf.comparison.code_changes import counted
from autoperf.comparison.headlines import side_names
from autoperf.comparison.report import ComparisonReport
from autoperf.core.errors import UsageError
from autoperf.counts.difference import CodeDifference
from autoperf.reports.units import one_line

SCHEMA = "https://www.speedscope.app/file-format-schema.json"
UNCHANGED = "functions that spend as many"
Stacks = dict[tuple[str, ...], tuple[int, int]]
"""The instructions of base and new by operator, case, pass, part and function."""


def speedscope_text(report: ComparisonReport) -> str:
    """Speedscope's JSON with four profiles: base, new, and the instructions that new executes more and fewer.

    Raises UsageError without exact counts.
    """
    stacks = dict(_stacks(report))
    if not stacks:
        raise UsageError("no flame graph without exact counts: compare runs by --counters instructions")
    base, new = side_names(report.comparison)
    numbers = {name: at for at, name in enumerate(dict.fromkeys(frame for stack in stacks for frame in stack))}
    weights = {
        f"more in {new}": {stack: after - before for stack, (before, after) in stacks.items()},
        f"fewer in {new}": {stack: before - after for stack, (before, after) in stacks.items()},
        base: {stack: before for stack, (before, _) in stacks.items()},
        new: {stack: after for stack, (_, after) in stacks.items()},
    }
    return json.dumps(
        {
            "$schema": SCHEMA,
            "name": f"{new} compared with {base}, instructions",
            "exporter": "autoperf",
            "shared": {"frames": [{"name": name} for name in numbers]},
            "profiles": [_profile(name, of_stacks, numbers) for name, of_stacks in weights.items()],
        }
    )


def _stacks(report: ComparisonReport) -> Iterator[tuple[tuple[str, ...], tuple[int, int]]]:
    for figure in counted(report.shown):
        if figure.code:
            path = (figure.operator, one_line(f"{figure.inputs} ({figure.profile})"), str(figure.pass_))
            for (part, function), sides in _functions(figure.code):
                yield (*path, part, one_line(function)), sides


def _functions(code: CodeDifference) -> Iterator[tuple[tuple[str, str], tuple[int, int]]]:
    """The functions that differ by part, and the rest of each part."""
    for part, (base, new) in code.parts.items():
        of_part = [each for each in code.functions if each.part == part]
        yield from (((part, each.name), (each.base, each.new)) for each in of_part)
        rest = base - sum(each.base for each in of_part), new - sum(each.new for each in of_part)
        yield (part, UNCHANGED if rest[0] == rest[1] else f"other functions of {part}"), rest


def _profile(name: str, weights: dict[tuple[str, ...], int], numbers: dict[str, int]) -> dict[str, Any]:
    kept = {stack: weight for stack, weight in weights.items() if weight > 0}
    return {
        "type": "sampled",
        "name": name,
        "unit": "none",
        "startValue": 0,
        "endValue": sum(kept.values()),
        "samples": [[numbers[frame] for frame in stack] for stack in kept],
        "weights": list(kept.values()),
    }
