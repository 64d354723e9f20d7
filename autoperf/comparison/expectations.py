"""A repository's expectations of a comparison: thresholds, accepted slowdowns, and operators whose results may differ.

A file that is reviewed with the code states them ([the gate](docs/guides/nightly-job.md)).
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import NamedTuple

import msgspec

from autoperf.core.clocks import METRICS, metric_named
from autoperf.core.outcome import PASSES
from autoperf.registry.names import function_of

MAX_THRESHOLD = 10.0


class FigureKey(NamedTuple):
    """A measurement: its case's id, operator, category and profile, its pass and the name of its clock."""

    case: str
    operator: str
    category: str
    profile: str
    pass_: str
    clock: str


class Selector(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The measurements that a line of the file is for: globs of case, operator, category, profile, pass and clock."""

    case: str = "*"
    operator: str = "*"
    category: str = "*"
    profile: str = "*"
    pass_: str = msgspec.field(default="*", name="pass")
    clock: str = "*"

    def __post_init__(self) -> None:
        """Raises ValueError for a pass or a clock that there isn't."""
        for name, glob, known in (("pass", self.pass_, PASSES), ("clock", self.clock, [each.name for each in METRICS])):
            if not any(fnmatchcase(each, glob) for each in known):
                raise ValueError(f"invalid {name} {glob!r}: expected {', '.join(known)}")

    @property
    def globs(self) -> FigureKey:
        """The globs, in the order of a key."""
        return FigureKey(self.case, self.operator, self.category, self.profile, self.pass_, self.clock)

    def covers(self, key: FigureKey) -> bool:
        """Whether the line is for this measurement."""
        return is_named(key.operator, self.operator) and all(map(fnmatchcase, key, self.globs._replace(operator="*")))

    @property
    def words(self) -> str:
        """`operator=dot pass=forward`; `every measurement` without a choice."""
        named = zip(("case", "operator", "category", "profile", "pass", "clock"), self.globs, strict=True)
        return " ".join(f"{name}={glob}" for name, glob in named if glob != "*") or "every measurement"


class Threshold(Selector, frozen=True, kw_only=True):
    """The smallest change of these measurements that counts: 0.1 for 10%. A line without a clock is for times alone."""

    threshold: float

    def __post_init__(self) -> None:
        """Raises ValueError for a threshold that isn't a positive share."""
        super().__post_init__()
        if not 0 < self.threshold <= MAX_THRESHOLD:
            raise ValueError(f"invalid threshold {self.threshold:.2%}: expected more than 0% and at most 1000%")

    def covers(self, key: FigureKey) -> bool:
        """Whether the line is for this measurement."""
        return super().covers(key) and (self.clock != "*" or metric_named(key.clock).is_time)


class Acceptance(Selector, frozen=True, kw_only=True):
    """A known slowdown of these measurements: `ratio` is NEW / BASE. The threshold beyond it is accepted too.

    It holds up to the day `until`, or for good. `by` says who accepted it.
    """

    ratio: float
    reason: str
    until: dt.date | None = None
    by: str = ""

    def __post_init__(self) -> None:
        """Raises ValueError for a ratio that is no slowdown, and without a reason."""
        super().__post_init__()
        if not self.ratio > 1:
            raise ValueError(f"invalid ratio {self.ratio:g}: expected more than 1, such as 1.2 for a fifth slower")
        if not self.reason.strip():
            raise ValueError("invalid reason: expected why the slowdown is accepted")

    @property
    def title(self) -> str:
        """`operator=dot 1.2 times slower (it checks its bounds, ann, until 2027-01-31)`."""
        until = f"until {self.until.isoformat()}" if self.until else ""
        return f"{self.words} {self.ratio:g} times slower ({', '.join(filter(None, (self.reason, self.by, until)))})"


class Leave(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An operator, or a glob of names, whose results may differ, with the reason."""

    operator: str
    reason: str

    def __post_init__(self) -> None:
        """Raises ValueError without an operator or a reason."""
        if not self.operator.strip():
            raise ValueError("invalid operator: expected a name, or a glob of names")
        if not self.reason.strip():
            raise ValueError(f"invalid reason: expected why the results of {self.operator} may differ")


def is_named(operator: str, glob: str) -> bool:
    """Whether a glob names an operator, or its function such as np.mean."""
    return any(fnmatchcase(name, glob) for name in (operator, function_of(operator)))


class Expectations(msgspec.Struct, frozen=True, kw_only=True):
    """The lines of a file, in its order. Of those that cover a measurement, the last counts. `over` have run out."""

    source: str = ""
    thresholds: tuple[Threshold, ...] = ()
    accepted: tuple[Acceptance, ...] = ()
    over: tuple[Acceptance, ...] = ()
    different: tuple[Leave, ...] = ()

    @property
    def reasons(self) -> dict[str, str]:
        """The reason for each operator, or glob, whose results may differ."""
        return {each.operator: each.reason for each in self.different}

    def allows(self, operator: str) -> bool:
        """Whether the results of this operator may differ."""
        return any(is_named(operator, each.operator) for each in self.different)

    def on(self, day: dt.date) -> Expectations:
        """The expectations of a day, by which some may have run out."""
        over = tuple(each for each in self.accepted if each.until and each.until < day)
        kept = tuple(each for each in self.accepted if each not in over)
        return msgspec.structs.replace(self, accepted=kept, over=over)

    def threshold(self, key: FigureKey, default: float) -> float:
        """The smallest change of a measurement that counts."""
        return next((each.threshold for each in reversed(self.thresholds) if each.covers(key)), default)

    def acceptance(self, key: FigureKey, low: float, threshold: float) -> Acceptance | None:
        """The line that accepts a slowdown whose interval begins at the ratio `low`."""
        covering = next((each for each in reversed(self.accepted) if each.covers(key)), None)
        return covering if covering and low <= covering.ratio * (1 + threshold) else None

    def idle(
        self, maybe_slower: Mapping[FigureKey, bool], differing: Collection[str], equal: Collection[str]
    ) -> Iterator[str]:
        """A notice for each line that has run out, covers nothing that was compared, or accepts what no longer occurs.

        `maybe_slower` says which measurements may be; `differing` and `equal` are operators with such results.
        """
        for expired in self.over:
            yield f"{self.source}: accepted {expired.title} has run out, and counts again"
        for line in (*self.thresholds, *self.accepted):
            covered = [may_be for key, may_be in maybe_slower.items() if line.covers(key)]
            if not covered:
                yield f"{self.source}: {line.words} covers no measurement"
            elif isinstance(line, Acceptance) and not any(covered):
                yield f"{self.source}: accepted {line.title} no longer occurs: remove the line"
        for leave in self.different:
            if any(is_named(operator, leave.operator) for operator in differing):
                continue
            if any(is_named(operator, leave.operator) for operator in equal):
                yield f"{self.source}: the results of {leave.operator} no longer differ: remove the line"
            else:
                yield f"{self.source}: different operator={leave.operator} covers no compared results"
