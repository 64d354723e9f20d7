"""The formats of reports by kind and name. Functions are imported on first use: the command line reads names alone."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from autoperf.core.errors import UnknownNameError

if TYPE_CHECKING:
    from rich.text import Text

Kind: TypeAlias = Literal[
    "run", "runs", "comparison", "groups", "history", "coverage", "layers", "hunt", "ledger", "doctor", "recheck",
    "self_comparison", "releases", "frameworks", "implementations", "upgrade", "formulas",
]  # fmt: skip
_FIRST = "table"
_BY_SUFFIX = {"txt": _FIRST, "xml": "junit"}
"""The suffixes that aren't the name of their format."""
_USUAL = ("csv", "html", "json", "md", *_BY_SUFFIX)


@dataclass(frozen=True, slots=True)
class Format:
    """The way to write a report.

    `write` names the function that returns the pieces, as `package.module:function`: text in its format, or
    lines for a terminal, fitted to a width if `fits`. `prepare` names the function that turns the report into the
    argument of `write`, such as `Report` values. `columns` and `sort`: whether these options apply; `samples`: whether
    a run's raw samples are shown.
    """

    write: str
    prepare: str = ""
    columns: bool = False
    sort: bool = False
    samples: bool = False
    fits: bool = False

    def pieces(self, report: Any, width: int) -> Iterable[str | Text]:
        """The report in pieces, for a terminal of this width in characters if it is a table."""
        shown = function_named(self.prepare)(report) if self.prepare else report
        write = function_named(self.write)
        pieces: str | Iterable[str | Text] = write(shown, width) if self.fits else write(shown)
        return [pieces] if isinstance(pieces, str) else pieces


def _terminal(prepare: str, *, columns: bool = False, sort: bool = False) -> Format:
    return Format("reports.table:terminal_lines", prepare, columns=columns, sort=sort, fits=True)


def _tables(reports: str, *, columns: bool = False, sort: bool = False) -> dict[str, Format]:
    markdown = Format("reports.table:markdown_lines", reports, columns=columns, sort=sort)
    return {"table": _terminal(reports, columns=columns, sort=sort), "md": markdown}


def _listing(reports: str, document: str) -> dict[str, Format]:
    return {"table": _terminal(reports), "json": Format("reports.table:json_lines", document)}


def _catalogue(module: str, table: str, document: str) -> dict[str, Format]:
    return {
        "table": _terminal(f"{module}:terminal_reports"),
        "csv": Format("reports.table:csv_lines", f"{module}:{table}"),
        "json": Format("reports.table:json_lines", f"{module}:{document}"),
        "md": Format("reports.table:markdown_lines", f"{module}:markdown_reports"),
    }


def _page(prepare: str, *, columns: bool = False, sort: bool = False, samples: bool = False) -> Format:
    return Format("reports.html.page:render", prepare, columns, sort, samples)


FORMATS: Mapping[Kind, Mapping[str, Format]] = {
    "run": {
        **_tables("summary.documents:run_reports", columns=True, sort=True),
        "csv": Format("reports.table:csv_lines", columns=True, sort=True),
        "json": Format("summary.documents:json_lines", sort=True, samples=True),
        "html": _page("summary.page:run_page", columns=True, sort=True, samples=True),
        "google_benchmark": Format("summary.exports:google_benchmark_lines", sort=True, samples=True),
        "junit": Format("comparison.exports:run_lines", sort=True),
        "opperf_csv": Format("summary.exports:opperf_csv", sort=True),
        "opperf_json": Format("summary.exports:opperf_json", sort=True),
        "opperf_md": Format("summary.exports:opperf_markdown", sort=True),
    },
    "runs": {
        **_tables("comparison.release_matrix:release_reports"),
        "csv": Format("comparison.side_by_side:csv_lines", columns=True, sort=True),
        "json": Format("comparison.side_by_side:json_of_runs", sort=True, samples=True),
        "html": _page("comparison.page:releases_page"),
    },
    "comparison": {
        **_tables("comparison.documents:comparison_reports", columns=True, sort=True),
        "csv": Format("reports.table:csv_lines", columns=True, sort=True),
        "json": Format("reports.table:json_lines", "comparison.documents:json_document", sort=True),
        "html": _page("comparison.page:comparison_page", columns=True, sort=True),
        "comment": Format("comparison.exports:comment_text", sort=True),
        "junit": Format("comparison.exports:comparison_lines", sort=True),
        "speedscope": Format("comparison.exports:speedscope_text"),
    },
    "groups": {
        **_tables("comparison.groups:group_reports", columns=True, sort=True),
        "csv": Format("reports.table:csv_lines", columns=True, sort=True),
        "json": Format("reports.table:json_lines", "comparison.groups:group_document", sort=True),
    },
    "history": {
        **_tables("history.report:history_reports"),
        "csv": Format("reports.table:csv_lines"),
        "json": Format("reports.table:json_lines", "history.report:history_document"),
        "html": _page("history.page:history_page"),
    },
    "coverage": _catalogue("coverage.report", "operator_table", "coverage_document"),
    "layers": _catalogue("coverage.layers", "csv_table", "layer_document"),
    "hunt": {
        "table": _terminal("hunt.report:terminal_reports"),
        "json": Format("hunt.report:json_text"),
        "md": Format("reports.table:markdown_lines", "hunt.report:markdown_reports"),
        "html": _page("hunt.page:hunt_page"),
        "issue": Format("hunt.issue:issue_lines"),
    },
    "ledger": _listing("coverage.report:ledger_reports", "coverage.report:ledger_document"),
    "doctor": _listing("machine.doctor:doctor_reports", "machine.doctor:doctor_document"),
    "recheck": {"table": _terminal("hunt.findings:recheck_reports"), "json": Format("hunt.findings:recheck_json")},
    "self_comparison": _listing(
        "front.self_comparison:self_comparison_reports", "front.self_comparison:self_comparison_document"
    ),
    "releases": _listing("machine.doctor:installed_reports", "machine.doctor:installed_document"),
    "frameworks": _listing("machine.doctor:framework_reports", "machine.doctor:framework_document"),
    "implementations": _catalogue("coverage.frameworks", "csv_table", "framework_document"),
    "upgrade": {
        **_tables("upgrade.report:upgrade_reports"),
        "json": Format("reports.table:json_lines", "upgrade.report:upgrade_document"),
        "html": _page("upgrade.report:upgrade_page"),
    },
    "formulas": _listing("hunt.instructions:formulas_reports", "hunt.instructions:formulas_document"),
}


def function_named(reference: str) -> Callable[..., Any]:
    """The function of a reference such as `summary.documents:run_reports`."""
    module, _, name = reference.partition(":")
    function: Callable[..., Any] = getattr(import_module(f"autoperf.{module}"), name)
    return function


def names(kind: Kind) -> tuple[str, ...]:
    """The formats that this kind of report is offered in, the table first."""
    return tuple(sorted(FORMATS[kind], key=lambda name: (name != _FIRST, name)))


def load(kind: Kind, name: str) -> Format:
    """The format of that name. Raises UnknownNameError."""
    if name not in FORMATS[kind]:
        raise UnknownNameError("format", name, names(kind))
    return FORMATS[kind][name]


def form_of(path: Path, offered: Collection[str]) -> str | None:
    """The format that a file's suffix names, if it is one of these; else None."""
    form = _form_by(path.suffix.lower().removeprefix("."))
    return form if form in offered else None


def usual_suffixes(offered: Collection[str]) -> list[str]:
    """The suffixes that files of these formats usually have."""
    return sorted(f".{suffix}" for suffix in _USUAL if _form_by(suffix) in offered)


def _form_by(suffix: str) -> str:
    return _BY_SUFFIX.get(suffix, suffix)
