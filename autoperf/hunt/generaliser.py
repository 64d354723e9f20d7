"""Generalises a slow input to its family: learns conditions from examples, and tests them on fresh draws."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from autoperf.core.finding import FamilyCheck
from autoperf.core.operator import Operator
from autoperf.hunt.conditions import Condition, Within, merged_limits, separate_limits
from autoperf.hunt.contrast import Contrast, PassView
from autoperf.hunt.example_inputs import FreshDraws, max_elements, variations
from autoperf.hunt.family import Family, LabelledInput, LabelledInputs, candidate_conditions, learned
from autoperf.hunt.judge import Judge
from autoperf.hunt.point import Point

# Fresh draws from inside and from outside that test a family, additional draws from outside for each further condition,
# the minimum number of draws, and the minimum shares of correct ones.
DRAWS = 8
DRAWS_PER_CONDITION = 2
MIN_DRAWS = 4
MIN_SHARE = 0.8
MIN_SETTLED_SHARE = 0.5
# Maximum number of times that a family is learned again from draws that contradict it, and tested on others.
MAX_ROUNDS = 6
# Maximum elements of a variation, as a multiple of a draw's.
MAX_VARIED = 4
# Minimum share of the examples of two contrasts that one family must explain.
MIN_JOINT_SHARE = 0.95


@dataclass(frozen=True)
class Generalised:
    """A family, its check by fresh draws, and all labelled inputs."""

    family: Family
    check: FamilyCheck
    examples: LabelledInputs
    # Whether draws confirm each condition: most draws that fail only this one are fast.
    is_confirmed: bool = True

    @property
    def is_settled(self) -> bool:
        """Whether enough fresh draws support the family to attribute other slow inputs to its cause.

        A family with mostly fast inputs inside is far too wide, and would hide other causes.
        """
        check = self.check
        is_held = check.inside >= MIN_DRAWS and not check.unfinished
        return is_held and _share(check.inside_slow, check.inside) > MIN_SETTLED_SHARE

    @property
    def is_reported(self) -> bool:
        """Whether the family is correct often enough to be reported; if not, the input is reported alone."""
        check = self.check
        if not self.is_confirmed or check.inside < MIN_DRAWS or (self.family.conditions and check.outside < MIN_DRAWS):
            return False
        return min(_share(check.inside_slow, check.inside), _share(check.outside_fast, check.outside)) >= MIN_SHARE


def generalised(
    view: PassView,
    simplest: Contrast,
    explained: Callable[[Point], bool],
    known: LabelledInputs | None = None,
    *,
    vary: bool = False,
    first: Point | None = None,
) -> Generalised:
    """The family of the simplest slow input. `explained` tests whether another, known cause explains an input.

    With `known` examples, the input is varied again only if `vary`. The family's limits hold for `first`, the slow
    input that was simplified.
    """
    generaliser = _Generaliser(view, simplest, explained, known, first=first)
    if vary or not known:
        generaliser.vary()
    return generaliser.result()


def joint_family(operator: Operator, simplest: Contrast, examples: LabelledInputs) -> Family | None:
    """The family that explains the examples of two contrasts; None if it is wrong for more than a few of them."""
    family = learned(candidate_conditions(operator, simplest.slow, examples), examples, simplest.fast_example)
    is_right = family.share(examples.slow) >= MIN_JOINT_SHARE and family.share(examples.fast) <= 1 - MIN_JOINT_SHARE
    return family if is_right else None


class _Generaliser:
    """Learns, draws and labels in rounds until the draws agree with the family."""

    def __init__(
        self,
        view: PassView,
        simplest: Contrast,
        explained: Callable[[Point], bool],
        known: LabelledInputs | None,
        *,
        first: Point | None,
    ) -> None:
        self._view, self._simplest, self._first = view, simplest, first or simplest.slow
        self._judge = Judge(view, simplest, explained)
        fast = simplest.fast_example
        self.examples = known or LabelledInputs((simplest.slow,), (fast,) if fast else ())
        # Known examples were drawn before, so their number is part of the seed's name.
        stream = f"family/{simplest.slow.key}/{view.pass_}/{len(self.examples)}"
        self._draws = FreshDraws(view.around, view.timings, simplest.slow, stream, self.examples)
        self._fresh: list[LabelledInput] = []

    def vary(self) -> None:
        """Labels the variations of the slow input."""
        self.examples = self.examples.with_labels(self._judge.labels(self._varied()))

    def result(self) -> Generalised:
        """The family after the last round, checked by the draws of that round."""
        for _ in range(MAX_ROUNDS):
            family = self._learned()
            drawn = self._drawn(family)
            self._fresh += drawn
            self.examples = self.examples.with_labels(drawn)
            check = self._check(family, drawn)
            if check.unfinished or _is_right(check) or self._learned() == family:
                break
        return self._without_unconfirmed(Generalised(family, check, self.examples), drawn)

    def _without_unconfirmed(self, result: Generalised, drawn: Sequence[LabelledInput]) -> Generalised:
        """The family without unconfirmed conditions, if the draws of the last round support that family too."""
        conditions, fast = tuple(separate_limits(result.family.conditions)), self._simplest.fast_example
        confirmed = Family(merged_limits([each for each in conditions if _is_confirmed(each, conditions, self._fresh)]))
        # All draws from outside confirm a single condition.
        if len(conditions) <= 1 or confirmed == result.family:
            return result
        wider = Generalised(confirmed, self._check(confirmed, drawn), self.examples)
        is_wide = result.check.unfinished or (fast is not None and confirmed.holds(fast))
        return wider if wider.is_reported and not is_wide else replace(result, is_confirmed=False)

    def _learned(self) -> Family:
        candidates = candidate_conditions(self._view.around.factory.operator, self._simplest.slow, self.examples)
        kept = [each for each in candidates if not isinstance(each, Within) or each.holds(self._first)]
        return learned(kept, self.examples, self._simplest.fast_example)

    def _varied(self) -> Iterator[Point]:
        """The variations of the slow input that inference accepts."""
        factory = self._view.around.factory
        most = max_elements(self._simplest.slow, factory.elements)
        for variation in variations(self._simplest.slow, factory.operator, self._view.around.dtypes):
            point = next((point for point in factory.make(variation) if point), None)
            if point and point.work.elements <= MAX_VARIED * most and not self.examples.has(point):
                yield point

    def _drawn(self, family: Family) -> list[LabelledInput]:
        """Fresh labelled inputs from inside and from outside."""
        inside = islice(self._judge.labels(self._draws.inside(family)), DRAWS)
        further = DRAWS_PER_CONDITION * max(0, len(family.conditions) - 1)
        outside = self._draws.outside(family) if family.conditions else ()
        return [*inside, *islice(self._judge.labels(outside), DRAWS + further)]

    def _check(self, family: Family, drawn: Sequence[LabelledInput]) -> FamilyCheck:
        inside = [slow for point, slow in drawn if family.holds(point)]
        outside = [slow for point, slow in drawn if not family.holds(point)]
        return FamilyCheck(
            inside=len(inside),
            inside_slow=sum(inside),
            outside=len(outside),
            outside_fast=len(outside) - sum(outside),
            unfinished=self._view.timings.expired,
        )


def _is_confirmed(condition: Condition, conditions: Iterable[Condition], drawn: Iterable[LabelledInput]) -> bool:
    """Whether most draws that fail only this one of the conditions are fast; those without its number don't count."""
    others = Family(tuple(each for each in conditions if each != condition))
    fails = condition.is_beyond if isinstance(condition, Within) else lambda point: not condition.holds(point)
    alone = [slow for point, slow in drawn if fails(point) and others.holds(point)]
    return 2 * sum(alone) < len(alone)


def _is_right(check: FamilyCheck) -> bool:
    return check.inside_slow == check.inside and check.outside_fast == check.outside


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0
