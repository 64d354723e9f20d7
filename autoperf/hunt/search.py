"""The search of one operator: draws inputs, compares them with neighbours, and finds the causes of outliers."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import combinations, filterfalse, takewhile
from typing import TypeAlias

from autoperf.core.case import Case
from autoperf.core.events import CandidateDropped, CandidateFollowed, Sink
from autoperf.core.finding import Finding, Fit, Searched, SearchEnd
from autoperf.core.operator import Value, is_axis
from autoperf.core.outcome import PassName
from autoperf.hunt.candidates import CandidateFinder, WaitingCandidate, WaitingList
from autoperf.hunt.causes import Causes
from autoperf.hunt.contents import patterned_calls
from autoperf.hunt.contrast import FLOOR_US, views_of
from autoperf.hunt.edits import axes_given, drafts, rank
from autoperf.hunt.investigator import ALIKE, EXPLAINED, LATE, Confirmer, Investigator, MinMicroseconds
from autoperf.hunt.neighbours import CONTENTS, Equivalent, Neighbourhood, OtherSide, Step, is_equivalent
from autoperf.hunt.point import Elements, Point, PointFactory, fit_model, number_of
from autoperf.hunt.stored import finding_key
from autoperf.hunt.timings import InputTimings, Times

DRAWN_BLOCK = 8
# Number of neighbours of a systematic input that are timed for each pass at a time.
KINDS_IN_TURN = 6
# One block in DTYPE_EVERY has another dtype, one in LARGE_EVERY has large inputs.
DTYPE_EVERY = 3
LARGE_EVERY = 4
# Only the latest inputs are edited and used for the models.
MAX_SEEN = 2000
# Large draws grow while one of about their size takes less than this, in microseconds of all passes.
LARGE_US = 5000.0
MAX_LARGE = 2**23
# The systematic selection draws from SURVEY_BLOCKS blocks, each with NATURAL_DRAWS of the natural dtype, OTHER_DRAWS of
# each other dtype and LARGE_DRAWS large ones. The size of the others is estimated from canonical inputs: about
# SURVEY_US microseconds in all passes, with elements rounded to a power of SURVEY_BASE.
SURVEY_BLOCKS, NATURAL_DRAWS, OTHER_DRAWS = 6, 8, 2
LARGE_DRAWS = 2
SURVEY_US = 2000.0
SURVEY_BASE = 8
MIN_SURVEY = 2**9
# Inputs with more than this multiple of the largest draw's elements are left out: they take long and add little.
MAX_GROWTH = 8
Property: TypeAlias = tuple[str, object]
Pair: TypeAlias = frozenset[Property]
# Upper limits of the classes of lengths, and the base of the classes of elements.
LENGTHS = (1, 2, 16, 128, 1024)
ELEMENTS_BASE = 8
# Number of last lengths of a tensor that are properties, beside the first.
LAST_LENGTHS = 2
# Kinds of steps taken at the first visit only: to an equivalent operator, to the natural dtype, to plain contents.
_ALWAYS = ("equivalent", "natural", CONTENTS)
# Number of systematic inputs that are tried with every pattern of contents, and their least time in microseconds.
PATTERNED, PATTERNED_US = 2, 2 * FLOOR_US


class InputStream:
    """The inputs of one operator, until `max_stale` draws in a row give nothing new.

    The first inputs are independent of the seed: `canonical` and recorded ones, and a few that cover every pair of
    properties. `turns` holds the steps to their neighbours; the inputs are repeated while steps are left. Draws have at
    most the elements of the factory; if it `grows`, some are larger, depending on the time that such inputs take.
    """

    def __init__(
        self,
        around: Neighbourhood,
        timings: InputTimings,
        seed: int,
        source: random.Random,
        *,
        grows: bool,
        max_stale: int,
    ) -> None:
        self._around, self._timings, self._random, self._max_stale = around, timings, source, max_stale
        self._stream = f"{seed}/{around.factory.operator.name}"
        self._grows = grows
        self._large = around.factory.elements
        self._us_per_element = 0.0
        self.is_surveyed = False
        """Whether all systematic inputs were given once."""
        self.seen: dict[str, Point] = {}
        self.canonical: list[Point] = []
        self.turns = StepTurns(around.factory.rule.dtype, KINDS_IN_TURN * len(timings.passes))
        self.largest = 0

    def points(self, recorded: Sequence[Case]) -> Iterator[Point]:
        """The systematic inputs, repeated while steps are left, then endless draws, other dtypes and edited inputs."""
        systematic: dict[str, Point] = {}
        for point in self._systematic(recorded):
            if point not in self.turns:
                self.turns.add(point, self._around.all_steps(point))
            systematic[point.key] = point
            yield point
        self.is_surveyed = True
        for _ in range(self.turns.most_visits_left):
            yield from (point for key, point in systematic.items() if key in self.seen and self.turns.is_left(point))
        start, stale = 0, 0
        while stale < self._max_stale and not self._timings.all_refused:
            fresh = [point for point in (*self._drawn(start), *self._edited()) if self._is_new(point)]
            start += DRAWN_BLOCK
            stale = 0 if fresh else stale + DRAWN_BLOCK
            yield from fresh

    def keep(self, point: Point, times: Times) -> None:
        """Keeps an input that can be run, for models, edits, and the size of later inputs."""
        self.seen[point.key] = point
        if len(self.seen) > MAX_SEEN:
            del self.seen[next(iter(self.seen))]
        elements, us = int(point.work.elements), times.total
        self.largest = max(self.largest, elements)
        if us >= FLOOR_US:
            rate = us / max(elements, 1)
            self._us_per_element = min(rate, self._us_per_element or rate)
        if self._grows and 2 * elements > self._large and us < LARGE_US:
            self._large = min(MAX_LARGE, 2 * elements)

    def _systematic(self, recorded: Sequence[Case]) -> Iterator[Point]:
        """The inputs that are independent of the seed."""
        factory = self._around.factory
        self.canonical = factory.canonical(factory.rule.dtype)
        yield from self.canonical
        for point in map(factory.from_case, recorded):
            if isinstance(point, Point):
                yield point
            else:
                self._timings.leave_out(point)
        yield from self._selected()
        yield from self._patterned()

    def _patterned(self) -> Iterator[Point]:
        """The largest earlier inputs that take neither long nor too little, with each pattern of contents."""
        natural = [point for point in self.seen.values() if point.dtype == self._around.factory.rule.dtype]
        timed = ((point, self._timings.total_us(point)) for point in natural)
        fitting = [point for point, us in timed if PATTERNED_US <= us <= SURVEY_US * 2]
        for point in sorted(fitting, key=lambda point: -point.work.elements)[:PATTERNED]:
            calls = [(call, point.dtype) for _, _, call in patterned_calls(point)]
            yield from (found for found in self._around.factory.make(calls) if found)

    def _is_new(self, point: Point) -> bool:
        return point.key not in self.seen and point.work.elements <= MAX_GROWTH * self._large

    def _selected(self) -> Iterator[Point]:
        """The systematic selection from canonical inputs and blocks of draws, of every dtype, for any seed."""
        factory, coverage, elements = self._around.factory, PairCoverage(), self._survey_elements()
        others = [dtype for dtype in self._around.dtypes if dtype != factory.rule.dtype]
        canonical = [point for dtype in others for point in factory.canonical(dtype)]
        yield from coverage.selected(self._light(canonical, elements))
        for number in range(SURVEY_BLOCKS):
            counts = {factory.rule.dtype: NATURAL_DRAWS, **dict.fromkeys(others, OTHER_DRAWS)}
            drawn = [
                point
                for dtype, count in counts.items()
                for point in factory.drawn(dtype, f"{factory.operator.name}/{dtype}", count, number * count, elements)
            ]
            yield from coverage.selected(self._light(drawn, elements))
            yield from self._large_draws(number)

    def _large_draws(self, block: int) -> Iterator[Point]:
        """Some large inputs with each block of the selection, if inputs grow: a cause may only show beyond caches."""
        factory, count = self._around.factory, LARGE_DRAWS if self._grows else 0
        stream = f"{factory.operator.name}/large"
        for point in factory.drawn(factory.rule.dtype, stream, count, block * count, self._large) if count else ():
            # Most draws are far smaller than the limit.
            grown = factory.make(Elements().changed(point, self._large))
            yield from [larger for larger in grown if larger and self._is_new(larger)][:1]

    def _light(self, points: Iterable[Point], elements: int) -> list[Point]:
        """The new inputs with at most a small multiple of these elements."""
        light = (point for point in points if point.work.elements <= MAX_GROWTH * elements)
        return list({point.key: point for point in light if self._is_new(point)}.values())

    def _survey_elements(self) -> int:
        """The elements of an input that takes a few times the floor, so that even a slow input takes little time."""
        most = self._around.factory.elements
        if not self._us_per_element:
            return most
        exponent = math.floor(math.log(SURVEY_US / self._us_per_element, SURVEY_BASE))
        return min(most, max(MIN_SURVEY, round(float(SURVEY_BASE) ** exponent)))

    def _drawn(self, start: int) -> list[Point]:
        factory, block = self._around.factory, start // DRAWN_BLOCK
        natural = factory.rule.dtype
        dtype = natural if block % DTYPE_EVERY else self._random.choice(self._around.dtypes)
        large = self._grows and block % LARGE_EVERY == LARGE_EVERY - 1
        elements, name = (self._large, "/large") if large else (factory.elements, "")
        return factory.drawn(dtype, f"{self._stream}/{dtype}{name}", DRAWN_BLOCK, start, elements)

    def _edited(self) -> Iterator[Point]:
        """Earlier inputs, one to three steps away."""
        for point in self._random.sample(list(self.seen.values()), min(2, len(self.seen))):
            edited = point
            for _ in range(self._random.randint(1, 3)):
                steps = self._around.steps(edited)
                reached = self._around.neighbour_points(edited, self._random.sample(steps, min(1, len(steps))))
                edited = reached[0][1] if reached else edited
            yield edited


class PairCoverage:
    """The pairs of properties that the selected inputs cover (all-pairs coverage)."""

    def __init__(self) -> None:
        self._covered: set[Pair] = set()
        self._parameters: set[str] = set()

    def selected(self, points: Sequence[Point]) -> Iterator[Point]:
        """The points with new pairs, greedily: the point with the most new pairs comes next."""
        self._parameters |= {name for point in points for name in point.call.params}
        left = [(point, pairs(point, self._parameters)) for point in points]
        while left := [(point, new) for point, all_pairs in left if (new := all_pairs - self._covered)]:
            point, new = max(left, key=lambda each: len(each[1]))
            self._covered |= new
            yield point


def pairs(point: Point, parameters: Iterable[str]) -> set[Pair]:
    """Every pair of the point's properties; absent `parameters` have their defaults."""
    return {frozenset(pair) for pair in combinations(properties(point, parameters), 2)}


def properties(point: Point, parameters: Iterable[str]) -> set[Property]:
    """The properties by which kernels select code: dtype, parameters, places of axes, and classes of lengths."""
    return {
        ("dtype", point.dtype),
        ("rank", rank(point.call)),
        ("elements", _magnitude(point.work.elements)),
        *((name, _value_class(point, name)) for name in parameters),
        *_tensor_properties(point),
    }


def _tensor_properties(point: Point) -> Iterator[Property]:
    """The storage of each tensor, and classes of a few of its lengths."""
    for name, number, draft in drafts(point.call):
        label = f"{name}[{number}]"
        yield f"{label} stored", draft.storage
        if draft.shape:
            yield f"{label} first", _length_class(draft.shape[0])
        for back, length in enumerate(reversed(draft.shape[-LAST_LENGTHS:]), 1):
            yield f"{label} -{back}", _length_class(length)


def _value_class(point: Point, name: str) -> object:
    """The class of a parameter's value; None where it is absent."""
    value = point.call.params.get(name)
    if is_axis(name) and name in (listed := axes_given(point.call)):
        last = rank(point.call) - 1
        return frozenset("last" if axis == last else "first" if axis == 0 else "middle" for axis in listed[name])
    if isinstance(value, tuple):
        return tuple(_number_class(entry) for entry in value)
    return _number_class(value)


def _number_class(value: Value) -> object:
    """The sign and the magnitude of a number; any other value is a class of its own."""
    number = None if isinstance(value, str) else number_of(value)
    if number is None:
        return value
    return (math.copysign(1, number), min(3, math.ceil(abs(number)))) if number else 0


def _length_class(length: int) -> int:
    return sum(length > limit for limit in LENGTHS)


def _magnitude(elements: float) -> int:
    return round(math.log(max(elements, 1), ELEMENTS_BASE))


class StepTurns:
    """The untried steps from each systematic input, one of each kind.

    They depend on the inputs and their order, but not on any time, so that hunts with different seeds make the same
    comparisons first. The first visit to an input takes a step to an equivalent operator, one to the `natural` dtype in
    place of any other dtype, and `count` of the kinds that first visits took least often; each further visit takes
    `count` other kinds. A kind with several steps takes turns among them.
    """

    def __init__(self, natural: str, count: int) -> None:
        self._natural, self._count = natural, count
        self._turns: Counter[str] = Counter()
        self._visits: dict[str, list[list[Step]]] = {}

    def __contains__(self, point: Point) -> bool:
        """Whether an input was added."""
        return point.key in self._visits

    def add(self, point: Point, steps: Sequence[Step]) -> None:
        """Adds an input with every step from it."""
        by_kind: dict[str, list[Step]] = {}
        for step in steps:
            by_kind.setdefault(self._kind(step), []).append(step)
        if "natural" in by_kind:
            by_kind.pop("dtype", None)
        always = [self._next(by_kind.pop(kind)) for kind in _ALWAYS if kind in by_kind]
        kinds = sorted(by_kind, key=self._turns.__getitem__)
        chosen = [self._next(by_kind[kind]) for kind in kinds]
        visits = [chosen[at : at + self._count] for at in range(0, len(chosen), self._count)] or [[]]
        visits[0] = [*always, *visits[0]]
        self._turns.update(self._kind(step) for step in visits[0])
        self._visits[point.key] = visits

    @property
    def most_visits_left(self) -> int:
        """The largest number of visits left to any input."""
        return max(map(len, self._visits.values()), default=0)

    def is_left(self, point: Point) -> bool:
        """Whether an added input has untaken steps."""
        return bool(self._visits[point.key])

    def taken(self, point: Point) -> list[Step]:
        """Takes the steps of the next visit to an added input; none if all were taken."""
        visits = self._visits[point.key]
        return visits.pop(0) if visits else []

    def _next(self, alike: Sequence[Step]) -> Step:
        return alike[self._turns[self._kind(alike[0])] % len(alike)]

    def _kind(self, step: Step) -> str:
        """The kind for taking turns: equivalent operators share one, and the natural dtype has its own."""
        if is_equivalent(step.kind):
            return "equivalent"
        return "natural" if step.kind == "dtype" and step.dtype == self._natural else step.kind


# Number of inputs that are timed before the first comparison, and between two fits of the models.
PILOT = 40
REFIT = 32
# Maximum number of inputs compared between two followed candidates. Then the shares of the time for systematic inputs
# before the first candidate is followed, for the pilot, and for the inputs between two candidates. Systematic inputs
# that take longer than HEAVY_US in all passes are compared last, and such candidates are followed last.
BLOCK = 16
SURVEY_SHARE = 0.2
PILOT_SHARE = 0.05
BLOCK_SHARE = 0.05
HEAVY_US = 5000.0
# Samples of each common call; one alone may be disturbed.
COMMON_SAMPLES = 3
# Number of inputs in a row without a candidate that end the search.
MAX_WITHOUT_CANDIDATE = 600
# Time to follow a candidate, even past the deadline but within the limit: an equal part of the remaining time for each
# waiting sort, with a minimum in seconds, and a maximum in seconds or as a share of the remaining time.
MIN_FOLLOWING_SECONDS = 5.0
FOLLOWING_SECONDS = 10.0
FOLLOWING_SHARE = 0.25
# Share of the time after the deadline that is reserved for confirmation.
CONFIRMING_SHARE = 0.5


@dataclass(frozen=True)
class Options:
    """Options of a search.

    `min_ratio` is the minimum ratio of a slow input, `roofline` gives the minimum microseconds of this machine for some
    work in a dtype, and `recorded` are cases to try first. If it `grows`, some draws have more elements than the
    factory's, depending on the time that they take. With an `other_side`, an input is slow if it is slower than on that
    side; other inputs don't count.
    """

    seed: int = 0
    min_ratio: float = 2.0
    roofline: MinMicroseconds | None = None
    equivalents: Sequence[Equivalent] = ()
    recorded: Sequence[Case] = ()
    grows: bool = False
    other_side: OtherSide | None = None


class Search:
    """The search of one operator until the deadline of its timings.

    `searched` is its summary at any time, and `causes` holds the causes of its findings.
    """

    def __init__(self, factory: PointFactory, timings: InputTimings, options: Options, sink: Sink) -> None:
        self._timings, self._options, self._sink = timings, options, sink
        around = Neighbourhood(factory, options.equivalents, options.other_side)
        self._views = views_of(around, timings, options.min_ratio)
        self._investigator = Investigator(self._views, Confirmer(self._views, options.roofline), sink)
        source = random.Random(f"{options.seed}/{factory.operator.name}")  # noqa: S311 - reproducible, not secret
        self._candidates = {pass_: CandidateFinder(view, source) for pass_, view in self._views.items()}
        self._inputs = InputStream(
            around, timings, options.seed, source, grows=options.grows, max_stale=MAX_WITHOUT_CANDIDATE
        )
        self._waiting = WaitingList()
        # Candidates that wait once more, until the family of a known cause shows whether they share it.
        self._alike: set[tuple[str, PassName]] = set()
        self._summary = SearchSummary(factory.operator.name, timings, options.other_side)
        self._begin = timings.clock()
        self._compared = self._without_candidate = 0
        # Number of compared inputs and share of the used time when candidates were last followed.
        self._explored_from = 0, 0.0
        self._ended: SearchEnd = "budget"

    @property
    def causes(self) -> Causes:
        """The causes of the findings so far."""
        return self._investigator.causes

    @property
    def common_calls(self) -> list[tuple[Case, Times]]:
        """The operator's canonical inputs that can be run, with their times."""
        timed = ((point.case, self._timings.times(point, COMMON_SAMPLES)) for point in self._inputs.canonical)
        return [(case, times) for case, times in timed if times]

    @property
    def searched(self) -> Searched:
        """The summary so far."""
        return self._summary.searched(
            self._ended, runs=bool(self._inputs.seen), noun="input", largest=self._inputs.largest, fits=self._fits()
        )

    def findings(self) -> Iterator[Finding]:
        """Each finding as soon as it is confirmed, and again when its family or passes grow."""
        for point in self._points():
            self._examine(point)
            if self._without_candidate >= MAX_WITHOUT_CANDIDATE:
                self._ended = "quiet"
                return
            if self._is_following_due():
                yield from self._followed_in_turn()
                self._explored_from = self._compared, self._used_share()
        yield from self._followed_in_turn()
        self._ended = "nothing" if not self._inputs.seen and not self._timings.expired else self._ended

    def _points(self) -> Iterator[Point]:
        """The inputs until the deadline; a pilot is timed before the first comparison."""
        points = takewhile(lambda _: not self._timings.expired, self._inputs.points(self._options.recorded))
        # Only the models need a pilot.
        pilot = [] if self._options.other_side else list(filter(self._timed, self._pilot(points)))
        self._refit()
        heavy = list(filter(self._is_heavy, pilot))
        yield from filterfalse(self._is_heavy, pilot)
        for point in points:
            if heavy and self._inputs.is_surveyed:
                yield from heavy
                heavy = []
            yield point
        yield from heavy

    def _pilot(self, points: Iterator[Point]) -> Iterator[Point]:
        """The first inputs; each is taken only if it is used, which `takewhile` doesn't do."""
        for _ in range(PILOT):
            if self._used_share() >= PILOT_SHARE or (point := next(points, None)) is None:
                return
            yield point

    def _is_heavy(self, point: Point) -> bool:
        """Whether an input takes long, so that others are compared and followed first."""
        return self._timings.total_us(point) > HEAVY_US

    def _is_following_due(self) -> bool:
        """Whether enough inputs were compared since candidates were last followed."""
        count, share = self._explored_from
        if not share:
            return self._inputs.is_surveyed or self._used_share() >= SURVEY_SHARE
        return self._compared - count >= BLOCK or self._used_share() - share >= BLOCK_SHARE

    def _used_share(self) -> float:
        whole = self._timings.deadline - self._begin
        return (self._timings.clock() - self._begin) / whole if whole > 0 else 1.0

    def _timed(self, point: Point) -> Times | None:
        """The times of a point; a point that can be run is kept for models and edits."""
        times = None if self._timings.expired else self._timings.times(point)
        if times:
            self._inputs.keep(point, times)
        return times

    def _examine(self, point: Point) -> None:
        """Compares an input with neighbours; candidates go to the waiting list."""
        self._compared += 1
        if self._compared % REFIT == 0:
            self._refit()
        self._without_candidate += 1
        times, turns = self._timed(point), self._inputs.turns
        steps = turns.taken(point) if point in turns else None
        for pass_ in self._timings.passes if times else ():
            if times and (times.of(pass_) or 0.0) >= FLOOR_US and not self._investigator.is_explained(point, pass_):
                self._compare(point, steps, self._candidates[pass_])

    def _compare(self, point: Point, steps: Sequence[Step] | None, finder: CandidateFinder) -> None:
        """Compares an input by these steps, or by a few random steps."""
        self._summary.compared += 1
        found = finder.candidates(point) if steps is None else finder.candidates_of(point, steps)
        for candidate in found:
            if not self._investigator.explains(candidate):
                self._waiting.add(WaitingCandidate(candidate, self._is_heavy(candidate.point)))
                self._without_candidate = 0

    def _followed_in_turn(self) -> Iterator[Finding]:
        """Follows a strong candidate of every new sort, continues families, then follows one other candidate."""
        while not self._timings.expired:
            self._waiting.drop(lambda entry: self._investigator.explains(entry.candidate))
            self._waiting.postpone(self.causes)
            is_new = bool(self._waiting.unfollowed_sorts)
            if not is_new and (cause := self._investigator.unfinished):
                with self._limited():
                    finding = self._investigator.continued(cause)
                yield from (finding,) if finding else ()
                continue
            entry = self._waiting.pop()
            if entry:
                yield from self._followed(entry)
            if not entry or not is_new:
                return

    def _followed(self, entry: WaitingCandidate) -> Iterator[Finding]:
        """The finding of a candidate, if it is confirmed."""
        self._summary.suspects += 1
        candidate, pass_ = entry.candidate, entry.candidate.pass_
        id_ = candidate.point.case.id
        self._sink.handle(CandidateFollowed(pass_=pass_, id=id_, oracle=candidate.oracle, strength=candidate.ratio))
        with self._limited():
            finding = self._investigator.followed(candidate)
        self._summary.add(finding)
        if isinstance(finding, Finding):
            yield finding
        else:
            if finding not in (ALIKE, EXPLAINED, LATE):
                self._candidates[pass_].misled(candidate)
            if finding == ALIKE and (candidate.point.key, pass_) not in self._alike:
                self._alike.add((candidate.point.key, pass_))
                self._waiting.add(entry)
            self._sink.handle(CandidateDropped(pass_=pass_, id=id_, reason=finding))

    @contextmanager
    def _limited(self) -> Iterator[None]:
        """Limits the time for a candidate or a family."""
        deadline, now = self._timings.deadline, self._timings.clock()
        latest = self._timings.limit - CONFIRMING_SHARE * self._timings.grace
        left = deadline - now
        most = max(FOLLOWING_SECONDS, FOLLOWING_SHARE * left)
        equal = max(MIN_FOLLOWING_SECONDS, left / (1 + self._waiting.unfollowed_sorts))
        self._timings.deadline = min(latest, now + min(most, equal))
        try:
            yield
        finally:
            self._timings.deadline = deadline

    def _refit(self) -> None:
        """Fits the models to all points that no finding explains; a hunt between two sides has no models."""
        for pass_ in () if self._options.other_side else self._timings.passes:
            timed = [
                (point, us)
                for point in self._inputs.seen.values()
                if not self._investigator.is_explained(point, pass_)
                and (us := self._timings.time_us(point, pass_)) is not None
            ]
            model = fit_model([point for point, _ in timed], [us for _, us in timed])
            if model:
                self._views[pass_].model = model

    def _fits(self) -> dict[PassName, Fit]:
        """The fit of each pass's model; a poor one for a pass with too few inputs, and none between two sides."""
        if self._options.other_side:
            return {}
        poor = Fit(0.0, len(self._inputs.seen), poor=True)
        models = {pass_: self._views[pass_].model for pass_ in self._timings.passes}
        return {pass_: model.fit if model else poor for pass_, model in models.items()}


class SearchSummary:
    """Counts the inputs that one operator's search compares, follows and drops, and summarises it at any time."""

    def __init__(self, operator: str, timings: InputTimings, other_side: OtherSide | None = None) -> None:
        self.compared = self.suspects = 0
        self._dropped: Counter[str] = Counter()
        self._joined = 0
        self._found: set[Hashable] = set()
        self._operator, self._timings, self._other_side = operator, timings, other_side
        self._begin = timings.clock()

    def add(self, result: Finding | str) -> None:
        """Counts the result of a suspect: a new finding, an earlier one that it widens, or why it is dropped."""
        if isinstance(result, str):
            self._dropped[result] += 1
        elif (key := finding_key(result)) in self._found:
            self._joined += 1
        else:
            self._found.add(key)

    def searched(
        self, ended: SearchEnd, *, runs: bool, noun: str, largest: int = 0, fits: Mapping[PassName, Fit] | None = None
    ) -> Searched:
        """The summary so far; unless it `runs`, each `noun` was refused."""
        timings = self._timings
        return Searched(
            operator=self._operator,
            tried=timings.tried,
            refused=timings.refused,
            suspects=self.suspects,
            dropped=self._dropped.total(),
            dropped_for=dict(self._dropped.most_common()),
            joined=self._joined,
            seconds=timings.clock() - self._begin,
            largest=largest,
            fits=dict(fits or {}),
            uncompared=dict(timings.uncompared.most_common()),
            ended=ended,
            reason=self._reason(noun) if runs else self._refusal(noun),
        )

    def _refusal(self, noun: str) -> str:
        """The reason why the searched side ran nothing; empty if nothing was tried."""
        return f"no {noun} runs: {self._timings.refusal}" if self._timings.refused else ""

    def _reason(self, noun: str) -> str:
        """The reason why nothing could be compared, if the other side ran nothing; else empty."""
        if self._other_side is None or self._timings.other_runs or not self.compared:
            return ""
        refusal = self._timings.other_refusal or "the operator has other inputs or parameters there"
        return f"no {noun} runs on {self._other_side.words}: {refusal}"
