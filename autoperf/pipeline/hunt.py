"""Hunts operator after operator: shares the budget, keeps the log, and adds to each finding which kernels run."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Literal

import msgspec

from autoperf.core.errors import UserRuleError
from autoperf.core.events import (
    BudgetStarted,
    Event,
    FindingCompleted,
    FindingConfirmed,
    HuntFinished,
    OperatorSearched,
    OperatorStarted,
    Sink,
    Sinks,
)
from autoperf.core.finding import Finding, Searched
from autoperf.core.operator import Operator
from autoperf.core.roofline import Roofline
from autoperf.core.work import Work
from autoperf.executor.quick_timing_client import QuickTimingClient
from autoperf.hunt.equivalents import equivalents_of
from autoperf.hunt.point import PointFactory
from autoperf.hunt.replay import Replay
from autoperf.hunt.search import Options, Search
from autoperf.hunt.timings import InputTimings
from autoperf.pipeline.finding_kernels import FindingKernels
from autoperf.pipeline.gradients import Gradients, read_gradients
from autoperf.pipeline.hunt_folder import HuntFolder
from autoperf.pipeline.hunt_recorder import HuntRecorder
from autoperf.pipeline.hunt_request import HuntOptions
from autoperf.pipeline.release import Release
from autoperf.pipeline.selection import Target
from autoperf.rules.rule import Rule

# Seconds that a suspect may be followed once an operator's search has ended.
MAX_GRACE_SECONDS = 10.0
# With fewer seconds an operator's search hardly begins.
MIN_SECONDS_PER_OPERATOR = 5.0


class Hunt:
    """One hunt: every operator gets its share of the seconds that are left."""

    def __init__(
        self,
        release: Release,
        options: HuntOptions,
        folder: HuntFolder,
        sink: Sink,
        scratch: Path,
    ) -> None:
        self._release, self._options, self._folder, self._scratch = release, options, folder, scratch
        self._recorder = HuntRecorder(folder, lambda: self.elapsed)
        self._watching = sink
        self._sink = Sinks(self._recorder, sink)
        self._begin = time.monotonic() - options.used
        self._roofline: Roofline | None = None
        self._earlier: dict[str, Searched] = {}
        self._gradients: Gradients = {}

    @property
    def elapsed(self) -> float:
        """Seconds of the budget that are used, those of the sessions before included."""
        return time.monotonic() - self._begin

    def run(self, targets: Sequence[Target], prober: QuickTimingClient, roofline: Roofline | None) -> bool:
        """Search them all; False if that was interrupted. What is confirmed is in the folder either way."""
        self._roofline = roofline
        self._earlier = {one.operator: one for one in self._folder.searched}
        left = [target for target in targets if not self._done(target)]
        self._gradients = read_gradients(self._release, left)
        self._warm(targets)
        if self._options.budget < MIN_SECONDS_PER_OPERATOR * len(left):
            # Not all can have their turn; it's for the seed to say which, not for the alphabet.
            random.Random(self._options.seed).shuffle(left)  # noqa: S311 - reproducible, not secret
        with ExitStack() as stack:
            kernels = FindingKernels(self._release, self._options.settings, self._scratch, stack)
            for number, target in enumerate(left):
                share = max(0.0, self._options.budget - self.elapsed) / (len(left) - number)
                if not self._hunted(target, prober, share, kernels):
                    self._sink.handle(HuntFinished(complete=False))
                    return False
        self._sink.handle(HuntFinished())
        return True

    def _warm(self, targets: Sequence[Target]) -> None:
        """Starts inference, which takes no part of the budget."""
        for target in targets:
            if target.rule:
                # What a user's own rule does wrong is told when its turn comes.
                with suppress(UserRuleError):
                    self._maker(target.operator, target.rule).canonical(target.rule.dtype)
                    break
        self._begin = time.monotonic() - self._options.used
        self._sink.handle(BudgetStarted(self._options.budget, self._options.used))

    def _hunted(self, target: Target, prober: QuickTimingClient, share: float, kernels: FindingKernels) -> bool:
        name = target.operator.name
        if target.rule is None:
            self._ended(_unsearched(name, target.reason, "nothing"))
            return True
        if share <= 0:
            self._ended(_unsearched(name, "the budget was used up before its turn", "budget"))
            return True
        replay = Replay(prober, self._options.logged.get(name, ()))
        sink = Sinks(_Live(replay, self._recorder), self._watching)
        self._sink.handle(OperatorStarted(name))
        # What is followed beyond the deadline is taken from before it, so that others get their share.
        grace = min(MAX_GRACE_SECONDS, share / 4)
        gradient = self._gradients.get(name)
        backward = gradient is None or gradient.differentiable is not False
        trials = InputTimings(replay, time.monotonic() + share - grace / 2, sink, backward=backward, grace=grace)
        options, maker = self._options, self._maker(target.operator, target.rule)
        equivalents = tuple(equivalents_of(target.operator, self._release.registry.operators, self._maker_of))
        search_options = Options(
            options.seed, options.least, self._least_us, equivalents, options.recorded.get(name, ())
        )
        search = Search(maker, trials, search_options, sink)
        try:
            for finding in search.findings():
                self._found(finding, kernels)
        except KeyboardInterrupt:
            self._ended(self._whole(msgspec.structs.replace(search.searched, ended="interrupted")))
            return False
        except UserRuleError as error:
            self._ended(self._whole(msgspec.structs.replace(search.searched, ended="nothing", reason=str(error))))
            return True
        self._ended(self._whole(search.searched))
        return True

    def _done(self, target: Target) -> bool:
        earlier = self._earlier.get(target.operator.name)
        return earlier is not None and earlier.ended != "interrupted"

    def _whole(self, searched: Searched) -> Searched:
        """With the seconds of the sessions before; what they asked is counted already."""
        earlier = self._earlier.get(searched.operator)
        return msgspec.structs.replace(searched, seconds=searched.seconds + (earlier.seconds if earlier else 0.0))

    def _maker_of(self, operator: Operator) -> PointFactory | None:
        rule = self._release.catalog.find(operator)
        return self._maker(operator, rule) if isinstance(rule, Rule) else None

    def _maker(self, operator: Operator, rule: Rule) -> PointFactory:
        return PointFactory(operator, rule, self._release.client, elements=self._options.elements)

    def _found(self, finding: Finding, kernels: FindingKernels) -> None:
        whole = self._recalled(finding)
        if whole is None:
            # What is confirmed is kept, even if finding out about its kernels is broken off.
            self._sink.handle(FindingConfirmed(finding))
            slow, fast = kernels.of(finding)
            whole = msgspec.structs.replace(finding, kernels=slow, contrast_kernels=fast)
        self._sink.handle(FindingCompleted(whole))

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
        self._sink.handle(OperatorSearched(searched))

    def _least_us(self, work: Work, dtype: str) -> float:
        """What the machine needs for the work, and for a call; 0 if its roofline isn't known."""
        if self._roofline is None:
            return 0.0
        return self._roofline.min_seconds(work, dtype) * 1e6 + self._roofline.overhead_us


class _Live:
    """Passes on what isn't the log's own answer."""

    def __init__(self, replay: Replay, sink: Sink) -> None:
        self._replay, self._sink = replay, sink

    def handle(self, event: Event) -> None:
        """This happened, now or when the log was written."""
        if not self._replay.replaying:
            self._sink.handle(event)


def _unsearched(operator: str, reason: str, ended: Literal["nothing", "budget"]) -> Searched:
    return Searched(
        operator=operator, tried=0, refused=0, suspects=0, dropped=0, seconds=0.0, ended=ended, reason=reason
    )


def _same(one: Finding, other: Finding) -> bool:
    return (one.case.id, one.pass_, one.estimate) == (other.case.id, other.pass_, other.estimate)
