"""Generalises a slow input to its family: learns conditions from examples, and holds them against fresh draws."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from autoperf.core.finding import FamilyCheck
from autoperf.core.operator import Operator
from autoperf.core.outcome import PassName
from autoperf.hunt.candidate_conditions import candidate_conditions
from autoperf.hunt.contrast import Contrast, ContrastFinder
from autoperf.hunt.family import Family, learned
from autoperf.hunt.fresh_draws import FreshDraws, max_elements
from autoperf.hunt.judge import Judge
from autoperf.hunt.labelled_inputs import LabelledInputs
from autoperf.hunt.point import Point
from autoperf.hunt.variations import variations

# Fresh inputs from inside and outside that a family is held against, and the share that has to be right.
DRAWS = 8
MIN_DRAWS = 4
MIN_SHARE = 0.8
# A family that fresh draws contradict is learned again from them, and held against others.
MAX_ROUNDS = 6
# A variation may have so many times the elements of a draw.
MAX_VARIED = 4
# The share of the examples of two contrasts that one family must be right about.
MIN_JOINT_SHARE = 0.95


@dataclass(frozen=True)
class Generalised:
    """A family, how it was held against fresh draws, and all labelled inputs."""

    family: Family
    check: FamilyCheck
    examples: LabelledInputs

    @property
    def is_settled(self) -> bool:
        """Whether the family was held against enough fresh draws to say anything of other inputs."""
        return self.check.inside >= MIN_DRAWS and not self.check.unfinished

    @property
    def is_told(self) -> bool:
        """Whether the family is right often enough to be told; otherwise the input stands for itself."""
        check = self.check
        if check.inside < MIN_DRAWS or (self.family.conditions and check.outside < MIN_DRAWS):
            return False
        return min(_share(check.inside_slow, check.inside), _share(check.outside_fast, check.outside)) >= MIN_SHARE


def generalised(
    finder: ContrastFinder,
    simplest: Contrast,
    pass_: PassName,
    explained: Callable[[Point], bool],
    known: LabelledInputs | None = None,
) -> Generalised:
    """The family of the simplest slow input. `explained` tells inputs that are slow for another, known cause.

    With `known` examples the input isn't varied again.
    """
    generaliser = _Generaliser(finder, simplest, pass_, explained)
    if known:
        generaliser.examples = known
    else:
        generaliser.vary()
    return generaliser.result()


def joint_family(operator: Operator, simplest: Contrast, examples: LabelledInputs) -> Family | None:
    """The family that explains the examples of two contrasts; None if it is wrong about more than a few of them."""
    family = learned(candidate_conditions(operator, simplest.slow, examples), examples, simplest.fast_example)
    is_right = family.share(examples.slow) >= MIN_JOINT_SHARE and family.share(examples.fast) <= 1 - MIN_JOINT_SHARE
    return family if is_right else None


class _Generaliser:
    """Learns, draws and labels in rounds until the draws agree with the family."""

    def __init__(
        self, finder: ContrastFinder, simplest: Contrast, pass_: PassName, explained: Callable[[Point], bool]
    ) -> None:
        self._finder, self._simplest = finder, simplest
        self._judge = Judge(finder, simplest, pass_, explained)
        self._draws = FreshDraws(finder, simplest.slow, f"family/{simplest.slow.key}/{pass_}")
        fast = simplest.fast_example
        self.examples = LabelledInputs((simplest.slow,), (fast,) if fast else ())

    def vary(self) -> None:
        """Labels the variations of the slow input."""
        self.examples = self.examples.with_labels(self._judge.labels(self._varied()))

    def result(self) -> Generalised:
        """The family after the last round, with the draws of that round."""
        for _ in range(MAX_ROUNDS):
            family = self._learned()
            inside, outside = self._drawn(family)
            check = self._check(inside, outside)
            self.examples = self.examples.with_labels([*inside, *outside])
            if check.unfinished or _is_right(check) or self._learned() == family:
                break
        return Generalised(family, check, self.examples)

    def _learned(self) -> Family:
        candidates = candidate_conditions(self._finder.factory.operator, self._simplest.slow, self.examples)
        return learned(candidates, self.examples, self._simplest.fast_example)

    def _varied(self) -> Iterator[Point]:
        """The slow input with each coordinate changed, where inference accepts it."""
        factory = self._finder.factory
        most = max_elements(self._simplest.slow, factory.elements)
        for variation in variations(self._simplest.slow, factory.operator, self._finder.dtypes):
            point = next((point for point in factory.make(variation.calls) if point), None)
            if point and point.work.elements <= MAX_VARIED * most:
                yield point

    def _drawn(self, family: Family) -> tuple[list[tuple[Point, bool]], list[tuple[Point, bool]]]:
        """Fresh labelled inputs from inside and from outside."""
        return (
            _first_labels(self._judge, self._draws.inside(family)),
            _first_labels(self._judge, self._draws.outside(family)) if family.conditions else [],
        )

    def _check(self, inside: list[tuple[Point, bool]], outside: list[tuple[Point, bool]]) -> FamilyCheck:
        return FamilyCheck(
            inside=len(inside),
            inside_slow=sum(slow for _, slow in inside),
            outside=len(outside),
            outside_fast=sum(not slow for _, slow in outside),
            unfinished=self._finder.timings.expired,
        )


def _first_labels(judge: Judge, points: Iterable[Point]) -> list[tuple[Point, bool]]:
    return list(islice(judge.labels(points), DRAWS))


def _is_right(check: FamilyCheck) -> bool:
    return check.inside_slow == check.inside and check.outside_fast == check.outside


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0
