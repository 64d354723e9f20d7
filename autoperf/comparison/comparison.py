"""The result of a comparison: compared and unmatched figures, verdicts, and notices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Literal, TypeAlias

import msgspec

from autoperf.comparison.expectations import MAX_THRESHOLD, Expectations, FigureKey
from autoperf.core.clocks import DEFAULT_METRICS, Metric
from autoperf.core.errors import UsageError
from autoperf.core.outcome import PASSES, VIEW, PassName, ResultDifference
from autoperf.core.texts import Word
from autoperf.counts.functions import CodeDifference
from autoperf.runs.runfile import Provenance

Side: TypeAlias = Literal["base", "new", "both"]
THRESHOLD = 0.05
FALSE_DISCOVERIES = 0.05
"""The q value below which a change is significant."""
COUNT_THRESHOLD = 0.001


class Verdict(Word):
    """The classification of a ratio by its interval and q value.

    `accepted` is slower, as the user's expectations accept; `differs`: the sides compute different results.
    """

    FASTER = "faster"
    SLOWER = "slower"
    SAME = "same"
    UNDECIDED = "undecided"
    ACCEPTED = "accepted"
    DIFFERS = "differs"


CHANGED = (Verdict.SLOWER, Verdict.FASTER)
COUNT_WORDS = {Verdict.SLOWER: "more instructions", Verdict.FASTER: "fewer instructions"}
"""The names of these verdicts on exact counts."""


class Gate(Word):
    """The answer of a comparison to a job that must not let a slowdown pass."""

    PASSES = "passes"
    FAILS = "fails"
    INCONCLUSIVE = "inconclusive"


MAX_OPEN = 0.25
"""The share of measurements that may be slower, with which a gate still passes. Two undisturbed runs of one build leave
15% open, one beside a load of 22 on two processors 33% (docs/method/comparing.md)."""
SUSPECT = 2.0
"""The ratio from which a single undecided measurement keeps a gate from passing."""


class ComparisonOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options of a comparison.

    `threshold` is the smallest relevant change, 0.05 for 5%. `margin` is the tolerated systematic difference of the
    runs; None: unknown. `count_threshold` is the smallest relevant change of an exact count. `allow_missing`: new may
    lack or skip cases and figures that base measured. `allow_different` are operators whose results may differ, or
    globs of their names, each with the reason. `counts_first`: cases that execute identical code on both sides aren't
    timed. `time_different`: cases whose results differ between two sides are timed too. `expectations` have thresholds
    of some measurements, and slowdowns that are accepted.
    """

    threshold: float = THRESHOLD
    margin: float | None = None
    passes: tuple[PassName, ...] = PASSES
    metrics: tuple[Metric, ...] = DEFAULT_METRICS
    allow_missing: bool = False
    allow_different: dict[str, str] = {}
    time_different: bool = False
    counts_first: bool = False
    count_threshold: float = COUNT_THRESHOLD
    expectations: Expectations = Expectations()

    def __post_init__(self) -> None:
        """Raises UsageError for an invalid threshold or margin; 0 of counts is a change of any instruction."""
        if not 0 < self.threshold <= MAX_THRESHOLD:
            raise UsageError(f"invalid threshold {self.threshold:.2%}: expected more than 0% and at most 1000%")
        for name, share in (("margin", self.margin), ("count threshold", self.count_threshold)):
            if share is not None and not 0 <= share <= MAX_THRESHOLD:
                raise UsageError(f"invalid {name} {share:.2%}: expected 0% to 1000%")


class PassParts(msgspec.Struct, frozen=True):
    """The parts of a pass in microseconds: its kernels, the engine's helpers, and the dispatch if it is known."""

    kernels: dict[str, float]
    helpers: dict[str, float]
    dispatch_us: float | None


class SecondLook(msgspec.Struct, frozen=True):
    """The result of measuring a slower figure again, in processes of its own: its ratio, interval and verdict."""

    ratio: float
    low: float
    high: float
    verdict: Verdict


class ComparedFigure(msgspec.Struct, frozen=True, kw_only=True):
    """One figure of one case on both sides: `ratio` is NEW / BASE, with its 95% interval.

    `p` is for the hypothesis of no difference, `q` is adjusted for all figures (Benjamini and Hochberg). `base_us` and
    `new_us` are each side's time by the same model, in the unit of the clock, so that `new_us / base_us` is the ratio.
    `statistic` is the statistic of a side's samples that they estimate: the median, as a run shows it, or the tenth
    percentile, or the exact count of instructions, with the `code` that both execute. `clock` is the clock's name.
    `base_processes` and `new_processes` are the numbers of processes. `inputs` is the text of the case. `crowded`: it
    is undecided since other programs had the processor during many samples of a side; the interval includes what they
    can explain. `notes` are those that one side has on the pass: `new: it returns a view, ...`. `network` is the name
    of a whole network. `parts` are those of the pass of base and of new, where the time changed. `paths` are the
    implementations that ran on both sides, where they differ. `threshold` is its own, if it has one; `accepted` is the
    line of the user's expectations that accepts a slowdown. `again` is the second look, which decides the verdict.
    """

    case: str
    operator: str
    pass_: PassName = msgspec.field(name="pass")
    clock: str
    ratio: float
    low: float
    high: float
    p: float
    verdict: Verdict
    q: float
    base_us: float
    new_us: float
    statistic: Literal["median", "P10", "count"]
    base_processes: int
    new_processes: int
    category: str
    profile: str
    inputs: str
    crowded: bool = False
    notes: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET
    network: str = ""
    parts: tuple[PassParts, PassParts] | msgspec.UnsetType = msgspec.UNSET
    code: CodeDifference | msgspec.UnsetType = msgspec.UNSET
    paths: tuple[str, str] | msgspec.UnsetType = msgspec.UNSET
    threshold: float | msgspec.UnsetType = msgspec.UNSET
    accepted: str | msgspec.UnsetType = msgspec.UNSET
    again: SecondLook | msgspec.UnsetType = msgspec.UNSET

    @property
    def key(self) -> FigureKey:
        """The measurement, for the lines of expectations."""
        return FigureKey(self.case, self.operator, self.category, self.profile, self.pass_, self.clock)

    @property
    def returns_view(self) -> bool:
        """Whether a side returns a view, so that the ratio says nothing of its kernel."""
        return any(note.endswith(VIEW) for note in self.notes or ())


class Unmatched(msgspec.Struct, frozen=True, kw_only=True):
    """A case without a counterpart, or one figure of it if `pass` and `clock` are set.

    `missing` is the side without it; `reason` is `absent`, or the outcome's status and reason. `lost`: new lacks it
    although base measured it or could have, which fails a gate, unless ComparisonOptions.allow_missing accepts it.
    """

    case: str
    operator: str
    missing: Side
    reason: str
    pass_: PassName | None = msgspec.field(default=None, name="pass")
    clock: str | None = None
    category: str = ""
    profile: str = ""
    lost: bool = False
    network: str = ""


class VerdictCounts(msgspec.Struct, frozen=True):
    """The number of figures by verdict."""

    faster: int = 0
    slower: int = 0
    same: int = 0
    undecided: int = 0
    accepted: int = 0
    differs: int = 0


class Different(msgspec.Struct, frozen=True, kw_only=True):
    """A case whose results differ.

    `by_fingerprint`: of two stored runs, whose fingerprints are compared, instead of the results themselves.
    `side` is the one whose timed calls differ from its own trial, and `both` where the sides differ. `allowed` is the
    user's reason for a difference that fails no gate; None where it does.
    """

    case: str
    operator: str
    category: str
    profile: str
    inputs: str
    difference: ResultDifference
    by_fingerprint: bool = False
    side: Side = "both"
    allowed: str | None = None


class NetworkChange(msgspec.Struct, frozen=True):
    """The gain or loss of a network's pass by the changes of its calls.

    `calls` of its `made` calls were compared, and take `base_us` in base, each measured alone. `change_us` is the sum
    over those that are slower or faster, also by `operators`, the largest first. `whole_us` is the time of the whole in
    base, None if it wasn't compared.
    """

    name: str
    pass_: PassName = msgspec.field(name="pass")
    calls: int
    made: int
    base_us: float
    change_us: float
    operators: dict[str, float]
    whole_us: float | None = None

    @property
    def coverage(self) -> float | None:
        """The time of the compared calls alone as a share of the whole's, at most 1; None if that is unknown."""
        return min(1.0, self.base_us / self.whole_us) if self.whole_us else None

    @property
    def share(self) -> float | None:
        """The change as a share of the whole, or of the compared calls where the whole is unknown or shorter."""
        return self.change_us / max(self.whole_us or 0.0, self.base_us) if self.base_us else None


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """A whole comparison.

    `base` and `new` are titles of the runs; `shift` is the median ratio over all figures. `base_provenance` and
    `new_provenance` are None in a comparison made by hand. `equal_results` is the number of cases whose results were
    compared and agree. `networks` are those of --networks.
    """

    base: str
    new: str
    threshold: float
    margin: float | None
    cases: tuple[ComparedFigure, ...]
    unmatched: tuple[Unmatched, ...]
    summary: VerdictCounts
    shift: float
    notices: tuple[str, ...]
    base_provenance: Provenance | None = None
    new_provenance: Provenance | None = None
    different: tuple[Different, ...] = ()
    equal_results: int = 0
    count_threshold: float = COUNT_THRESHOLD
    networks: tuple[NetworkChange, ...] = ()

    @property
    def words(self) -> dict[Verdict, str]:
        """The names of the verdicts; a comparison of counts alone has more or fewer instructions."""
        of_counts = bool(self.cases) and all(figure.code for figure in self.cases)
        return {verdict: verdict.value for verdict in Verdict} | (COUNT_WORDS if of_counts else {})

    @property
    def differing(self) -> tuple[Different, ...]:
        """The cases whose results differ without the user's leave."""
        return tuple(entry for entry in self.different if entry.allowed is None)

    @property
    def lost(self) -> tuple[Unmatched, ...]:
        """The cases and figures that base measured and new lacks."""
        return tuple(entry for entry in self.unmatched if entry.lost)

    def threshold_of(self, figure: ComparedFigure) -> float:
        """The smallest change of a measurement that counts."""
        return figure.threshold or (self.count_threshold if figure.code else self.threshold)

    @property
    def open(self) -> tuple[ComparedFigure, ...]:
        """The undecided measurements that may be slower: their intervals end above the threshold."""
        undecided = (figure for figure in self.cases if figure.verdict is Verdict.UNDECIDED)
        return tuple(figure for figure in undecided if not figure.high <= 1 + self.threshold_of(figure))

    @property
    def suspects(self) -> tuple[ComparedFigure, ...]:
        """The open measurements of which one is enough to doubt: at least twice as long, or slower unless crowded."""
        return tuple(
            each
            for each in self.open
            if each.ratio >= SUSPECT
            or (each.crowded and each.q < FALSE_DISCOVERIES and each.ratio > 1 + self.threshold_of(each))
        )

    @property
    def gate(self) -> Gate:
        """Fails if anything is slower or lost or differs, and passes if little of the undecided may be slower."""
        if self.summary.slower or self.lost or self.differing:
            return Gate.FAILS
        doubtful = self.suspects or len(self.open) > MAX_OPEN * len(self.cases)
        return Gate.INCONCLUSIVE if doubtful else Gate.PASSES

    @property
    def brief(self) -> list[ComparedFigure]:
        """The measurements of a short list: those that changed, or that seem slower where the gate doesn't pass."""
        doubtful = () if self.gate is Gate.PASSES else self.open
        seeming = {(one.case, one.pass_, one.clock) for one in doubtful if one.ratio > 1 + self.threshold_of(one)}
        changed = (Verdict.DIFFERS, *CHANGED, Verdict.ACCEPTED)
        return [one for one in self.cases if one.verdict in changed or (one.case, one.pass_, one.clock) in seeming]

    def confirmed(self, second: Comparison) -> Comparison:
        """The comparison in which a time is slower only if a second measurement finds it slower, too.

        One that the second lacks stays as it is. Other results that only the second found are added.
        """
        looks = {figure.key: figure for figure in second.cases}
        cases = list(self.cases)
        for at, figure in enumerate(self.cases):
            look = looks.get(figure.key)
            if look and figure.verdict is Verdict.SLOWER and not figure.code:
                again = SecondLook(look.ratio, look.low, look.high, look.verdict)
                verdict = Verdict.SAME if look.verdict is Verdict.FASTER else look.verdict
                cases[at] = msgspec.structs.replace(figure, verdict=verdict, accepted=look.accepted, again=again)
        known = {entry.case for entry in self.different}
        different = (*self.different, *(entry for entry in second.different if entry.case not in known))
        return msgspec.structs.replace(self, cases=tuple(cases), different=different, summary=verdict_counts(cases))


def verdict_counts(figures: Iterable[ComparedFigure]) -> VerdictCounts:
    """The number of figures with each verdict."""
    return VerdictCounts(**Counter(figure.verdict.value for figure in figures))
