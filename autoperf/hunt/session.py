"""A hunt from request to folder: opens a release, searches its operators, and writes findings at once."""

from __future__ import annotations

import math
import platform
import time
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import psutil

from autoperf import __version__
from autoperf.cases.release import open_release
from autoperf.cases.selection import Target
from autoperf.core.case import Case
from autoperf.core.errors import LibraryError, UsageError
from autoperf.core.events import HuntResumed, HuntStarted, Sink, notify
from autoperf.core.graph import LAYERS
from autoperf.core.machine import Roofline
from autoperf.core.outcome import METHOD
from autoperf.hunt.instructions import CodeCounter, CountedSide, CountingSource
from autoperf.hunt.operators import MIN_SECONDS_PER_OPERATOR, Hunt
from autoperf.hunt.request import TIME, HuntRequest, in_dtypes, recorded_cases
from autoperf.hunt.sides import HuntSide, HuntSides, sides_of, timing_clients
from autoperf.hunt.stored import HuntFolder
from autoperf.measurement.machine_state import disturbances, known_roofline, roofline
from autoperf.measurement.quick_timing_client import SideTimings
from autoperf.measurement.resumed_run import check_facts
from autoperf.measurement.scratch import scratch_folder
from autoperf.measurement.sides import rule_limits
from autoperf.reports.units import span
from autoperf.runs.huntlog import HuntHeader, ResumableHunt
from autoperf.runs.runfile import Environment, facts_of, machine_of, record, utc_now

# A hunt that exceeds its budget by more than a tenth reports what took the time.
BUDGET_TOLERANCE = 1.1


@dataclass(frozen=True)
class FinishedHunt:
    """The closed folder of a hunt; `complete` unless interrupted; failures of user rules, each once."""

    folder: HuntFolder
    complete: bool
    rule_failures: tuple[str, ...] = ()


@dataclass(frozen=True)
class HuntSession:
    """Runs the hunt of a request; `output` is its folder, `resumed` a hunt to resume there.

    `command` has the words of the command line. `given` are the cases of a request whose files were read elsewhere.
    """

    request: HuntRequest
    output: Path
    sink: Sink
    command: tuple[str, ...]
    resumed: ResumableHunt | None = None
    given: Mapping[str, Sequence[Case]] = field(default_factory=dict)

    def run(self) -> FinishedHunt:
        """Hunts until the budget is used up, nothing is left, or Ctrl-C is pressed. Raises AutoperfError."""
        started = time.monotonic()
        request = self.request
        request.check()
        with ExitStack() as stack:
            scratch = stack.enter_context(scratch_folder())
            sides = self.sides(stack)
            recorded = self.recorded(sides, scratch)
            selected = self.targets(sides, recorded)
            clients = timing_clients(sides, scratch, stack)
            header = self.header(sides, selected, record(clients[sides.searched.number].build.facts))
            folder = stack.enter_context(self.opened_folder(header))
            notify(self.sink, self._short_budget(selected))
            notify(self.sink, disturbances())
            before, used = time.monotonic(), folder.used
            machine = self._roofline(sides.searched)
            apart = time.monotonic() - before
            self.sink.handle(HuntStarted())
            hunt = Hunt(sides, request, folder, self.sink, scratch, recorded=recorded)
            # What the roofline takes was told to come on top.
            source = self._source(sides, SideTimings(clients), scratch, stack)
            complete = hunt.run(selected, source, machine, started + apart)
            seconds = time.monotonic() - started - hunt.counting
            notify(self.sink, overrun_notices(request.budget - used, hunt.start + apart, seconds))
        return FinishedHunt(folder, complete, sides.rule_failures)

    def sides(self, stack: ExitStack) -> HuntSides:
        """Opens the release of each side."""
        request = self.request
        rules, limits = tuple(map(Path, request.rules)), rule_limits(request.settings)
        releases = [stack.enter_context(open_release(hint, rules, limits)) for hint in request.hints]
        for release in releases:
            notify(self.sink, release.unknown_names())
        names = request.selection.operators
        notify(self.sink, dict.fromkeys(note for release in releases for note in release.name_notes(names)))
        notify(self.sink, request.own.notes())
        return sides_of(releases, request.sides, request.settings)

    def _source(
        self, sides: HuntSides, timer: SideTimings, scratch: Path, stack: ExitStack
    ) -> SideTimings | CountingSource:
        """The source of times, or of counts, that the search asks about inputs."""
        if self.request.signal == TIME:
            return timer
        counted = [CountedSide(side.release.library, side.settings) for side in sides.ordered]
        counter = CodeCounter(counted, scratch, stack)
        for side in range(len(counted)):
            counter.executor(side)
        return CountingSource(counter, timer, sides.searched.number, (sides.other or sides.searched).number)

    def _roofline(self, side: HuntSide) -> Roofline | None:
        """The roofline for evidence; None where it can't be measured, and by instructions, of which it has no bound."""
        library, env = side.release.library, side.settings.env
        if self.request.signal != TIME:
            return None
        if known_roofline(library, env) is None:
            notice = "measuring the roofline of this machine takes three to ten seconds in addition to the budget"
            notify(self.sink, [notice])
        try:
            return roofline(library, env)
        except LibraryError as error:
            notify(self.sink, [f"{error}; findings have no evidence by it"])
            return None

    def targets(self, sides: HuntSides, recorded: Container[str]) -> list[Target]:
        """The selected operators, or those that the user's inputs are for. Raises UsageError for a layer of Gluon."""
        selected = sides.targets(self.request.selection)
        if layer := next((target.operator for target in selected if target.category == LAYERS), None):
            # Its inputs have no neighbours, but those of its operators have.
            raise UsageError(
                f"hunt searches operators, and {layer.name} is a layer of Gluon: `autoperf capture "
                f"{layer.description}` writes its calls of operators, which `autoperf hunt --cases` searches"
            )
        selected = [in_dtypes(target, self.request.dtypes) for target in selected]
        if not (self.request.cases or self.request.own or self.given):
            return selected
        without = [target.operator.name for target in selected if target.operator.name not in recorded]
        notify(self.sink, without_cases(without, self.request.operators))
        return [target for target in selected if target.operator.name in recorded]

    def recorded(self, sides: HuntSides, scratch: Path) -> dict[str, list[Case]]:
        """The cases to try first, by operator. Raises CaseFileError and UsageError for cases that can't be read."""
        if self.given:
            return {operator: list(cases) for operator, cases in self.given.items()}
        notices: list[str] = []
        recorded = recorded_cases(self.request, sides, scratch, notices)
        notify(self.sink, notices)
        return recorded

    def header(self, sides: HuntSides, selected: Sequence[Target], environment: Environment) -> HuntHeader:
        """The header of the log, with the environment of the machine that measures."""
        return HuntHeader(
            method=METHOD,
            autoperf=__version__,
            mxnet=sides.searched.side.mxnet,
            seed=self.request.seed,
            budget=self.request.budget,
            operators=tuple(target.operator.name for target in selected),
            started=utc_now(),
            command=self.command[1:],
            options=msgspec.to_builtins(self.request.located()),
            environment=environment,
            sides=sides.records,
        )

    def opened_folder(self, header: HuntHeader) -> HuntFolder:
        """The folder of a new hunt, or of the one that goes on here; harmless changes since then are notices.

        Raises UsageError if it would go on with another MXNet or in another environment, CaseFileError and OutputError.
        """
        if self.resumed is None:
            return HuntFolder(self.output, header)
        notify(self.sink, check_facts(self.output, _facts(self.resumed.header), _facts(header), "hunt"))
        folder = HuntFolder(self.output, header, resumed=self.resumed)
        notify(self.sink, self.resumed.notices)
        words, machine, load = self.command[1:], platform.node(), psutil.getloadavg()
        folder.write(HuntResumed(at=folder.used, started=utc_now(), command=words, machine=machine, load=load))
        return folder

    def _short_budget(self, selected: Sequence[Target]) -> Iterator[str]:
        """A notice if the budget is too short for the number of operators, with the shortest that isn't."""
        count, budget = sum(target.rule is not None for target in selected), self.request.budget
        needed = MIN_SECONDS_PER_OPERATOR * count
        if count > 1 and budget < needed:
            yield (
                f"{count:,} operators share {span(budget)} ({budget / count:.1g} s each), and each needs "
                f"{span(MIN_SECONDS_PER_OPERATOR)} or more to be searched: select at most "
                f"{max(1, int(budget / MIN_SECONDS_PER_OPERATOR)):,} (--operator, --category), or use "
                f"--time-budget {math.ceil(needed / 60)}m"
            )


def _facts(header: HuntHeader) -> dict[str, Any]:
    return {
        "MXNet": header.mxnet,
        "sides": ", ".join(side.mxnet for side in header.sides),
        "autoperf": header.autoperf,
        "method of measuring": header.method,
        **facts_of([machine_of(header.environment)]),
    }


def without_cases(names: Sequence[str], selected: Sequence[str]) -> Iterator[str]:
    """A notice of the operators that were selected by name and have no case in the files or on the command line."""
    if names and selected:
        yield f"not searched, since no case is for {'it' if len(names) == 1 else 'them'}: {', '.join(names)}"


def overrun_notices(budget: float, start: float, total: float) -> Iterator[str]:
    """A notice of what took the time, if a hunt exceeded its budget by more than a tenth.

    All in seconds and of this session: what was left of the budget, the start, and the total.
    """
    if total > BUDGET_TOLERANCE * budget:
        yield (
            f"the hunt took {span(total)} with a budget of {span(budget)}: {span(start)} to start, "
            f"{span(total - start)} to search and to confirm findings"
        )
