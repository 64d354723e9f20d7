"""The names that a rendered file imports: what states a case, and `main`, which measures the file."""

from __future__ import annotations

from collections.abc import Sequence

from autoperf.cases.suite import (
    Suite,
    ascending,
    boxes,
    case,
    constant,
    distinct,
    graph,
    integers,
    literal,
    mask,
    matrices,
    node,
    normal,
    patterned,
    probabilities,
    tensor,
    uniform,
)

__all__ = [
    "Suite",
    "ascending",
    "boxes",
    "case",
    "constant",
    "distinct",
    "graph",
    "integers",
    "literal",
    "main",
    "mask",
    "matrices",
    "node",
    "normal",
    "patterned",
    "probabilities",
    "tensor",
    "uniform",
]


def main(path: str, arguments: Sequence[str] | None = None) -> int:
    """Measure the cases of this file and print the figures; the exit code. `--help` lists the options."""
    from autoperf.cli.main import run_file  # noqa: PLC0415 - a worker that only reads the cases needs no command line

    return run_file(path, arguments)
