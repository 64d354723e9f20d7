"""A hunt on a fleet: operators are searched on all machines at the same time, and their findings kept in one folder."""

from __future__ import annotations

import itertools
import math
import random
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path

import msgspec

from autoperf.backends.lookup import MXNET, parse_other_framework
from autoperf.backends.user_code import extensions
from autoperf.cases.selection import Target
from autoperf.core.case import Case
from autoperf.core.events import (
    BudgetStarted,
    HuntFinished,
    HuntStarted,
    LoggedEvent,
    Notice,
    OperatorSearched,
    OperatorStarted,
    Sink,
)
from autoperf.core.finding import SearchEnd
from autoperf.core.interrupts import interrupts_deferred
from autoperf.fleet.clusters import opened_cluster
from autoperf.fleet.fleet import Answered, DaskFleet, Fleet, Lost, allowed_failures
from autoperf.fleet.messages import Greeting, HuntDone, HuntMessage, Reply, Session, shipped, wanted_side
from autoperf.hunt.operators import MIN_SECONDS_PER_OPERATOR, unsearched
from autoperf.hunt.request import HuntRequest
from autoperf.hunt.session import FinishedHunt, HuntSession
from autoperf.hunt.sides import HuntSide, HuntSides
from autoperf.hunt.stored import HuntFolder
from autoperf.measurement.run_request import BuildHints
from autoperf.measurement.scratch import scratch_folder

WAIT_SECONDS = 0.5
TOGETHER_SECONDS = 30.0
"""Operators with less time each are searched by the same machine one after the other, since each start takes time."""


@dataclass(frozen=True)
class ClusterHunt:
    """The hunt of a session on the machines of the cluster that `--cluster` names."""

    session: HuntSession
    place: str

    def run(self) -> FinishedHunt:
        """Hunts until the budget is used up, nothing is left, or Ctrl-C is pressed. Raises AutoperfError."""
        session, sink = self.session, self.session.sink
        session.request.check()
        with ExitStack() as stack:
            scratch = stack.enter_context(scratch_folder())
            sides = session.sides(stack)
            recorded = session.recorded(sides, scratch)
            selected = session.targets(sides, recorded)
            client = stack.enter_context(opened_cluster(self.place))
            wanted = _session(session.request, sides)
            opened = DaskFleet[tuple[str, ...]](client, self.place, wanted, Greeting(), sink)
            fleet = stack.enter_context(closing(opened))
            machine = fleet.first().machines[sides.searched.number]
            header = session.header(sides, selected, machine.environment)
            folder = stack.enter_context(session.opened_folder(header))
            sink.handle(HuntStarted())
            sink.handle(BudgetStarted(session.request.budget, folder.used))
            hunt = FleetHunt(fleet, folder, sink, session.request.budget, recorded)
            complete = hunt.run(selected, session.request.seed)
        return FinishedHunt(folder, complete, (*sides.rule_failures, *hunt.rule_failures))


def _session(request: HuntRequest, sides: HuntSides) -> Session:
    # Machines search in folders of their own.
    request = request.located()
    return Session(
        sides=tuple(wanted_side(side.side, side.settings, _hints(side, request)) for side in sides.ordered),
        files=shipped([*extensions(), *map(Path, request.rules)]),
        extensions=tuple(map(str, extensions())),
        hunt=request,
    )


def _hints(side: HuntSide, request: HuntRequest) -> BuildHints:
    """A side's build as it was named; every machine of a hunt against another framework needs that one, too."""
    if not side.framework:
        return BuildHints(MXNET, side.hint or request.library, None)
    choice = parse_other_framework(side.framework)
    return BuildHints(choice.name, choice.hint, request.hints[0])


class FleetHunt:
    """Shares the seconds of a budget, on all machines together, among the operators."""

    def __init__(
        self,
        fleet: Fleet[tuple[str, ...]],
        folder: HuntFolder,
        sink: Sink,
        budget: float,
        recorded: Mapping[str, Sequence[Case]] = {},
    ) -> None:
        """`recorded` has the cases to try first, by operator."""
        self._fleet, self._folder, self._sink = fleet, folder, sink
        self._budget, self._begin = budget, time.monotonic() - folder.used
        self._recorded = recorded
        self._losses: Counter[str] = Counter()
        self._left: list[str] = []
        self.rule_failures: tuple[str, ...] = ()

    @property
    def elapsed(self) -> float:
        """Seconds of the budget that are used."""
        return time.monotonic() - self._begin

    def run(self, targets: Sequence[Target], seed: int) -> bool:
        """Searches all targets. Returns False if interrupted; findings that have arrived are in the folder."""
        done = {searched.operator for searched in self._folder.searched if searched.ended != "interrupted"}
        left = [target for target in targets if target.operator.name not in done]
        for target in left:
            if target.rule is None:
                self._finish(target.operator.name, "nothing", target.reason)
        self._left = [target.operator.name for target in left if target.rule]
        if self._budget * self._machines < MIN_SECONDS_PER_OPERATOR * len(self._left):
            random.Random(seed).shuffle(self._left)  # noqa: S311 - reproducible, not secret
        try:
            self._search()
        except KeyboardInterrupt:
            for name in (*itertools.chain(*self._fleet.in_flight), *self._left):
                self._finish(name, "interrupted")
            self._emit(HuntFinished(complete=False))
            return False
        for name in self._left:
            self._finish(name, "budget", "the budget was used up before its search")
        self._emit(HuntFinished())
        return True

    def _search(self) -> None:
        while True:
            for address in self._fleet.idle:
                if self._left and self._remaining > 0:
                    self._submit(address)
            if not self._fleet.in_flight and (not self._left or self._remaining <= 0):
                return
            match self._fleet.wait(WAIT_SECONDS):
                case Answered(reply=Reply(answer=HuntDone(events=events, rule_failures=failures))):
                    self.rule_failures += tuple(each for each in failures if each not in self.rule_failures)
                    # The fleet no longer has these operators: an interrupt would drop the rest.
                    with interrupts_deferred():
                        for event in events:
                            self._emit(event)
                case Answered(work=names):
                    self._lost(names, "another answer came")
                case Lost(work=names, losses=0):
                    self._left += names
                case Lost(work=names, reason=reason):
                    self._lost(names, reason)

    @property
    def _remaining(self) -> float:
        return self._budget - self.elapsed

    @property
    def _machines(self) -> int:
        return max(1, len(self._fleet.machines))

    def _submit(self, address: str) -> None:
        """Gives a machine its next operators, with their share of the seconds that all machines have left."""
        share = self._remaining * self._machines / len(self._left)
        fair = math.ceil(len(self._left) / self._machines)
        count = max(1, min(fair, round(TOGETHER_SECONDS / share)))
        names, self._left = tuple(self._left[:count]), self._left[count:]
        recorded = {name: tuple(self._recorded[name]) for name in names if name in self._recorded}
        message = HuntMessage(names, min(self._remaining, share * count), recorded)
        self._fleet.submit(address, message, names)

    def _lost(self, names: tuple[str, ...], reason: str) -> None:
        """Searches the operators again, unless one has lost too many machines."""
        for name in names:
            self._losses[name] += 1
            if self._losses[name] > allowed_failures():
                self._finish(name, "nothing", f"given up after {self._losses[name]} workers: {reason}")
            else:
                self._left.append(name)
        self._sink.handle(Notice(f"{', '.join(names)}: {reason}"))

    def _emit(self, event: LoggedEvent) -> None:
        if isinstance(event, OperatorSearched):
            self._sink.handle(OperatorStarted(event.searched.operator))
        self._folder.write(msgspec.structs.replace(event, at=self.elapsed))
        self._sink.handle(event)

    def _finish(self, name: str, ended: SearchEnd, reason: str = "") -> None:
        self._emit(OperatorSearched(searched=unsearched(name, reason, ended)))
