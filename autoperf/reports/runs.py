"""A run as every format receives it: its outcomes, their selection and order, and the groups that they form."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import msgspec

from autoperf.analysis.modes import CompositeTimes, ModeTimes, composite_times, layer_times
from autoperf.analysis.network_times import NetworkTimes, network_times
from autoperf.core.lazy_sequences import LazySequence, Picked
from autoperf.core.operator import COMPOSITE_NAMESPACE
from autoperf.core.outcome import Outcome
from autoperf.core.probe import Reference
from autoperf.core.roofline import Roofline
from autoperf.reports import run_columns
from autoperf.reports.aliases import case_key, case_time, ranked_rows
from autoperf.reports.columns import Column, View
from autoperf.reports.provenance import provenance_columns
from autoperf.reports.units import (
    count,
)
from autoperf.results.environment import Machine
from autoperf.results.provenance import Provenance, provenance_of
from autoperf.results.runfile import RunHeader


@dataclass(frozen=True)
class RunReport:
    """A run, as every format receives it. `asked` is the number of planned cases, if the run may have ended early.

    `header` and `end` are the run file's first and last records; `end` is None where the run was cut short. `machines`
    are those that measured it.
    """

    header: object
    outcomes: Sequence[Outcome]
    end: object = None
    asked: int | None = None
    view: View = field(default_factory=View)
    machines: tuple[Machine, ...] = ()

    @property
    def origin(self) -> tuple[RunHeader, Machine] | None:
        """The header and the first machine of its run file, if it has one."""
        return (self.header, self.machines[0]) if isinstance(self.header, RunHeader) and self.machines else None

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
        named = (machine for machine in self.machines if machine.id == outcome.machine)
        machine = next(named, self.machines[0] if self.machines else None)
        return (machine.reference or None) if machine else None

    @cached_property
    def networks(self) -> list[NetworkTimes]:
        """The times of the networks from which its cases were captured; cases of files alone can be."""
        is_of_files = not isinstance(self.header, RunHeader) or self.header.options.get("cases")
        return network_times(self.outcomes) if is_of_files else []

    @cached_property
    def layers(self) -> list[ModeTimes]:
        """The selected layers that it measured in several ways."""
        return layer_times(self.selected)

    @property
    def ranks_networks(self) -> bool:
        """Whether networks are shown instead of their cases: unless columns, an order or a selection is requested."""
        view = self.view
        return bool(self.networks) and not (view.columns or view.sort or view.rows or view.group_by)

    @cached_property
    def composites(self) -> CompositeTimes:
        """The times of the selected composites, in each way to run them."""
        return composite_times(self.selected)

    @property
    def compares_composites(self) -> bool:
        """Whether composites are shown instead of their cases: unless columns, an order or groups are requested."""
        view = self.view
        return bool(self.composites) and not (view.columns or view.sort or view.group_by)

    @property
    def pairs_layers(self) -> bool:
        """Whether layers are shown side by side instead of their cases: unless columns or an order is requested."""
        view = self.view
        return bool(self.layers) and not (view.columns or view.sort or view.group_by)

    @cached_property
    def tabled(self) -> Sequence[Outcome]:
        """The rows that aren't in the tables of networks, layers and composites."""
        if not self.has_tables_of_groups:
            return self.ranking
        layers = self.layers if self.pairs_layers else ()
        paired = {outcome.case for layer in layers for outcome in layer.modes.values()}
        return [outcome for outcome in self.ranking if not (outcome.case in paired or self._is_grouped(outcome))]

    @property
    def has_tables_of_groups(self) -> bool:
        """Whether tables of networks, layers or composites replace the rows of some cases."""
        return self.ranks_networks or self.pairs_layers or self.compares_composites

    def _is_grouped(self, outcome: Outcome) -> bool:
        is_composite = outcome.category == COMPOSITE_NAMESPACE
        return (self.ranks_networks and bool(outcome.calls)) or (self.compares_composites and is_composite)

    @cached_property
    def columns(self) -> tuple[Column[Outcome], ...]:
        """The columns that it has, in the order of the CSV."""
        return (*run_columns.COLUMNS, *provenance_columns(self.provenance))

    @cached_property
    def selected(self) -> Sequence[Outcome]:
        """The outcomes that the filters keep. Raises UnknownNameError for a name that no outcome has."""
        return Picked(self.outcomes, self.view.rows.positions(self.outcomes)) if self.view.rows else self.outcomes

    @cached_property
    def rows(self) -> Sequence[Outcome]:
        """The selected outcomes in the requested order, as many as requested."""
        return self.view.limited(self._ordered)

    @cached_property
    def ranking(self) -> Sequence[Outcome]:
        """The rows of tables: in a sorted report, operators with one kernel share a row.

        The tables of networks and composites have their own limits; the table of layers has none.
        """
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
        aliases = len(self._ordered) - len(self._ranking) if self.view.sort else 0
        yield self.view.limit_line(len(self.ranking), len(self.selected) - aliases, "case")
        if aliases:
            yield f"{count(aliases, 'alias', 'aliases')} share rows, their times being nearly equal; CSV has them all"

    @cached_property
    def _ranking(self) -> RankedOutcomes:
        return RankedOutcomes(self._ordered)

    @cached_property
    def _ordered(self) -> Sequence[Outcome]:
        order = self.view.order(self.selected, self.columns)
        return self.selected if order is None else Picked(self.selected, order)


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
        return msgspec.structs.replace(outcome, operator=row.label(outcome.operator)) if row.aliases else outcome


def known_columns() -> tuple[Column[Outcome], ...]:
    """The columns of every run, with empty ones for the provenance."""
    return RunReport(None, ()).columns
