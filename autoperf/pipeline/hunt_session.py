"""One hunt from request to folder: a release is opened, its operators searched, and all of it written at once."""

from __future__ import annotations

import math
import os
import platform
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import msgspec
import psutil

from autoperf import __version__
from autoperf.core.case import Case
from autoperf.core.events import HuntStarted, Sink
from autoperf.executor.quick_timing_client import QuickTimingClient
from autoperf.executor.roofline import known_roofline, roofline
from autoperf.pipeline.doctor import check_threads
from autoperf.pipeline.hunt import MIN_SECONDS_PER_OPERATOR, Hunt
from autoperf.pipeline.hunt_folder import HuntFolder
from autoperf.pipeline.hunt_inputs import logged_answers, recorded_cases
from autoperf.pipeline.hunt_request import HuntOptions, HuntRequest
from autoperf.pipeline.machine_use import now, shared_machine, tell, tell_machine_use
from autoperf.pipeline.release import Release, open_release, rule_limits
from autoperf.pipeline.scratch import scratch_folder
from autoperf.pipeline.selection import Target, targets
from autoperf.reports.units import span
from autoperf.results.environment import record
from autoperf.results.huntlog import HuntHeader, ResumableHunt, ResumedLine

# A hunt that takes more than a tenth longer than its budget says what for.
BUDGET_TOLERANCE = 1.1


@dataclass(frozen=True)
class FinishedHunt:
    """The folder of a hunt, closed; `complete` unless it was interrupted. User rules that failed, each once."""

    folder: HuntFolder
    complete: bool
    rule_failures: tuple[str, ...] = ()


@dataclass(frozen=True)
class HuntSession:
    """Hunts as the request says; `output` is the hunt's folder, `begun` a hunt to resume there.

    `command` has the words of the command line.
    """

    request: HuntRequest
    output: Path
    sink: Sink
    command: tuple[str, ...]
    begun: ResumableHunt | None = None

    def run(self) -> FinishedHunt:
        """Hunt until the budget is used up, nothing is left, or Ctrl-C is pressed. Raises AutoperfError."""
        started = time.monotonic()
        request = self.request
        check_threads(os.environ)
        with ExitStack() as stack:
            others = stack.enter_context(shared_machine(self.command, self.sink))
            scratch = stack.enter_context(scratch_folder())
            rules, limits = tuple(map(Path, request.rules)), rule_limits(request.settings)
            release = stack.enter_context(open_release(request.library, rules, limits))
            tell(self.sink, release.unknown_names())
            tell(self.sink, release.name_notes(request.selection.operators))
            selected = targets(release.registry, release.catalog, request.selection)
            options = self._options(release)
            prober = stack.enter_context(QuickTimingClient(release.library, request.settings, scratch))
            folder = stack.enter_context(
                HuntFolder(self.output, self._header(release, selected, prober), begun=self.begun)
            )
            tell_machine_use(others, self.sink)
            if self.begun:
                tell(self.sink, self.begun.notices)
                folder.write(self._resumed(self.begun))
            if known_roofline(release.library) is None:
                tell(self.sink, ["measuring what this machine can do takes about three seconds, beside the budget"])
            known = roofline(release.library)
            tell(self.sink, self._crowded(selected))
            self.sink.handle(HuntStarted())
            hunt = Hunt(release, options, folder, self.sink, scratch)
            complete = hunt.run(selected, prober, known)
            seconds = time.monotonic() - started
            tell(self.sink, beyond_budget(request.budget, options.used, hunt.elapsed, seconds))
            failures = release.rule_failures
        return FinishedHunt(folder, complete, failures)

    def _options(self, release: Release) -> HuntOptions:
        request, begun = self.request, self.begun
        return HuntOptions(
            budget=request.budget,
            used=begun.at if begun else 0.0,
            seed=request.seed,
            least=request.least,
            elements=request.elements,
            settings=request.settings,
            recorded=self._recorded(release),
            logged=logged_answers(begun) if begun else {},
        )

    def _recorded(self, release: Release) -> dict[str, list[Case]]:
        unreadable: list[str] = []
        recorded = recorded_cases(self.request.cases, release, unreadable)
        tell(self.sink, (f"{text}; the line is left out" for text in unreadable))
        return recorded

    def _resumed(self, begun: ResumableHunt) -> ResumedLine:
        return ResumedLine(
            at=begun.at,
            started=now(),
            command=self.command[1:],
            machine=platform.node(),
            load=psutil.getloadavg(),
        )

    def _header(self, release: Release, selected: Sequence[Target], prober: QuickTimingClient) -> HuntHeader:
        return HuntHeader(
            autoperf=__version__,
            mxnet=release.registry.mxnet,
            seed=self.request.seed,
            budget=self.request.budget,
            operators=tuple(target.operator.name for target in selected),
            started=now(),
            command=self.command[1:],
            options=msgspec.to_builtins(self.request),
            environment=record(msgspec.to_builtins(prober.build)),
        )

    def _crowded(self, selected: Sequence[Target]) -> Iterator[str]:
        """That the budget is too little for so many operators, if it is."""
        count, budget = sum(target.rule is not None for target in selected), self.request.budget
        needed = MIN_SECONDS_PER_OPERATOR * count
        if count > 1 and budget < needed:
            yield (
                f"{count:,} operators share {span(budget)}, and each needs {span(MIN_SECONDS_PER_OPERATOR)} or more "
                f"to be searched at all: name fewer, or take --budget {math.ceil(needed / 60)}m"
            )


def beyond_budget(budget: float, used: float, elapsed: float, total: float) -> Iterator[str]:
    """What a hunt spent its seconds on, if it took more than a tenth longer than was asked for.

    `used` of the budget are of earlier sessions, `elapsed` counts those and this one's; `total` is this one's alone.
    """
    searching = elapsed - used
    if total > BUDGET_TOLERANCE * (budget - used):
        yield (
            f"the hunt took {span(total)} with a budget of {span(budget - used)}: {span(total - searching)} to start, "
            f"{span(searching)} to search and to confirm what was found"
        )
