"""The formats of reports. Each file `formats/REPORT/FORMAT.py` is a format and is offered automatically.

Such a file defines `FORMAT`. It is imported on first use.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeAlias, TypeVar

from autoperf.core.errors import UnknownNameError

if TYPE_CHECKING:
    from rich.console import RenderableType

    Piece: TypeAlias = RenderableType
    """Text in its format, or something that rich renders for a terminal."""

Report = TypeVar("Report")
Kind: TypeAlias = Literal[
    "run",
    "runs",
    "comparison",
    "groups",
    "history",
    "coverage",
    "coverages",
    "layers",
    "hunt",
    "ledger",
    "doctor",
    "recheck",
    "releases",
]
_FIRST = "table"
_BY_SUFFIX = {"txt": _FIRST, "xml": "junit"}
"""The suffixes that aren't the name of their format."""
_USUAL = ("csv", "html", "json", "md", *_BY_SUFFIX)


@dataclass(frozen=True, slots=True)
class Format(Generic[Report]):
    """How a report is written: its pieces, for a width.

    `columns` and `sort`: whether it takes these options; `samples`: whether it shows the raw samples of a run.
    """

    pieces: Callable[[Report, int], Iterable[Piece]]
    columns: bool = False
    sort: bool = False
    samples: bool = False


def text(
    lines: Callable[[Report], Iterable[str]], *, columns: bool = False, sort: bool = False, samples: bool = False
) -> Format[Report]:
    """A format that is the same for every width."""
    return Format(lambda report, _: lines(report), columns, sort, samples)


def screen(render: Callable[[Report], Piece]) -> Format[Report]:
    """A format that rich fits to the width."""
    return Format(lambda report, _: [render(report)])


def names(kind: Kind) -> tuple[str, ...]:
    """The formats that this kind of report is offered in, the table first."""
    package = import_module(f"{__name__}.{kind}")
    modules = sorted(module.name for module in pkgutil.iter_modules(package.__path__))
    return tuple(sorted(modules, key=lambda name: name != _FIRST))


def form_of(path: Path, offered: Collection[str]) -> str | None:
    """The one of these formats that a file's suffix names; None if it names none of them."""
    form = _form_by(path.suffix.lower().removeprefix("."))
    return form if form in offered else None


def usual_suffixes(offered: Collection[str]) -> list[str]:
    """The suffixes that files of these formats usually have."""
    return sorted(f".{suffix}" for suffix in _USUAL if _form_by(suffix) in offered)


def _form_by(suffix: str) -> str:
    return _BY_SUFFIX.get(suffix, suffix)


def load(kind: Kind, name: str) -> Format[Any]:
    """The format of that name. Raises UnknownNameError."""
    available = names(kind)
    if name not in available:
        raise UnknownNameError("format", name, available)
    form: Format[Any] = import_module(f"{__name__}.{kind}.{name}").FORMAT
    return form
