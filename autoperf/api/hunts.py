"""`autoperf.run_hunt` and `autoperf.load_hunt`: a hunt from Python, and a stored one as a value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from autoperf.api.arguments import Function, functions_of
from autoperf.api.options import HUNTING_OPTIONS, HuntingKeywords, hunting_options, showing
from autoperf.api.results import PathText, Record, Results, path_of
from autoperf.backends.lookup import parse_other_framework
from autoperf.cases.selection import check_categories
from autoperf.core import options as table
from autoperf.core.finding import Finding
from autoperf.core.interrupts import interrupts_resent
from autoperf.front.output import notices, session_sink
from autoperf.front.run_output import run_here_or_on
from autoperf.front.stored_reports import stored_hunt
from autoperf.front.streams import command_line
from autoperf.hunt.progress import hunt_progress_for
from autoperf.hunt.report import HuntReport, json_text
from autoperf.hunt.request import HuntRequest
from autoperf.hunt.session import HuntSession
from autoperf.hunt.sides import SidesRequest
from autoperf.measurement.resumed_run import default_hunt_folder

if TYPE_CHECKING:
    from typing_extensions import Unpack

_BUDGET, _LEAST, _, _SIGNAL = table.HUNT
_FIELDS = (
    table.PROFILE, table.SEED, table.DTYPE, table.ELEMENTS, _BUDGET, _LEAST, table.TIMEOUT, table.MEMORY_LIMIT,
    table.CTX, table.COUNTERS, _SIGNAL,
)  # fmt: skip
"""The options that are fields of a request."""


@showing(HUNTING_OPTIONS, "hunt")
def run_hunt(operators: Function | Sequence[Function] | None = None, **options: Unpack[HuntingKeywords]) -> HuntResults:
    """Searches for inputs on which operators are unexpectedly slow, as `autoperf hunt` does, and returns the findings.

    `operators` are as those of `autoperf.measure`. With `against`, another framework such as "torch", MXNet is compared
    with its calls of equal results. Raises AutoperfError for mistakes, and KeyboardInterrupt after Ctrl-C, when the
    findings so far are in the folder.
    """
    given = hunting_options(options)
    functions = () if operators is None else functions_of(operators)
    selection, libraries, against = given.selection(functions), given.libraries(functions), given["against"]
    if not given["cases"]:
        check_categories(selection.categories)
    request = HuntRequest(
        categories=selection.categories,
        operators=selection.operators,
        namespaces=selection.namespaces,
        cases=tuple(map(str, given["cases"])),
        rules=tuple(map(str, given["rules"])),
        library=None if against else next(iter(libraries), None),
        sides=SidesRequest(libraries=libraries, against=str(parse_other_framework(against))) if against else None,
        **given.fields(_FIELDS),
    )
    folder = given["folder"] or default_hunt_folder()
    with given.with_extensions():
        with interrupts_resent(), session_sink(hunt_progress_for(notices()) if given.progress else None) as sink:
            finished = run_here_or_on(given.cluster, HuntSession(request, folder, sink, command_line()))
        if not finished.complete:
            raise KeyboardInterrupt(f"the findings so far are in {folder}; autoperf.load_hunt reads it")
    return HuntResults(folder)


def load_hunt(path: PathText) -> HuntResults:
    """The findings of a hunt, from its folder or its log. Raises CaseFileError for any other file."""
    results = HuntResults(path_of(path))
    results.report  # noqa: B018 - a file that is no log is an error here
    return results


@dataclass(frozen=True)
class HuntResults(Results[Finding]):
    """The findings of a hunt, in its folder or its log: a sequence in the order of the report."""

    kind = "hunt"
    path: Path

    @cached_property
    def report(self) -> HuntReport:
        """The hunt as report formats receive it. Raises CaseFileError if the log has changed."""
        return stored_hunt(self.path)

    @property
    def rows(self) -> tuple[Finding, ...]:
        """The findings, those of one operator first, then those of each cause, costliest first."""
        return tuple(finding for _, finding in self.report.ranked)

    @property
    def records(self) -> list[Record]:
        """A dictionary for each finding, as in `hunt.json`; times are in microseconds."""
        records: list[Record] = msgspec.json.decode(json_text(self.report))["findings"]
        return records

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.report.summary} in {self.path}>"
