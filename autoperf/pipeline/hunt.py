"""Hunts operator after operator: shares the budget, keeps the log, and adds to each finding which kernels run."""

from __future__ import annotations

import random
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import msgspec

from autoperf.core.case import Case
from autoperf.core.errors import AutoperfError
from autoperf.core.finding import Finding, Searched
from autoperf.core.operator import Operator
from autoperf.core.outcome import Outcome, PassName
from autoperf.core.roofline import Roofline
from autoperf.core.work import Work
from autoperf.executor.messages import Duelled, Probed, Refused
from autoperf.executor.prober import Prober
from autoperf.executor.settings import Settings
from autoperf.executor.supervisor import Executor
from autoperf.generator.render import Origin, render, write
from autoperf.hunt.kin import kin_of
from autoperf.hunt.point import Maker
from autoperf.hunt.replay import Logged, Replay
from autoperf.hunt.search import Options, Search
from autoperf.hunt.trials import Trials
from autoperf.pipeline.batches import rendered_jobs
from autoperf.pipeline.gradients import Gradients, read_gradients
from autoperf.pipeline.release import Release
from autoperf.pipeline.selection import Target
from autoperf.reports.hunt_progress import HuntProgress
from autoperf.results import huntlog
from autoperf.results.huntfile import HuntFolder
from autoperf.rules.rule import Rule

# How often each kernel is seen, to say what its mean is.
KERNEL_RUNS = 5
# Seconds that a suspect may be followed once an operator's search has ended.
MOST_GRACE = 10.0
# With fewer seconds an operator's search hardly begins.
LEAST_SHARE = 5.0


@dataclass(frozen=True)
class HuntOptions:
    """What the hunt is asked for: seconds for all operators, what counts as slow, and how large inputs may be.

    `used` are the seconds of the budget that sessions before this one have used; `recorded` are cases by operator, and
    `logged` is what those sessions had asked for operators that they didn't get done with.
    """

    budget: float
    used: float = 0.0
    seed: int = 0
    least: float = 2.0
    elements: int = 2**18
    settings: Settings = field(default_factory=lambda: Settings(processes=1))
    recorded: Mapping[str, Sequence[Case]] = field(default_factory=dict)
    logged: Mapping[str, Sequence[Logged]] = field(default_factory=dict)


class Hunt:
    """One hunt: every operator gets its share of the seconds that are left."""

    def __init__(
        self,
        release: Release,
        asked: HuntOptions,
        folder: HuntFolder,
        progress: HuntProgress,
        scratch: Path,
    ) -> None:
        self._release, self._asked, self._folder, self._progress = release, asked, folder, progress
        self._scratch = scratch
        self._begin = time.monotonic() - asked.used
        self._tried = 0
        self._roofline: Roofline | None = None
        self._earlier: dict[str, Searched] = {}
        self._gradients: Gradients = {}

    @property
    def elapsed(self) -> float:
        """Seconds of the budget that are used, those of the sessions before included."""
        return time.monotonic() - self._begin

    def run(self, targets: Sequence[Target], prober: Prober, roofline: Roofline | None) -> bool:
        """Search them all; False if that was interrupted. What is confirmed is in the folder either way."""
        self._roofline = roofline
        self._earlier = {one.operator: one for one in self._folder.searched}
        left = [target for target in targets if not self._done(target)]
        self._gradients = read_gradients(self._release, left)
        self._warm(targets)
        if self._asked.budget < LEAST_SHARE * len(left):
            # Not all can have their turn; it's for the seed to say which, not for the alphabet.
            random.Random(self._asked.seed).shuffle(left)  # noqa: S311 - reproducible, not secret
        with ExitStack() as stack:
            kernels = _Kernels(self._release, self._asked, self._scratch, stack)
            for number, target in enumerate(left):
                share = max(0.0, self._asked.budget - self.elapsed) / (len(left) - number)
                if not self._hunted(target, prober, share, kernels):
                    self._folder.write(huntlog.HuntEnd(at=self.elapsed, complete=False))
                    return False
        self._folder.write(huntlog.HuntEnd(at=self.elapsed))
        return True

    def _warm(self, targets: Sequence[Target]) -> None:
        """Starts inference, which takes no part of the budget."""
        for target in targets:
            if target.rule:
                self._maker(target.operator, target.rule).canonical(target.rule.dtype)
                break
        self._begin = time.monotonic() - self._asked.used

    def _hunted(self, target: Target, prober: Prober, share: float, kernels: _Kernels) -> bool:
        name = target.operator.name
        if target.rule is None:
            self._ended(_unsearched(name, target.reason, "nothing"))
            return True
        if share <= 0:
            self._ended(_unsearched(name, "the budget was used up before its turn", "budget"))
            return True
        replay = Replay(prober, self._asked.logged.get(name, ()))
        notes = _Notes(self, name, replay)
        # What is followed beyond the deadline is taken from before it, so that others get their share.
        grace = min(MOST_GRACE, share / 4)
        gradient = self._gradients.get(name)
        backward = gradient is None or gradient.differentiable is not False
        trials = Trials(replay, time.monotonic() + share - grace / 2, notes, backward=backward, grace=grace)
        asked, maker = self._asked, self._maker(target.operator, target.rule)
        kin = tuple(kin_of(target.operator, self._release.registry.operators, self._maker_of))
        options = Options(asked.seed, asked.least, self._least_us, kin, asked.recorded.get(name, ()))
        search = Search(maker, trials, options, notes)
        try:
            for finding in search.findings():
                self._found(finding, kernels)
        except KeyboardInterrupt:
            self._ended(self._whole(msgspec.structs.replace(search.searched, ended="interrupted")))
            return False
        self._ended(self._whole(search.searched))
        return True

    def _done(self, target: Target) -> bool:
        earlier = self._earlier.get(target.operator.name)
        return earlier is not None and earlier.ended != "interrupted"

    def _whole(self, searched: Searched) -> Searched:
        """With the seconds of the sessions before; what they asked is counted already."""
        earlier = self._earlier.get(searched.operator)
        return msgspec.structs.replace(searched, seconds=searched.seconds + (earlier.seconds if earlier else 0.0))

    def _maker_of(self, operator: Operator) -> Maker | None:
        rule = self._release.catalog.find(operator)
        return self._maker(operator, rule) if isinstance(rule, Rule) else None

    def _maker(self, operator: Operator, rule: Rule) -> Maker:
        return Maker(operator, rule, self._release.client, elements=self._asked.elements)

    def _found(self, finding: Finding, kernels: _Kernels) -> None:
        whole = self._recalled(finding)
        if whole is None:
            # What is confirmed is kept, even if finding out about its kernels is broken off.
            self._folder.write(huntlog.Found(at=self.elapsed, finding=finding))
            slow, fast = kernels.of(finding)
            whole = msgspec.structs.replace(finding, kernels=slow, contrast_kernels=fast)
        self._folder.write(huntlog.Found(at=self.elapsed, finding=whole))
        self._progress.found(whole)

    def _recalled(self, finding: Finding) -> Finding | None:
        """The finding with the kernels that are known of it, if it was made before; perhaps it is of a wider family."""
        known = (one for one in self._folder.findings.values() if one.kernels and _same(one, finding))
        return next(
            (
                msgspec.structs.replace(finding, kernels=one.kernels, contrast_kernels=one.contrast_kernels)
                for one in known
            ),
            None,
        )

    def _ended(self, searched: Searched) -> None:
        self._folder.write(huntlog.Ended(at=self.elapsed, searched=searched))

    def _least_us(self, work: Work, dtype: str) -> float:
        """What the machine needs for the work, and for a call; 0 if its roofline isn't known."""
        if self._roofline is None:
            return 0.0
        return self._roofline.least_seconds(work, dtype) * 1e6 + self._roofline.overhead_us

    def note(self, event: huntlog.AnyEvent) -> None:
        """This happened."""
        self._folder.write(event)

    def tell(self, operator: str, best: str, *, tried: int = 0) -> None:
        """How far the hunt is."""
        self._tried += tried
        self._progress.update(operator, self.elapsed, self._asked.budget, self._tried, best)


class _Notes:
    """Writes what one operator's search tells into the hunt's log, and onto the screen."""

    def __init__(self, hunt: Hunt, operator: str, replay: Replay) -> None:
        self._hunt, self._operator, self._replay = hunt, operator, replay
        self._best = ""

    def tried(self, case: Case, answer: Probed | Refused) -> None:
        """An input was tried."""
        if isinstance(answer, Probed):
            self._write(
                huntlog.Tried, id=case.id, case=case, forward_us=answer.forward_us, backward_us=answer.backward_us
            )
        else:
            self._write(huntlog.Tried, id=case.id, case=case, refused=answer.reason)
        self._hunt.tell(self._operator, self._best, tried=1)

    def duelled(self, slow: Case, fast: Case, pass_: PassName, answer: Duelled | Refused) -> None:
        """Two inputs were timed in turn."""
        if isinstance(answer, Duelled):
            times = {"first_us": answer.first_us, "second_us": answer.second_us}
            self._write(huntlog.PairedTimes, pass_=pass_, first=slow, second=fast, **times)
        else:
            self._write(huntlog.PairedTimes, pass_=pass_, first=slow, second=fast, refused=answer.reason)

    def suspected(self, case: Case, pass_: PassName, oracle: str, strength: float) -> None:
        """An input stands out."""
        self._write(huntlog.Suspected, pass_=pass_, id=case.id, oracle=oracle, strength=strength)

    def dropped(self, case: Case, pass_: PassName, reason: str) -> None:
        """It came to nothing."""
        self._write(huntlog.Dropped, pass_=pass_, id=case.id, reason=reason)

    def best(self, words: str) -> None:
        """This stands out most."""
        self._best = words
        self._hunt.tell(self._operator, words)

    def _write(self, event: Callable[..., huntlog.AnyEvent], **values: object) -> None:
        if not self._replay.replaying:
            self._hunt.note(event(at=self._hunt.elapsed, operator=self._operator, **values))


class _Kernels:
    """Which kernels a finding's inputs run, by an executor that is started for the first finding."""

    def __init__(self, release: Release, asked: HuntOptions, scratch: Path, stack: ExitStack) -> None:
        self._release, self._scratch, self._stack = release, scratch, stack
        self._settings = msgspec.structs.replace(asked.settings, processes=1, warmup=1, runs=KERNEL_RUNS)
        self._executor: Executor | None = None
        self._number = 0

    def of(self, finding: Finding) -> tuple[dict[str, float], dict[str, float]]:
        """Mean microseconds a call of each kernel, for the slow input and the fast one; empty where that fails."""
        try:
            slow, fast = (_kernels(self._measured(case), finding.pass_) for case in (finding.case, finding.contrast))
        except AutoperfError:
            return {}, {}
        return slow, fast

    def _measured(self, case: Case) -> Outcome:
        if self._executor is None:
            self._executor = self._stack.enter_context(Executor(self._release.library, self._settings, self._scratch))
        self._number += 1
        rendered = render([case], Origin(self._release.registry.mxnet, 0, "a hunt", "found"))
        folder = self._scratch / f"finding-{self._number}"
        (outcome,) = self._executor.run(rendered_jobs([case], rendered, write(rendered, folder)))
        return outcome


def _unsearched(operator: str, reason: str, ended: Literal["nothing", "budget"]) -> Searched:
    return Searched(
        operator=operator, tried=0, refused=0, suspects=0, dropped=0, seconds=0.0, ended=ended, reason=reason
    )


def _same(one: Finding, other: Finding) -> bool:
    return (one.case.id, one.pass_, one.estimate) == (other.case.id, other.pass_, other.estimate)


def _kernels(outcome: Outcome, pass_: PassName) -> dict[str, float]:
    taken = outcome.forward if pass_ == "forward" else outcome.backward  # noqa: S105 - a pass of an operator
    return dict(taken.kernels) if taken else {}


def by_operator(cases: Iterable[Case], names: Mapping[str, str]) -> dict[str, list[Case]]:
    """Cases by their operators' canonical names, which `names` has for each name; of others there are none."""
    found: dict[str, list[Case]] = defaultdict(list)
    for case in cases:
        if name := names.get(case.operator):
            found[name].append(msgspec.structs.replace(case, operator=name))
    return dict(found)
