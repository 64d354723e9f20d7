"""The groups in which the help of a command shows its options: the ten common ones first, then each by its subject."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import click
from cloup import OptionGroup

COMMON = "Common options"
GROUPS: Mapping[str, tuple[str, ...]] = {
    "What to measure": (
        "--operator", "--category", "--namespace", "--front-ends", "--input-profile", "--list-categories", "--mxnet",
        "--env", "--faster", "--extension", "--rules", "--covered", "--uncovered", "--excluded", "--layers",
        "--history",
    ),
    "Inputs": (
        "--input", "--param", "--cases", "--dtype", "--draws", "--seed", "--max-elements", "--int64-tensor", "--batch",
    ),
    "How to measure": (
        "--precision", "--max-time", "--processes", "--time-budget", "--visits", "--warmup", "--samples",
        "--profiler", "--clock", "--counters", "--caller", "--at-least", "--resume", "--replay", "--test-dtypes",
        "--train",
    ),
    "How to compare": ("--threshold", "--margin", "--pass", "--allow-missing", "--aa"),
    "Output": (
        "--format", "--report", "--run-file", "--cases-file", "--folder", "--output-format", "--columns", "--sort",
        "--limit", "--group-by", "--only-changed", "--check", "--write-ledger", "--force", "--verbose",
        "--quiet",
    ),
    "Machine": ("--ctx", "--cpus", "--timeout", "--memory-limit"),
}  # fmt: skip
"""The options of all commands. A group shows those that a command has, in this order."""
_COMMON: Mapping[str, tuple[str, ...]] = {
    "run": (
        "--operator", "--category", "--input", "--param", "--dtype", "--cases", "--mxnet", "--time-budget",
        "--run-file", "--format",
    ),
    "compare": (
        "--mxnet", "--operator", "--category", "--input", "--dtype", "--time-budget", "--threshold", "--only-changed",
        "--format", "--report",
    ),
    "hunt": (
        "--operator", "--category", "--input", "--dtype", "--cases", "--mxnet", "--time-budget", "--at-least",
        "--folder", "--resume",
    ),
    "generate": (
        "--operator", "--category", "--input", "--param", "--dtype", "--cases", "--draws", "--seed", "--mxnet",
        "--folder",
    ),
}  # fmt: skip
MIN_OPTIONS = 12
"""A command with fewer options shows them in one list."""


def group_options(command: str | None, parameters: Sequence[click.Parameter]) -> list[OptionGroup]:
    """The groups with the options of a command; none for a command with few options."""
    options = {each.opts[0]: each for each in parameters if isinstance(each, click.Option)}
    if len(options) < MIN_OPTIONS:
        return []
    groups = []
    for title, flags in _titled(command or ""):
        group = OptionGroup(title)
        group.options = [options.pop(flag) for flag in flags if flag in options]
        groups.append(group)
    groups[-1].options = [*groups[-1].options, *options.values()]
    return [group for group in groups if group.options]


def _titled(command: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    yield COMMON, _COMMON.get(command, ())
    yield from GROUPS.items()
