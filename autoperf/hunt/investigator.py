"""Follows candidates of one operator to findings: contrast, shrinking, family, confirmation, known causes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from statistics import median
from typing import NamedTuple

import msgspec

from autoperf.comparison.ratios import MIN_SAMPLE_PAIRS, ratio_of_pairs
from autoperf.core.events import BestChanged, Sink
from autoperf.core.finding import Estimate, Evidence, Finding, OtherPass
from autoperf.core.operator import Value, is_axis
from autoperf.core.outcome import PassName
from autoperf.core.tensors import Patterned
from autoperf.hunt import edits
from autoperf.hunt.candidates import Candidate, Cause, Causes, shortened
from autoperf.hunt.contents import dense, of_dtype, plain
from autoperf.hunt.contrast import FLOOR_US, HALVING, TOLERANCE, Contrast, PassView, Views, works_in
from autoperf.hunt.edits import Dimension
from autoperf.hunt.findings import MIN_RATIO
from autoperf.hunt.generaliser import Generalised, Generaliser, joint_family
from autoperf.hunt.neighbours import is_equivalent, related_kinds
from autoperf.hunt.point import Point, TypedCall
from autoperf.stats.correction import median_interval

# Minimum share of the initial log ratio that remains; a fixed threshold would keep inputs that are slow by noise.
HYSTERESIS = 0.7
PLAIN = "float32"

# The first length tried for a long dimension should take about the ratio, or at least ENOUGH_FLOORS, times the shortest
# time that can be judged; each next length is LONGER times as long.
ENOUGH_FLOORS = 4
LONGER = 8

# Maximum number of neighbours timed for each simpler input: of the contrast's own kind, then of all kinds.
MAX_OWN_STEPS, MAX_STEPS = 4, 16


def simplicity(point: Point) -> tuple[int, ...]:
    """A sort key, simple first: parameters, tensors, unusual dtypes, storage and contents, ranks, elements, oddness."""
    drafts = [draft for _, _, draft in edits.drafts(point.call)]
    shapes = [draft.shape for draft in drafts]
    unusual = (point.dtype != PLAIN) + sum(draft.storage != "default" for draft in drafts)
    return (
        len(point.call.params),
        len(shapes),
        unusual,
        sum(isinstance(draft.content, Patterned) for draft in drafts),
        sum(len(shape) for shape in shapes),
        sum(math.prod(shape) for shape in shapes),
        # Neither powers of two nor multiples of ten.
        sum(bool(size & (size - 1)) and size % 10 != 0 for shape in shapes for size in shape),
    )


class Shrinker:
    """Simplifies the slow input of a contrast step by step; `current` is the simplest contrast so far.

    `is_other` tests for inputs that are slow for another cause, which are left out.
    """

    def __init__(self, view: PassView, contrast: Contrast, is_other: Callable[[Point], bool] | None = None) -> None:
        self._view, self._is_other = view, is_other
        self.current = view.remeasured(contrast)
        self._first_ratio = self.current.ratio
        self._min_ratio = math.exp(HYSTERESIS * math.log(self._first_ratio))
        self._kinds = related_kinds(contrast.step.kind)

    def result(self) -> Contrast:
        """The simplest contrast, with the best neighbour of its slow input; the simplest so far if time runs out."""
        before = None
        while self.current is not before and not self._view.timings.expired:
            before = self.current
            reducing = True
            while reducing and not self._view.timings.expired:
                slow = self.current.slow
                # Excluded and refused dtypes are left out.
                allowed = (call for call in reductions(slow) if call[1] in (slow.dtype, *self._view.around.dtypes))
                reducing = any(self._is_simplified([call]) for call in allowed)
            for dimension in edits.dimensions(self.current.slow.call):
                if self._length(dimension) > 1 and not self._view.timings.expired:
                    self._shorten(dimension)
        return self._contrast(self.current.slow) or self.current

    def _shorten(self, dimension: Dimension) -> None:
        """Shortens a dimension to 1, else to a power of two, else by bisection if there is a cliff.

        Where the ratio declines smoothly, a power of two is the better bound.
        """
        if self._is_shortened(dimension, 1):
            return
        # Large inputs take long, so the first lengths to try are just large enough to be judged: the input should
        # still take a few times the floor.
        us, length = self._view.time_us(self.current.slow), self._length(dimension)
        wanted_us = max(ENOUGH_FLOORS, self.current.ratio) * FLOOR_US
        size = 1 << math.ceil(math.log2(max(1.0, wanted_us / us * length))) if us else length
        while 2 * size < length and not self._view.timings.expired and not self._is_shortened(dimension, size):
            size *= LONGER
        low = 1
        # The largest power of two below the length.
        while (size := 1 << ((self._length(dimension) - 1).bit_length() - 1)) > 1:
            if not self._is_shortened(dimension, size):
                low = size
                break
        below = next(self._simpler_points(self.current.slow.resized(dimension, low)), None)
        if below and self._view.net_ratio(below, self._kinds, MAX_STEPS) >= math.sqrt(self._first_ratio):
            return
        while (high := self._length(dimension)) - low > 1 and not self._view.timings.expired:
            middle = (low + high) // 2
            low = low if self._is_shortened(dimension, middle) else middle

    def _length(self, dimension: Dimension) -> int:
        """The length in the current slow input; 1 where the dimension was removed."""
        call = self.current.slow.call
        return edits.extent(call, dimension) if dimension in edits.dimensions(call) else 1

    def _is_shortened(self, dimension: Dimension, size: int) -> bool:
        return self._is_simplified(self.current.slow.resized(dimension, size))

    def _is_simplified(self, calls: Sequence[TypedCall]) -> bool:
        """Whether one of these calls is simpler and still slow; if so, it becomes the current one."""
        for point in self._simpler_points(calls):
            if self._is_other and self._is_other(point):
                continue
            # Most inputs that are still slow have a fast neighbour of the contrast's own kind.
            own = self._contrast(point, self._kinds[:1], MAX_OWN_STEPS, 2)
            if contrast := own or self._contrast(point, self._kinds, MAX_STEPS, 2):
                self.current = contrast
                return True
        return False

    def _simpler_points(self, calls: Sequence[TypedCall]) -> Iterator[Point]:
        points = self._view.around.factory.make(calls)
        return (point for point in points if point and _order(point) < _order(self.current.slow))

    def _contrast(
        self, point: Point, kinds: Sequence[str] = (), max_steps: int | None = None, count: int = 1
    ) -> Contrast | None:
        return self._view.best_contrast(
            point, kinds or self._kinds, min_ratio=self._min_ratio, max_steps=max_steps, count=count
        )


def reductions(point: Point) -> Iterator[TypedCall]:
    """Simpler calls, each with its dtype: fewer parameters, tensors and axes, plain dtypes, smaller values."""
    call, dtype = point.call, point.dtype
    for name in call.params:
        yield edits.without(call, name), dtype
    for name, given in call.tensors.items():
        shorter = (given[:1], given[:-1]) if isinstance(given, tuple) and len(given) > 1 else ()
        yield from ((replace(call, tensors={**call.tensors, name: fewer}), dtype) for fewer in shorter)
    if dtype != PLAIN:
        yield of_dtype(call, dtype, PLAIN), PLAIN
    if any(draft.storage != "default" for _, _, draft in edits.drafts(call)):
        yield dense(call, dtype), dtype
    if any(isinstance(draft.content, Patterned) for _, _, draft in edits.drafts(call)):
        yield plain(call, dtype), dtype
    for axis in range(edits.rank(call)):
        flatter = edits.merged(call, axis) if axis + 1 < edits.rank(call) else None
        yield from ((lower, dtype) for lower in (edits.without_axis(call, axis), flatter) if lower)
    for name, value in call.params.items():
        smaller = [] if is_axis(name) else _smaller_values(value)
        yield from ((edits.with_param(call, name, each), dtype) for each in smaller)


def _smaller_values(value: Value) -> list[Value]:
    """Smaller integers; for a tuple, first all entries become 1, then each is halved alone."""
    if type(value) is int and value > 1:
        return [*dict.fromkeys((1, value // 2, value - 1))]
    if not isinstance(value, tuple):
        return []
    large = {at: item for at, item in enumerate(value) if type(item) is int and item > 1}
    ones = tuple(1 if at in large else item for at, item in enumerate(value))
    return [ones, *((*value[:at], item // 2, *value[at + 1 :]) for at, item in large.items())] if large else []


def _order(point: Point) -> tuple[tuple[int, ...], float]:
    listed = (value if isinstance(value, tuple) else (value,) for value in point.call.params.values())
    sizes = sum(abs(item) for value in listed for item in value if type(item) in (int, float))  # type: ignore[misc, arg-type]
    return simplicity(point), sizes


ROUNDS = 25
EQUIVALENT_ROUNDS = 9
# Minimum ratio of recorded evidence.
MIN_EVIDENCE = 1.2
# A confirmed ratio is at least this share of the minimum ratio.
MIN_CONFIRMED_SHARE = 0.95
# The interval of a confirmed ratio lies above the minimum ratio to this power, and above what a recheck asks for.
MIN_LOW_EXPONENT = 0.6
SINGLE = "this input only"
UNFINISHED = "this input only: the budget ended before others were tested"


class _Confirmed(NamedTuple):
    """Times of a confirmed contrast in microseconds, the fast input's share of the work, and the scaled ratio."""

    slow_us: Sequence[float]
    fast_us: Sequence[float]
    share: float
    estimate: Estimate


def confirmed_finding(view: PassView, simplest: Contrast, candidate: Point) -> Finding | None:
    """The finding of a contrast that a candidate led to, without a family; None if it isn't slow in a fresh process."""
    confirmed = _confirmed(view, simplest)
    if confirmed is None:
        return None
    other_side = view.around.other_side
    return Finding(
        operator=view.around.factory.operator.name,
        pass_=view.pass_,
        case=simplest.slow.case,
        contrast=simplest.fast.case,
        found=candidate.case,
        step=simplest.step.sentence,
        estimate=confirmed.estimate,
        actual_us=median(confirmed.slow_us),
        contrast_us=median(confirmed.fast_us),
        expected_us=median(confirmed.fast_us) / confirmed.share,
        family="",
        evidence=tuple(_evidence(view, simplest, confirmed)),
        sides=(other_side.searched_words, other_side.words) if other_side else None,
        equal_work=not simplest.step.loss,
    )


def confirmed_pass(view: PassView, simplest: Contrast) -> OtherPass | None:
    """The result of the view's pass for the inputs of a contrast in the other one, if it is slow too."""
    confirmed = _confirmed(view, simplest) if view.pass_ in view.timings.passes else None
    if confirmed is None:
        return None
    return OtherPass(
        pass_=view.pass_,
        case=simplest.slow.case,
        estimate=confirmed.estimate,
        actual_us=median(confirmed.slow_us),
        contrast_us=median(confirmed.fast_us),
    )


def _evidence(view: PassView, simplest: Contrast, confirmed: _Confirmed) -> Iterator[Evidence]:
    """The evidence of each source whose ratio is at least MIN_EVIDENCE."""
    slow, estimate = sorted(confirmed.slow_us), confirmed.estimate
    actual, bounds = median(slow), median_interval(slow) or (slow[0], slow[-1])

    def slowdown(oracle: str, us: float, detail: str) -> Evidence:
        return Evidence(oracle, actual / us, detail, bounds[0] / us, bounds[1] / us)

    oracle = "side" if simplest.is_between_sides else "neighbour"
    yield Evidence(oracle, estimate.ratio, simplest.step.words, estimate.low, estimate.high)
    model = view.model
    if model and not model.fit.poor and model.excess(simplest.slow, actual) >= MIN_EVIDENCE:
        detail = f"half of the {model.fit.inputs} other inputs lie within a factor of {model.fit.factor:.2f} of it"
        yield slowdown("model", model.expected_us(simplest.slow), detail)
    work, _ = works_in(view.pass_, simplest.slow, simplest.slow)
    if view.roofline and actual / (bound_us := view.roofline(work, simplest.slow.dtype)) >= MIN_EVIDENCE:
        yield slowdown("roofline", bound_us, "this machine can move and compute as much in that time")
    forward = view.timings.times(simplest.slow)
    if view.pass_ == "backward" and forward and actual / forward.forward >= MIN_EVIDENCE:  # noqa: S105 - a pass, no password
        yield slowdown("forward", forward.forward, "the forward pass of the same input")
    for equivalent in view.around.equivalents:
        point = equivalent.applied_to(simplest.slow)
        kin = view.paired_ratio(simplest.slow, point, EQUIVALENT_ROUNDS) if point else None
        if kin and kin.low >= MIN_EVIDENCE:
            yield Evidence("kin", kin.ratio, f"{equivalent.words} of the same input", kin.low, kin.high)


def _confirmed(view: PassView, simplest: Contrast) -> _Confirmed | None:
    """Interleaved times from a fresh process; None unless they confirm the contrast."""
    times = view.timings.time_pair(simplest.slow, simplest.fast, view.pass_, ROUNDS, fresh=True)
    if times is None or len(times.first_us) < MIN_SAMPLE_PAIRS:
        return None
    share = view.work_share(simplest.slow, simplest.fast)
    ratio = ratio_of_pairs(times.first_us, times.second_us)
    estimate = Estimate(ratio.ratio * share, ratio.low * share, ratio.high * share)
    is_slow = estimate.ratio >= view.min_ratio * MIN_CONFIRMED_SHARE
    if not is_slow or estimate.low < max(MIN_RATIO, view.min_ratio**MIN_LOW_EXPONENT):
        return None
    return _Confirmed(times.first_us, times.second_us, share, estimate)


def with_family(finding: Finding, generalised: Generalised) -> Finding:
    """The finding with the words of its family; of the single input if the family isn't reported."""
    reported = generalised.is_reported
    words = generalised.family.words if reported else UNFINISHED if generalised.check.unfinished else SINGLE
    check = msgspec.structs.replace(generalised.check, single=not reported)
    return msgspec.structs.replace(finding, family=words, check=check)


EXPLAINED = "an earlier finding explains it"
NOT_AGAIN = "not slow in further samples"
NOT_CONFIRMED = "not slow in a fresh process"
LATE = "the budget ended before it was confirmed"
ALIKE = "similar to an earlier finding, and the budget ended before the two could be distinguished"
# Samples of a candidate and its neighbour before it is followed.
SAMPLES_AGAIN = 6
# A failed confirmation is repeated once.
CONFIRMATIONS = 2
# Number of times that an unfinished family is continued.
MAX_CONTINUED = 3
_OTHER: dict[PassName, PassName] = {"forward": "backward", "backward": "forward"}


class Investigator:
    """Follows candidates until the deadline of the finder's timings; `causes` holds the causes of its findings."""

    def __init__(self, views: Views, sink: Sink) -> None:
        self._views, self._sink = views, sink
        self._timings = views["forward"].timings
        self._continued: Counter[str] = Counter()
        self.causes = Causes()

    def explains(self, candidate: Candidate) -> bool:
        """Whether a known cause explains a candidate."""
        return self.causes.explain(candidate.point, candidate.pass_, candidate.kind)

    def followed(self, candidate: Candidate) -> Finding | str:
        """The finding of a candidate, or the reason for dropping it."""
        view, pass_, fast = self._views[candidate.pass_], candidate.pass_, candidate.fast
        smaller = shortened(view, candidate)
        if smaller is candidate and fast:
            # Following a candidate caused by noise would waste time.
            again = view.quick_ratio(candidate.point, fast, SAMPLES_AGAIN, halving=candidate.kind == HALVING)
            if again < TOLERANCE * view.min_ratio:
                return NOT_AGAIN
        contrast = view.best_contrast(smaller.point, smaller.kinds)
        if contrast is None and smaller is not candidate:
            contrast = view.best_contrast(candidate.point, candidate.kinds)
        if contrast is None:
            other = "the other side isn't" if view.around.other_side else "no neighbour is"
            return LATE if self._timings.closed else f"{other} faster in paired timing"
        # Unless a known cause may explain the contrast, a simpler input may be slow for one that differs from it.
        may_explain = partial(self.causes.may_explain, pass_=pass_)
        simplest = Shrinker(view, contrast, None if may_explain(contrast.slow) else may_explain).result()
        kind = simplest.step.kind
        if self.causes.explain(contrast.slow, pass_, kind) or self.causes.explain(simplest.slow, pass_, kind):
            return EXPLAINED
        return self._finding(simplest, contrast, candidate.point)

    @property
    def unfinished(self) -> Cause | None:
        """The strongest cause whose unfinished family may be continued; None if there is none."""

        def is_left(cause: Cause) -> bool:
            family = cause.generalised
            # A family that draws contradict is continued once: a cause that is known by now may explain these draws.
            most = MAX_CONTINUED if family.check.unfinished else 0 if family.is_reported else 1
            return self._continued[cause.simplest.slow.key] < most

        left = filter(is_left, self.causes)
        return max(left, key=lambda cause: cause.finding.estimate.ratio, default=None)

    def continued(self, cause: Cause) -> Finding | None:
        """The finding of a known cause with a continued family; None if its words stay the same."""
        self._continued[cause.simplest.slow.key] += 1
        pass_ = cause.finding.pass_
        explained = partial(self.causes.explain, pass_=pass_, kind=cause.kind, beside=cause)
        examples = cause.generalised.examples
        family = Generaliser(self._views[pass_], cause.simplest, explained, cause.first, examples).result()
        if cause.generalised.is_reported and not family.is_reported:
            return None
        finding = with_family(cause.finding, family)
        self.causes.replace(cause, finding=finding, generalised=family)
        return finding if finding != cause.finding else None

    def _finding(self, simplest: Contrast, contrast: Contrast, candidate: Point) -> Finding | str:
        """The finding of a new cause, or of a known cause that becomes wider; else the reason why there is none."""
        kind, pass_ = simplest.step.kind, simplest.pass_
        explained = partial(self.causes.explain, pass_=pass_, kind=kind)
        family = Generaliser(self._views[pass_], simplest, explained, contrast.slow).result()
        if known := self.causes.same(family, kind):
            return self._added_to(known, simplest, family) or EXPLAINED
        related = self.causes.related(kind, pass_)
        joint = (self._joint(other, simplest, family) for other in related)
        if widened := next((finding for finding in joint if finding), None):
            return widened
        if not family.is_reported and related:
            # Without a family, the two can't be distinguished.
            return ALIKE
        # If the simplest contrast isn't confirmed, the original one is tried.
        for each in (simplest, contrast):
            rounds = (number for number in range(CONFIRMATIONS) if number == 0 or not self._timings.expired)
            confirmed = (confirmed_finding(self._views[pass_], each, candidate) for _ in rounds)
            if finding := next(filter(None, confirmed), None):
                return self._new_cause(finding, each, family, contrast.slow)
        return LATE if self._timings.closed else NOT_CONFIRMED

    def _new_cause(self, finding: Finding, simplest: Contrast, family: Generalised, first: Point) -> Finding:
        """Adds a cause, with its other pass if that is slow too; `first` is its input before it was simplified."""
        finding = with_family(finding, family)
        cause = Cause(finding, family, simplest, (finding.pass_,), first)
        # An interruption of the other pass keeps the finding.
        self.causes.append(cause)
        if other := confirmed_pass(self._views[_OTHER[finding.pass_]], simplest):
            finding = msgspec.structs.replace(finding, other_pass=other)
            self.causes.replace(cause, finding=finding, passes=(finding.pass_, other.pass_))
        words = f": {finding.family}" if family.is_reported else ""
        self._sink.handle(BestChanged(f"{finding.estimate.ratio:.1f} times{words}"))
        return finding

    def _added_to(self, known: Cause, simplest: Contrast, family: Generalised) -> Finding | None:
        """The finding of a known cause with a wider family or with its other pass; None if neither is new."""
        # A contrast with an equivalent operator doesn't widen a family found by the operator's own inputs.
        if is_equivalent(known.kind) != is_equivalent(simplest.step.kind):
            return None
        pass_ = simplest.pass_
        if pass_ not in known.passes:
            other = confirmed_pass(self._views[pass_], simplest)
            finding = msgspec.structs.replace(known.finding, other_pass=other)
            self.causes.replace(known, finding=finding, passes=(*known.passes, pass_))
            return finding if other else None
        if known.is_within(family):
            return self._replaced(known, family)
        if joint := self._joint(known, simplest, family):
            return joint
        further = (family.family,) if family.is_settled else ()
        self.causes.replace(known, further=(*known.further, *further))
        return None

    def _joint(self, known: Cause, simplest: Contrast, family: Generalised) -> Finding | None:
        """The finding of a known cause with a family learned from both sets of examples; None if none holds."""
        examples = known.generalised.examples.joined(family.examples)
        view = self._views[simplest.pass_]
        if not joint_family(view.around.factory.operator, known.simplest, examples):
            return None
        explained = partial(self.causes.explain, pass_=view.pass_, kind=known.kind, beside=known)
        joint = Generaliser(view, known.simplest, explained, known.first, examples).result(vary=False)
        return self._replaced(known, joint) if joint.is_reported and joint.family.holds(simplest.slow) else None

    def _replaced(self, known: Cause, family: Generalised) -> Finding:
        return self.causes.replace(known, finding=with_family(known.finding, family), generalised=family).finding
