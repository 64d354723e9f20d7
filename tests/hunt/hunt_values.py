"""Operators, points and laws of times shared by the hunt's tests; MXNet infers, and laws give the times."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice

from hypothesis import strategies as st

from autoperf.cases.release import Release
from autoperf.core.case import Case
from autoperf.core.events import NullSink
from autoperf.core.finding import Finding
from autoperf.core.outcome import PassName, Status
from autoperf.hunt.contrast import PassView, views_of
from autoperf.hunt.neighbours import Equivalent, Neighbourhood
from autoperf.hunt.point import Point, PointFactory
from autoperf.hunt.search import Options, Search
from autoperf.hunt.timings import InputTimings
from autoperf.measurement.messages import CaseFailure, PairedTimes, PairedTiming, QuickTimes, QuickTiming
from autoperf.measurement.quick_timing_client import EqualResults
from autoperf.rules.rule import Draft, Inputs, InputSpec, Rule, inputs, rule
from autoperf.strategies import axes, shapes

Law = Callable[[Case, PassName], float | None]
"""The time of one pass of a case in microseconds; None without such a pass. An exception stands for a failure."""

ELEMENTS = 2**16


def point(release: Release, operator: str, call: Inputs, dtype: str = "float32") -> Point:
    """The point of a call that MXNet accepts."""
    (made,) = factory_of(release, operator).make([(call, dtype)])
    assert made
    return made


def factory_of(
    release: Release, operator: str, rule: Rule | None = None, elements: int = ELEMENTS, side: int = 0
) -> PointFactory:
    """The point factory of an operator, by its own rule or another."""
    known = {name: one for one in release.registry.operators for name in one.names}[operator]
    found = rule or release.catalog.find(known)
    assert isinstance(found, Rule)
    return PointFactory(known, found, release.client, elements=elements, side=side)


def shape(case: Case) -> tuple[int, ...]:
    """The first input's."""
    return case.inputs[0].tensor.shape


@dataclass
class Clock:
    """Seconds that pass by the law, and slightly with every reading."""

    now: float = 0.0

    def __call__(self) -> float:
        self.now += 1e-6
        return self.now


@dataclass
class Lawful:
    """Answers by a law instead of a process, with a little noise that only adds; time passes on its clock.

    Side 0 has a law of its own if there is another one. An answer takes some seconds more than its samples do, and of
    the samples the share `disturbed` takes up to some times as long, as on a machine that does other things.
    """

    law: Law
    clock: Clock = field(default_factory=Clock)
    noise: float = 0.02
    seconds_per_answer: float = 0.001
    disturbed: float = 0.0
    questions: int = 0
    renewed: int = 0
    limits: list[float] = field(default_factory=list)
    cases: list[str] = field(default_factory=list)
    law_of_side_0: Law | None = None
    equal: Callable[[Case], EqualResults] = lambda _: EqualResults(("forward", "backward"))
    compared: int = 0
    _random: random.Random = field(default_factory=lambda: random.Random(7))

    def time_case(self, request: QuickTiming, side: int) -> QuickTimes | CaseFailure:
        case, count = request.case, request.count
        self.cases.append(case.id)
        self.limits.append(request.seconds)
        try:
            forward = self._samples(case, "forward", count, side)
            return QuickTimes(forward, self._samples(case, "backward", count, side) if request.backward else ())
        except BrokenPipeError:
            return CaseFailure(Status.CRASHED, "the process ended without an answer")
        except ValueError as error:
            return CaseFailure(Status.FAILED, str(error))

    def time_pair(self, request: PairedTiming, sides: tuple[int, int]) -> PairedTimes | CaseFailure:
        self.limits.append(request.seconds)
        try:
            both = (request.first, sides[0]), (request.second, sides[1])
            each = sum(us / 1e6 for case, side in both if (us := self._us(case, request.pass_, side)))
            rounds = max(1, min(request.rounds, int(request.seconds / max(each, 1e-9))))
            taken = tuple(self._samples(case, request.pass_, rounds, side) for case, side in both)
        except BrokenPipeError:
            return CaseFailure(Status.CRASHED, "the process ended without an answer")
        except ValueError as error:
            return CaseFailure(Status.FAILED, str(error))
        return PairedTimes(*taken) if all(taken) else CaseFailure(Status.FAILED, "one of them has no such pass")

    def check_case(self, case: Case, side: int, seconds: float) -> EqualResults:
        self.compared += 1
        return self.equal(case)

    def renew(self) -> None:
        self.renewed += 1

    def _us(self, case: Case, pass_: PassName, side: int) -> float | None:
        law = self.law_of_side_0 if self.law_of_side_0 and side == 0 else self.law
        return law(case, pass_)

    def _samples(self, case: Case, pass_: PassName, count: int, side: int) -> tuple[float, ...]:
        self.questions += 1
        us = self._us(case, pass_, side)
        if us is None:
            return ()
        taken = tuple(us * self._longer() for _ in range(count))
        self.clock.now += sum(taken) / 1e6 + self.seconds_per_answer
        return taken

    def _longer(self) -> float:
        """The factor by which a sample exceeds the law."""
        is_disturbed = self.disturbed > 0 and self._random.random() < self.disturbed
        return 1 + self._random.expovariate(1 / (2.0 if is_disturbed else self.noise))


@rule("softmax", "sum", category="activation", canonical={"small": inputs(data=Draft((10, 10)))})
def with_axis(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """A tensor of any shape, and one of its axes."""
    drawn = draw(shapes(1, 3, spec.elements))
    return inputs(data=Draft(drawn), axis=draw(axes(len(drawn))))


@rule("exp", "relu", category="unary", canonical={"small": inputs(data=Draft((10, 10)))})
def plain(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """A tensor of any shape."""
    return inputs(data=Draft(draw(shapes(1, 3, spec.elements))))


@rule("clip", category="unary", canonical={"small": inputs(data=Draft((10, 10)), a_min=0.0, a_max=1.0)})
def clipped(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """A tensor of any shape."""
    return inputs(data=Draft(draw(shapes(1, 3, spec.elements))), a_min=0.0, a_max=1.0)


@rule("topk", category="sorting", canonical={"small": inputs(data=Draft((10, 10)))})
def counted(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """A tensor, and the number of its top values."""
    drawn = draw(shapes(1, 3, spec.elements))
    return inputs(data=Draft((*drawn, 8)), k=draw(st.integers(1, 8)))


def timings_of(law: Law, seconds: float, **more: float) -> tuple[InputTimings, Lawful]:
    """Timings that a law answers."""
    source = Lawful(law)
    return InputTimings(source, seconds, NullSink(), clock=source.clock, **more), source


def view_of(
    timings: InputTimings,
    factory: PointFactory,
    pass_: PassName = "forward",
    *,
    min_ratio: float = 2.0,
    equivalents: Sequence[Equivalent] = (),
) -> PassView:
    """A view of one pass, without a model."""
    return views_of(Neighbourhood(factory, equivalents), timings, min_ratio)[pass_]


@contextmanager
def hunting(
    release: Release, operator: str, rule: Rule, law: Law, *, seconds: float = 30.0, options: Options | None = None
) -> Iterator[tuple[Search, Lawful, InputTimings]]:
    """A search of an operator whose times follow a law."""
    timings, source = timings_of(law, seconds)
    yield Search(factory_of(release, operator, rule), timings, options or Options(seed=1), NullSink()), source, timings


def hunt(
    release: Release,
    operator: str,
    rule: Rule,
    law: Law,
    *,
    seconds: float = 30.0,
    options: Options | None = None,
    first: int | None = None,
) -> list[Finding]:
    """The findings of a search, or the first of them; of a repeated finding, the last version."""
    with hunting(release, operator, rule, law, seconds=seconds, options=options) as (search, _, _):
        found = {(one.case.id, one.pass_): one for one in islice(search.findings(), first)}
        return list(found.values())
