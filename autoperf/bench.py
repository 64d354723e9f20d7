"""The names that a rendered file imports: what states a case, and `main` and `contrast`, which measure the file."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from autoperf.cases.suite_vocabulary import (
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
from autoperf.core.errors import Exit

__all__ = [
    "Suite",
    "ascending",
    "boxes",
    "case",
    "constant",
    "contrast",
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


def contrast(
    path: str,
    slow: Callable[[], Mapping[str, Any]],
    fast: Callable[[], Mapping[str, Any]],
    *,
    pass_: str,
    above: float,
    threads: int | None = None,
    sides: Sequence[Mapping[str, Any]] = (),
    arguments: Sequence[str] | None = None,
) -> int:
    """Time two cases of this file in turn and print both; the exit code: 1 while it is surely so, 0 once it isn't.

    It is 2 after any error, also one of which Python would exit with 1.

    What is claimed: of this pass, `slow` takes more than `above` times as long as `fast`. It was found with so many
    `threads`, if that is known. Two `sides` are those on which `slow` and `fast` run: each has `mxnet`, a release or a
    build's path, and may have `env`, the variables of its environment; the second may have `framework` instead, such as
    `torch`. `--help` lists the options.
    """
    names = {"slow": slow.__name__, "fast": fast.__name__}
    claim = {**names, "pass_": pass_, "above": above, "threads": threads, "sides": sides}
    try:
        from autoperf.cli.main import run_finding  # noqa: PLC0415 - as above

        return run_finding(path, claim, arguments)
    except ImportError as error:
        sys.stderr.write(f"{path}: {error}; run it with the Python that has autoperf and its dependencies\n")
    except Exception:  # noqa: BLE001 - a mistake of autoperf's own, which must not look like a finding
        traceback.print_exc()
    return Exit.USER_MISTAKE
