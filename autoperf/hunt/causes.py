"""The known causes of a search: the inputs that they explain, and the contrasts that show one of them again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain

from autoperf.core.finding import Finding
from autoperf.core.outcome import PassName
from autoperf.hunt.contrast import Contrast
from autoperf.hunt.family import Family
from autoperf.hunt.generaliser import Generalised
from autoperf.hunt.neighbours import is_equivalent, related_kinds
from autoperf.hunt.point import Point

# Two causes are one if more than this share of the slow inputs of either belongs to the other.
MIN_OVERLAP = 0.5


@dataclass(frozen=True)
class Cause:
    """A finding, its generalised family, its contrast, the passes that it slows, and its input as it was found.

    `further` holds unreported families of the same cause that were seen later.
    """

    finding: Finding
    generalised: Generalised
    simplest: Contrast
    passes: tuple[PassName, ...]
    first: Point
    further: tuple[Family, ...] = ()

    @property
    def kind(self) -> str:
        """The kind of step to its contrast."""
        return self.simplest.step.kind

    @property
    def family(self) -> Family:
        """The family, even if it isn't reported because fresh draws contradict it."""
        return self.generalised.family

    def explains(self, point: Point, pass_: PassName) -> bool:
        """Whether an input is slow for this cause.

        A family that few fresh draws have tested may be far too wide: it explains only its own input.
        """
        families = (self.family, *self.further) if self.generalised.is_settled else self.further
        is_own = point.key == self.simplest.slow.key
        return pass_ in self.passes and (is_own or any(family.holds(point) for family in families))

    def is_same(self, generalised: Generalised, kind: str) -> bool:
        """Whether most slow inputs of one belong to the other's family, judged by the settled families.

        If neither family is settled, both may be far too wide, so the kinds of steps must be related too. A reported
        family that holds for the simplest input of an unsettled one has the same cause.
        """
        if generalised.is_reported and not self.generalised.is_settled and generalised.family.holds(self.simplest.slow):
            return True
        pairs = (self.generalised, generalised), (generalised, self.generalised)
        settled = [pair for pair in pairs if pair[0].is_settled]
        if not settled and self.kind not in related_kinds(kind):
            return False
        settled = settled or list(pairs)
        return max(either.family.share(other.examples.slow) for either, other in settled) > MIN_OVERLAP

    def has_same_inputs(self, generalised: Generalised) -> bool:
        """Whether both families are settled, and most slow inputs of each belong to the other's, for any contrasts.

        A family without conditions holds for the inputs of every cause, so it never counts as the same.
        """
        both = self.generalised, generalised
        if not all(each.is_settled and each.family.conditions for each in both):
            return False
        ours, theirs = (each.examples.slow for each in both)
        return min(self.family.share(theirs), generalised.family.share(ours)) > MIN_OVERLAP

    def is_within(self, generalised: Generalised) -> bool:
        """Whether another, reportable family holds for the simplest input and most others."""
        wider = generalised.family
        if not generalised.is_reported or not wider.holds(self.simplest.slow):
            return False
        ours, theirs = self.generalised, generalised.examples.slow
        return not ours.is_settled or wider.share(ours.examples.slow) > self.family.share(theirs)


class Causes:
    """The causes known so far.

    Causes found against equivalent operators explain only such contrasts. The operator's own causes explain both: an
    input that is slower than its neighbours is also slower than an equivalent operator.
    """

    def __init__(self) -> None:
        self._causes: list[Cause] = []

    def __iter__(self) -> Iterator[Cause]:
        return iter(self._causes)

    def add(self, cause: Cause) -> None:
        """Adds a new cause."""
        self._causes.append(cause)

    def replace(self, cause: Cause, **changes: object) -> Cause:
        """Changes a known cause and returns the new one."""
        changed = replace(cause, **changes)  # type: ignore[arg-type]
        self._causes[self._causes.index(cause)] = changed
        return changed

    def explain(self, point: Point, pass_: PassName, kind: str = "", beside: Cause | None = None) -> bool:
        """Whether a known cause `beside` this one explains an input that is slower by this kind of step."""
        known = (cause for cause in self._causes if is_equivalent(kind) or not is_equivalent(cause.kind))
        return any(cause.explains(point, pass_) for cause in known if cause is not beside)

    def may_explain(self, point: Point, pass_: PassName) -> bool:
        """Whether an input belongs to the family of a cause, settled or not."""
        known = (cause.family for cause in self._causes if pass_ in cause.passes)
        return any(family.conditions and family.holds(point) for family in known)

    def same(self, generalised: Generalised, kind: str) -> Cause | None:
        """The known cause that another contrast shows again, in either pass."""
        alike = [cause for cause in self._causes if is_equivalent(cause.kind) == is_equivalent(kind)]
        others = (cause for cause in self._causes if cause not in alike and cause.has_same_inputs(generalised))
        return next(chain((cause for cause in alike if cause.is_same(generalised, kind)), others), None)

    def related(self, kind: str, pass_: PassName) -> list[Cause]:
        """The causes of a pass whose contrasts are steps of related kinds."""
        return [cause for cause in self._causes if pass_ in cause.passes and cause.kind in related_kinds(kind)]
