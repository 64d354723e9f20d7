"""A run as every format receives it: its outcomes, their selection, order and groups, and names of one kernel."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeVar

import msgspec

from autoperf.core.files import EXTENSIONS_VARIABLE
from autoperf.core.machine import Reference, Roofline
from autoperf.core.ndjson import LazySequence, Picked
from autoperf.core.outcome import Outcome, Status
from autoperf.core.texts import count
from autoperf.networks.report import ModeTimes, input_modes
from autoperf.networks.times import NetworkTimes, network_times
from autoperf.registry.names import without_namespace
from autoperf.reports import run_columns
from autoperf.reports.columns import Column, View
from autoperf.reports.provenance import RunWarnings, provenance_columns, run_warnings
from autoperf.reports.totals import figure
from autoperf.reports.units import one_line
from autoperf.runs.runfile import Machine, Provenance, RunEnd, RunHeader, provenance_of

CLOSE = 1.2
"""Maximum ratio of the times of aliases that share a row."""
NO_MACHINE = "(no machine)"

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class SharedRow:
    """A row of a ranking: its position among all rows, its time, and the names of the operators that share it."""

    position: int
    time: float
    names: list[str]

    def label(self, operator: str) -> str:
        """The operator with its aliases: `exp (also _npi_exp)`."""
        aliases = self.names[1:]
        return f"{operator} (also {', '.join(map(one_line, aliases))})" if aliases else operator


def computation(operator: str) -> str:
    """The name of what an operator computes: `add` of `_npi_add`, `broadcast_add` and `elemwise_add`."""
    return without_namespace(operator).removeprefix("broadcast_").removeprefix("elemwise_")


def ranked_rows(
    rows: Iterable[Row], key: Callable[[Row], Hashable], time: Callable[[Row], float | None], name: Callable[[Row], str]
) -> list[SharedRow]:
    """A ranking without the rows of aliases: equal keys, another name, and nearly equal times."""
    ranking: list[SharedRow] = []
    first: dict[int, SharedRow] = {}
    for position, row in enumerate(rows):
        row_time, row_name = time(row), name(row)
        shown = first.get(hash(key(row)))
        # Two cases of one operator never share a row.
        if shown and row_time and row_name not in shown.names and 1 / CLOSE <= row_time / shown.time <= CLOSE:
            shown.names.append(row_name)
            continue
        ranking.append(SharedRow(position, row_time or 0.0, [row_name]))
        if row_time:
            first.setdefault(hash(key(row)), ranking[-1])
    return ranking


def case_key(outcome: Outcome) -> Hashable:
    """The key that the cases of aliases share: the computation, the tensors and the parameters."""
    tensors = tuple((item.tensor.shape, item.tensor.dtype) for item in outcome.inputs)
    params = sorted((name, repr(value)) for name, value in outcome.params.items())
    return computation(outcome.operator), tensors, tuple(params)


def case_time(outcome: Outcome) -> float | None:
    """The forward median that ranks a case, in microseconds."""
    series = figure(outcome.forward)
    return series.median if series else None


@dataclass(frozen=True)
class RunReport:
    """A run, as every format receives it; `end` is None where it was cut short, `machines` are those that measured."""

    header: RunHeader | None
    outcomes: Sequence[Outcome]
    end: RunEnd | None = None
    view: View = field(default_factory=View)
    machines: tuple[Machine, ...] = ()

    @property
    def origin(self) -> tuple[RunHeader, Machine] | None:
        """The header and the first machine of its run file, if it has one."""
        return (self.header, self.machines[0]) if self.header and self.machines else None

    @cached_property
    def provenance(self) -> Provenance | None:
        """The origin of its measurements; None without a header."""
        return provenance_of(self.origin[0], self.machines) if self.origin else None

    @property
    def roofline(self) -> Roofline | None:
        """The roofline of the first machine, if the run knew it."""
        return (self.machines[0].roofline or None) if self.machines else None

    def reference(self, outcome: Outcome) -> Reference | None:
        """The reference speed of the machine that measured an outcome, if known."""
        machine = self._machine(outcome)
        return (machine.reference or None) if machine else None

    def extensions(self, outcome: Outcome) -> list[str]:
        """The files of the user's own operators that the processes of an outcome loaded."""
        machine = self._machine(outcome)
        files = machine.environment.settings.get(EXTENSIONS_VARIABLE, "") if machine else ""
        return [path for path in files.split(os.pathsep) if path]

    def machine_name(self, outcome: Outcome) -> str:
        """The name and the id of the machine that measured an outcome, which one of several may not have tried."""
        if len(self.machines) > 1 and not outcome.machine and outcome.status is not Status.MEASURED:
            return NO_MACHINE
        machine = self._machine(outcome)
        return f"{machine.environment.machine} {machine.id}" if machine else ""

    def _machine(self, outcome: Outcome) -> Machine | None:
        named = (machine for machine in self.machines if machine.id == outcome.machine)
        return next(named, self.machines[0] if self.machines else None)

    @cached_property
    def networks(self) -> list[NetworkTimes]:
        """The times of the networks from which its cases were captured; none of a selection. Cases of files can be."""
        is_of_files = not self.header or self.case_files
        return network_times(self.outcomes) if is_of_files and not self.view.rows else []

    @property
    def case_files(self) -> list[str]:
        """The files of cases that the run read."""
        paths = self.header.options.get("cases") if self.header else None
        return list(map(str, paths)) if isinstance(paths, list | tuple) else []

    @property
    def ranks_networks(self) -> bool:
        """Whether networks are shown instead of their cases: unless columns or an order is requested."""
        return bool(self.networks) and self._is_plain

    @cached_property
    def modes(self) -> list[ModeTimes]:
        """The selected layers and composites that it measured in several modes."""
        return input_modes(self.selected)

    @property
    def compares_modes(self) -> bool:
        """Whether the modes of an input are shown instead of its cases: unless columns or an order is requested."""
        return bool(self.modes) and self._is_plain

    @property
    def _is_plain(self) -> bool:
        return not (self.view.columns or self.view.sort or self.view.group_by)

    @cached_property
    def tabled(self) -> Sequence[Outcome]:
        """The rows that aren't in the tables of networks and modes."""
        return self.view.limited(self._remaining) if self.has_tables_of_groups else self.ranking

    @cached_property
    def _remaining(self) -> Sequence[Outcome]:
        """All selected outcomes that aren't in the tables of networks and modes."""
        modes = self.modes if self.compares_modes else ()
        compared = {outcome.case for times in modes for outcome in times.modes.values()}
        return [
            outcome
            for outcome in self.selected
            if outcome.case not in compared and not (self.ranks_networks and outcome.calls)
        ]

    @property
    def has_tables_of_groups(self) -> bool:
        """Whether tables of networks or modes replace the rows of some cases."""
        return self.ranks_networks or self.compares_modes

    @cached_property
    def columns(self) -> tuple[Column[Outcome], ...]:
        """The columns that it has, in the order of the CSV."""
        own = (
            replace(column, value=self.warnings.letters_of) if column.name == run_columns.WARNING_CODES else column
            for column in run_columns.COLUMNS
        )
        return (*own, *provenance_columns(self.provenance))

    @cached_property
    def warnings(self) -> RunWarnings:
        """The warnings of the selected outcomes. Tables of networks show the codes of each call."""
        found = run_warnings([outcome] for outcome in self.selected)
        return replace(found, common=frozenset()) if self.networks else found

    @cached_property
    def selected(self) -> Sequence[Outcome]:
        """The outcomes that the filters keep. Raises UnknownNameError for a name that no outcome has."""
        return Picked(self.outcomes, self.view.rows.positions(self.outcomes)) if self.view.rows else self.outcomes

    @cached_property
    def ordered(self) -> Sequence[Outcome]:
        """The selected outcomes in the requested order."""
        return self.view.ordered(self.selected, self.columns)

    @cached_property
    def rows(self) -> Sequence[Outcome]:
        """The first of these, as many as requested."""
        return self.view.limited(self.ordered)

    @cached_property
    def ranking(self) -> Sequence[Outcome]:
        """The rows of tables: in a sorted report, operators with one kernel share one. Groups have their own limits."""
        if self.has_tables_of_groups:
            return self.selected
        return self.view.limited(self._ranking) if self.view.sort else self.rows

    @property
    def selection_line(self) -> str:
        """The number of cases that the filters keep, in words; empty without filters."""
        return f"{len(self.selected)} of {count(len(self.outcomes), 'case')} selected" if self.view.rows else ""

    @property
    def left_out(self) -> Iterator[str]:
        """The numbers of rows that filters, --limit and shared rows hide, in words."""
        yield self.selection_line
        aliases = len(self.ordered) - len(self._ranking) if self.view.sort else 0
        total = len(self._remaining) if self.has_tables_of_groups else len(self.selected) - aliases
        yield self.view.limit_line(len(self.tabled), total, "case")
        if aliases:
            yield f"{count(aliases, 'alias', 'aliases')} share rows, their times being nearly equal; CSV has them all"

    @cached_property
    def _ranking(self) -> RankedOutcomes:
        return RankedOutcomes(self.ordered)


class RankedOutcomes(LazySequence[Outcome]):
    """Sorted outcomes; aliases with nearly equal times share the row of the first."""

    def __init__(self, outcomes: Sequence[Outcome]) -> None:
        self._outcomes = outcomes
        self._rows = ranked_rows(outcomes, case_key, case_time, lambda outcome: outcome.operator)

    def __len__(self) -> int:
        return len(self._rows)

    def item(self, position: int) -> Outcome:
        """The outcome at a place of the ranking."""
        row = self._rows[position]
        outcome = self._outcomes[row.position]
        return msgspec.structs.replace(outcome, operator=row.label(outcome.operator))


def known_columns() -> tuple[Column[Outcome], ...]:
    """The columns of every run, with empty ones for the provenance."""
    return RunReport(None, ()).columns
