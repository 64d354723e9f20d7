"""The findings of a hunt: an input on which an operator is slow, and a contrast on which it isn't."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, Literal, TypeAlias

import msgspec

from autoperf.core.case import Case
from autoperf.core.operator import is_axis
from autoperf.core.outcome import PassName

WALL_CLOCK = "the wall clock"
MIN_ROUNDS = 6
"""The fewest interleaved rounds that have a 95% interval."""
Positive: TypeAlias = Annotated[float, msgspec.Meta(gt=0)]
Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]
Signal: TypeAlias = Literal["time", "instructions"]
SearchEnd: TypeAlias = Literal["budget", "quiet", "interrupted", "nothing"]
"""The end of a search: the budget, many inputs without a suspect, Ctrl-C, or that nothing could be searched."""


class Estimate(msgspec.Struct, frozen=True):
    """A ratio of times with its 95% interval."""

    ratio: Positive
    low: Positive
    high: Positive


class Evidence(msgspec.Struct, frozen=True):
    """One source of evidence for a finding: the slowdown factor and its reason.

    `oracle` is `neighbour` (the contrast, one step away), `model` (the cost model of the operator's
    other inputs), `roofline` (the machine's limits), `kin` (an equivalent operator), `forward` (the backward pass
    against the forward pass) or `side` (the same input on another build, in another environment or framework).
    `strength` is the factor, with the 95% confidence interval `low` to `high` from the times of this input.
    """

    oracle: str
    strength: float
    detail: str = msgspec.field(name="says")
    low: float
    high: float


class FamilyCheck(msgspec.Struct, frozen=True, kw_only=True):
    """A family compared with fresh draws: how many `inside` inputs were slow, and `outside` ones were not.

    `single`: too few agreed, so it is the input alone. `unfinished`: the budget ended before it was as wide as can be.
    """

    inside: int
    inside_slow: int
    outside: int
    outside_fast: int
    unfinished: bool = False
    single: bool = False


class OtherPass(msgspec.Struct, frozen=True, kw_only=True):
    """The other pass of a finding, slow for the same cause: its ratio, its input, and medians in microseconds."""

    pass_: PassName = msgspec.field(name="pass")
    case: Case
    estimate: Estimate
    actual_us: Positive
    contrast_us: Positive


class CommonTime(msgspec.Struct, frozen=True):
    """Microseconds of an operator's common calls: of both passes, of the finding's, and of those with its property."""

    total_us: Positive
    pass_us: float
    trait_us: float


class FunctionPair(msgspec.Struct, frozen=True):
    """The instructions that the slow and the fast input spend in a function itself; 0 where a call lacks it."""

    name: str
    part: str
    slow: int
    fast: int

    def excess(self, work: float) -> float:
        """The instructions that the slow input spends more, where it does `work` times as much as the fast one."""
        return self.slow - work * self.fast


class FindingCode(msgspec.Struct, frozen=True, kw_only=True):
    """The instructions that the kernels of a finding spend in one call: of the slow and of the fast input.

    `work` is the slow input's work as a multiple of the fast one's, and `by` the program that counted. `functions` has
    those whose instructions for equal work differ most, the largest excess of the slow input first.
    """

    by: str
    slow: Count
    fast: Count
    work: Positive
    functions: tuple[FunctionPair, ...] = ()

    @property
    def ratio(self) -> float:
        """The slow input's instructions as a multiple of the fast one's, for equal work."""
        return self.slow / max(self.work * self.fast, 1.0)

    def shows(self, ratio: float) -> bool:
        """Whether instructions show a ratio of times: they differ by more than its square root, as in a recheck."""
        return self.ratio > math.sqrt(ratio)


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One cause of slowness, shown by its simplest input; times are median wall times in microseconds.

    `contrast` is the nearest fast input that does at least as much work, `step` the text of the difference; `found` is
    the input before shrinking, which kept logs lack. `expected_us` is the time of `case` at the contrast's speed for
    its work, and `estimate` the ratio of the actual to the expected time. `family` is the predicate that generalises
    it, and `check` how it was held against fresh draws; `other_pass` is the other pass, if it is slow for the same
    cause. `kernels` has mean microseconds per call by kernel name. In a hunt between two sides, `contrast` is the same
    input on the other side, and `sides` names the slow and the fast side. `common` is None if no common call was timed.
    `equal_work`: whether the contrast's contents are alike. `code` is None unless the hunt counted instructions.
    """

    operator: str
    pass_: PassName = msgspec.field(name="pass")
    case: Case
    contrast: Case
    found: Case | None = None
    step: str
    estimate: Estimate
    actual_us: Positive
    contrast_us: Positive
    expected_us: Positive
    family: str
    evidence: tuple[Evidence, ...] = msgspec.field(name="testimonies")
    kernels: dict[str, float] = {}
    contrast_kernels: dict[str, float] = {}
    check: FamilyCheck | None = None
    other_pass: OtherPass | None = None
    sides: tuple[str, str] | None = None
    common: CommonTime | None = None
    equal_work: bool
    code: FindingCode | None = None

    @property
    def work(self) -> float:
        """The slow input's work as a multiple of the fast one's."""
        return self.expected_us / self.contrast_us

    @property
    def changed_parameters(self) -> tuple[str, ...]:
        """The parameters, but axes and dtypes, in which both inputs differ, if their tensors have the same shapes.

        Another value may ask for other work on as many elements: with `use_global_stats`, no mean is computed.
        """
        if self.contrast.operator != self.case.operator:
            return ()
        slow, fast = ({item.name: item.tensor.shape for item in each.inputs} for each in (self.case, self.contrast))
        if any(slow[name] != fast[name] for name in slow.keys() & fast.keys()):
            return ()
        params, others = self.case.params, self.contrast.params
        differ = (name for name in sorted({*params, *others}) if params.get(name) != others.get(name))
        return tuple(name for name in differ if not is_axis(name) and not name.endswith("dtype"))

    @property
    def is_equal_work(self) -> bool:
        """Whether the contrast does at least as much work: its contents are alike, and so are its parameters."""
        return self.equal_work and not self.changed_parameters


class RegistryCause(msgspec.Struct, frozen=True, kw_only=True):
    """One explanation of the slow inputs of several operators.

    `ratios` has each operator with its largest ratio, the largest first, and `ratio` is their geometric mean. `cost` is
    the sum of the operators' costs (see `CauseRanking`). `findings` are references, the costliest first, and `kernels`
    those that all of them share.
    """

    words: str
    cost: float
    ratio: float
    ratios: dict[str, float]
    findings: tuple[str, ...]
    kernels: tuple[str, ...] = ()


class CauseRanking(msgspec.Struct, frozen=True, kw_only=True):
    """The causes that several operators share, and the findings of one operator alone, each by cost, costliest first.

    `costs` has the cost of every finding by its reference: the share of the time of the operator's common calls that
    is lost, or, if `weighted`, the milliseconds that given calls lose. `assumed` are the findings without the time of
    common calls. `networks` are the milliseconds that each network loses by a finding, if `weighted`.
    """

    causes: tuple[RegistryCause, ...] = ()
    own: tuple[str, ...] = ()
    costs: dict[str, float] = {}
    weighted: bool = False
    assumed: tuple[str, ...] = ()
    networks: dict[str, dict[str, float]] = {}

    @property
    def lost(self) -> dict[str, dict[str, float]]:
        """The milliseconds that each network loses, by finding, the network that loses most first."""
        by_network: dict[str, dict[str, float]] = {}
        for reference, networks in self.networks.items():
            for name, lost in networks.items():
                by_network.setdefault(name, {})[reference] = lost
        return dict(sorted(by_network.items(), key=lambda item: -sum(item[1].values())))

    @property
    def order(self) -> tuple[str, ...]:
        """All findings: those of one operator alone, then those of each cause."""
        return (*self.own, *(reference for cause in self.causes for reference in cause.findings))


class SideRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A side of a hunt between two, in words, with its version, build and variables; `framework` is empty for MXNet."""

    words: str
    mxnet: str
    library: str | None = None
    env: dict[str, str] = {}
    framework: str = ""


def clocks_of(sides: Sequence[SideRecord]) -> str:
    """The clocks by which the sides of a hunt were timed: MXNet by its kernels against another framework."""
    if not any(side.framework for side in sides):
        return WALL_CLOCK
    searched, other = sides
    return f"the kernels of {searched.words}, without dispatch, and whole calls of {other.words} from Python"


class Fit(msgspec.Struct, frozen=True):
    """The fit of one pass's cost model: its median error as a factor, and the number of inputs."""

    factor: float
    inputs: int
    poor: bool


class Searched(msgspec.Struct, frozen=True, kw_only=True):
    """The search of one operator: inputs tried and refused, suspects, suspects dropped, seconds, and the model's fit.

    `dropped_for` counts the dropped suspects by reason; `joined` suspects belong to the family or the other pass of an
    earlier finding. Older logs lack both.

    `reason` says why nothing could be searched, or is empty; `ended` is the end of the search: `budget`, `quiet` (many
    inputs in a row without a suspect, or no more inputs), `interrupted` or `nothing`. `largest` is the number of
    elements of the largest input or output.
    """

    operator: str
    tried: int
    refused: int
    suspects: int
    dropped: int
    dropped_for: dict[str, int] = {}
    joined: int = 0
    seconds: float
    fits: dict[PassName, Fit] = {}
    ended: SearchEnd = "budget"
    reason: str = ""
    largest: int = 0
    uncompared: dict[str, int] = {}

    @property
    def has_begun(self) -> bool:
        """Whether there was a search: nothing spoke against it, and no interruption came before."""
        return not self.reason and (self.tried > 0 or self.ended != "interrupted")


class Rechecked(msgspec.Struct, frozen=True, kw_only=True):
    """A finding measured again: medians in microseconds per call, their ratio, and the limit `above` which it holds.

    `sides` names the slow and the fast side of a finding between two; `clocks` says by which clocks they were timed.
    `code` is None unless instructions were counted; they decide, by the limit `code_above`, if it is given.
    """

    operator: str
    pass_: PassName = msgspec.field(name="pass")
    slow: Case
    fast: Case
    slow_us: float
    fast_us: float
    estimate: Estimate
    above: float
    rounds: int
    mxnet: str
    threads: int | None
    found_threads: int | None = None
    sides: tuple[str, str] | None = None
    clocks: str = WALL_CLOCK
    code: FindingCode | None = None
    code_above: float | None = None

    @property
    def holds(self) -> bool:
        """Whether the ratio's whole interval lies above the limit; that of instructions if they decide."""
        if self.code and self.code_above is not None:
            return self.code.ratio > self.code_above
        return self.estimate.low > self.above


FINDING = "finding"
CONTRAST = "contrast"


def cases_of(finding: Finding) -> tuple[Case, Case]:
    """The slow and the fast case, with their profiles."""
    replace = msgspec.structs.replace
    return replace(finding.case, profile=FINDING), replace(finding.contrast, profile=CONTRAST)
