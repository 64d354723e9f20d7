"""Candidates that wait to be followed: of a sort that wasn't followed yet first, then the light ones, the strongest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeAlias

from autoperf.core.outcome import PassName
from autoperf.hunt.candidates import Candidate, Sort, sort_of
from autoperf.hunt.causes import Cause
from autoperf.hunt.neighbours import related_kinds

SortOfPass: TypeAlias = tuple[PassName, Sort]

# Of one sort, so many wait.
MAX_ALIKE = 4
# A candidate is strong from this ratio on.
STRONG = 2.5


class WaitingCandidate(NamedTuple):
    """A candidate and its pass; a heavy one takes long, and so does following it."""

    candidate: Candidate
    pass_: PassName
    is_heavy: bool = False

    @property
    def sort(self) -> SortOfPass:
        """What candidates of one cause have in common."""
        return self.pass_, sort_of(self.candidate.kind, self.candidate.point.dtype)


class WaitingList:
    """The candidates of one operator that wait; the next one is of the sort that was followed least often."""

    def __init__(self) -> None:
        self._waiting: dict[SortOfPass, list[WaitingCandidate]] = {}
        self._followed: Counter[SortOfPass] = Counter()
        self._postponed: set[SortOfPass] = set()

    def add(self, entry: WaitingCandidate) -> None:
        """Adds a candidate; of many of a sort, the light ones stay, and the strongest."""
        alike = [*self._waiting.get(entry.sort, ()), entry]
        self._waiting[entry.sort] = sorted(alike, key=_weakness)[:MAX_ALIKE]

    def pop(self) -> WaitingCandidate | None:
        """Takes the next one; None if none waits."""
        waiting = [sort for sort, alike in self._waiting.items() if alike]
        if not waiting:
            return None
        sort = min(waiting, key=self._order)
        self._followed[sort] += 1
        return self._waiting[sort].pop(0)

    def drop(self, is_explained: Callable[[WaitingCandidate], bool]) -> None:
        """Leaves out those that a finding explains."""
        for sort, alike in self._waiting.items():
            self._waiting[sort] = [entry for entry in alike if not is_explained(entry)]

    def postpone(self, causes: Iterable[Cause]) -> None:
        """Postpones the sorts whose candidates may have one of these causes, and no longer those postponed before."""
        known = list(causes)
        self._postponed = {
            (pass_, sort) for pass_, sort in self._waiting for each in known if _may_have(each, pass_, sort)
        }

    @property
    def unfollowed_sorts(self) -> int:
        """How many sorts wait of which none was followed, with a strong candidate that isn't of the model alone."""
        unfollowed = (alike for sort, alike in self._waiting.items() if not self._times_followed(sort))
        return sum(any(map(_is_strong, alike)) for alike in unfollowed)

    def _times_followed(self, sort: SortOfPass) -> int:
        """How often a sort was followed; to be postponed counts as once."""
        return self._followed[sort] + (sort in self._postponed)

    def _order(self, sort: SortOfPass) -> tuple[int, bool, bool, float]:
        """Candidates of the model alone come last: most of them have another sort too, or no faster neighbour."""
        strongest = self._waiting[sort][0]
        return self._times_followed(sort), not strongest.candidate.kind, *_weakness(strongest)


def _may_have(cause: Cause, pass_: PassName, sort: Sort) -> bool:
    """Whether candidates of a sort may have a known cause that doesn't explain them.

    A family that is reported has the inputs of its cause. Any other may lack some of related kinds, and those of all
    dtypes as long as it is unfinished.
    """
    dtype, family = cause.simplest.slow.dtype, cause.generalised
    is_known = family.is_reported and not family.check.unfinished
    kinds = (cause.kind,) if is_known else related_kinds(cause.kind)
    sorts = {sort_of(kind, dtype) for kind in kinds}
    is_near = sort in sorts or (family.check.unfinished and sort[0] in {name for name, *_ in sorts})
    return pass_ in cause.passes and is_near


def _weakness(entry: WaitingCandidate) -> tuple[bool, float]:
    """Least for a light one, and for a strong one."""
    return entry.is_heavy, -entry.candidate.ratio


def _is_strong(entry: WaitingCandidate) -> bool:
    return bool(entry.candidate.kind) and entry.candidate.ratio >= STRONG
