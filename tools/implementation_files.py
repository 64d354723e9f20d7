"""The files between MXNet's process and another framework's: cases of an operator, and MXNet's results of each.

They hold no contents: each process draws those from the case (`autoperf/backends/contents.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from autoperf.backends.results import CaseResults, read_results, write_results
from autoperf.core.case import Case
from autoperf.core.operator import Operator


class Expected(msgspec.Struct, frozen=True):
    """MXNet's results of a case, or the error that says why there are none."""

    case: Case
    results: CaseResults | None = None
    error: str = ""


class OperatorResults(msgspec.Struct, frozen=True):
    """An operator, its category, and MXNet's results of its cases."""

    operator: Operator
    category: str
    expected: tuple[Expected, ...]


class _Entry(msgspec.Struct, frozen=True):
    case: Case
    error: str = ""


class _Index(msgspec.Struct, frozen=True):
    operator: Operator
    category: str
    entries: tuple[_Entry, ...]


def save(folder: Path, operator: OperatorResults) -> None:
    """Writes the cases of an operator, and a file of arrays for each."""
    arrays = folder / operator.operator.name
    arrays.mkdir(exist_ok=True)
    entries = []
    for place, item in enumerate(operator.expected):
        if item.results:
            write_results(item.results, arrays / f"{place}.npz")
        entries.append(_Entry(item.case, item.error))
    index = _Index(operator.operator, operator.category, tuple(entries))
    (folder / f"{operator.operator.name}.json").write_bytes(msgspec.json.encode(index))


def load(path: Path) -> OperatorResults:
    """Reads the results of an operator, from the path of its cases."""
    index = msgspec.json.decode(path.read_bytes(), type=_Index)
    arrays = path.with_suffix("")
    expected = (
        Expected(entry.case, None if entry.error else read_results(arrays / f"{place}.npz"), entry.error)
        for place, entry in enumerate(index.entries)
    )
    return OperatorResults(index.operator, index.category, tuple(expected))


def load_all(folder: Path, names: Sequence[str] = ()) -> Iterator[OperatorResults]:
    """The results of these operators, or of all."""
    for path in sorted(folder.glob("*.json")):
        if not names or path.stem in names:
            yield load(path)
