"""A run in the formats of other programs, whose entries are its figures: one for each measured pass of a case."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from autoperf.core.clocks import KERNEL, WALL, Clock
from autoperf.core.outcome import Outcome, Pass, PassMemory, PassName, Series
from autoperf.reports.runs import RunReport
from autoperf.reports.units import describe_case, one_line


@dataclass(frozen=True, slots=True)
class ExportedFigure:
    """A measured pass of a case."""

    outcome: Outcome
    pass_: PassName
    run: Pass

    @property
    def name(self) -> str:
        """A name that is stable and unique, on one line: `softmax/1a2b3c4d/forward`."""
        return one_line(f"{self.outcome.case}/{self.pass_}")

    @property
    def label(self) -> str:
        """A description of the case: `softmax small: data (32, 32)`."""
        return one_line(f"{self.outcome.operator} {self.outcome.profile}: {describe_case(self.outcome)}")

    @property
    def wall(self) -> Series | None:
        """The wall time."""
        return self.run.series(WALL)

    @property
    def kernel(self) -> Series | None:
        """The kernel time."""
        return self.run.series(KERNEL)

    @property
    def memory(self) -> PassMemory | None:
        """The memory of the pass."""
        return self.outcome.memory.of_pass(self.pass_) if self.outcome.memory else None

    def clocks(self) -> Iterator[tuple[Clock, Series]]:
        """The clocks of time that were read, wall time first."""
        for clock in (WALL, KERNEL):
            series = self.run.series(clock)
            if series is not None:
                yield clock, series


def exported_figures(report: RunReport) -> Iterator[ExportedFigure]:
    """Each measured pass, in the order of the report."""
    for outcome in report.rows:
        for name, run in outcome.passes.items():
            yield ExportedFigure(outcome, name, run)


def entry_lines(head: str, entries: Iterable[str], end: str) -> Iterator[str]:
    """A JSON document: its head, each entry on a line of its own, and its end."""
    yield head
    for number, entry in enumerate(entries):
        yield f",\n{entry}" if number else f"\n{entry}"
    yield f"\n{end}\n"
