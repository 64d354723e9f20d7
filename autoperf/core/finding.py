"""What a hunt finds: an input on which an operator is slow, and one beside it on which it isn't."""

from __future__ import annotations

from typing import Literal

import msgspec

from autoperf.core.case import Case
from autoperf.core.outcome import PassName

MIN_ROUNDS = 6
"""Fewer rounds of two inputs in turn have no 95% interval."""


class Estimate(msgspec.Struct, frozen=True):
    """A ratio of times with its 95% interval."""

    ratio: float
    low: float
    high: float


class Evidence(msgspec.Struct, frozen=True):
    """What one oracle says of a finding: by what factor it is slower than it has reason to be, and why.

    `oracle` is `neighbour` (an input that asks for as much work, one step away), `model` (what the other inputs of the
    operator take), `roofline` (what the machine can do), `kin` (another operator that computes the like) or `forward`
    (the backward pass against the forward pass). `strength` is the factor, between `low` and `high` with 95%
    confidence as far as the times of this input go.
    """

    oracle: str
    strength: float
    detail: str = msgspec.field(name="says")
    low: float
    high: float


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One cause of slowness, by its simplest input; times are medians in microseconds by the wall clock.

    `contrast` is the nearest input that asks for at least as much work and is fast, `step` what leads from the one to
    the other, in words; `found` is the input with which the search met the cause. `expected_us` is what `case` would
    take if it were as fast as its contrast for its work, and `estimate` the ratio of what it takes to that. `family` is
    the predicate that generalises it. `kernels` has the kernels' mean microseconds a call, by name.
    """

    operator: str
    pass_: PassName = msgspec.field(name="pass")
    case: Case
    contrast: Case
    found: Case
    step: str
    estimate: Estimate
    actual_us: float
    contrast_us: float
    expected_us: float
    family: str
    evidence: tuple[Evidence, ...] = msgspec.field(name="testimonies")
    kernels: dict[str, float] = {}
    contrast_kernels: dict[str, float] = {}


class Fit(msgspec.Struct, frozen=True):
    """How well the cost model of one pass fits: the median factor by which it errs, and over how many inputs."""

    factor: float
    inputs: int
    poor: bool


class Searched(msgspec.Struct, frozen=True, kw_only=True):
    """What was done for one operator: inputs tried and refused, suspects met and dropped, seconds, and the model's fit.

    `reason` says why nothing could be searched, if that is so; `ended` what ended the search: `budget`, `quiet` (many
    inputs in a row without a suspect), `interrupted` or `nothing`.
    """

    operator: str
    tried: int
    refused: int
    suspects: int
    dropped: int
    seconds: float
    fits: dict[PassName, Fit] = {}
    ended: Literal["budget", "quiet", "interrupted", "nothing"] = "budget"
    reason: str = ""


class Rechecked(msgspec.Struct, frozen=True, kw_only=True):
    """A finding measured again: medians in microseconds a call, their ratio, and the limit above which it holds."""

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

    @property
    def holds(self) -> bool:
        """Whether it is surely still so: all of the ratio's interval lies above."""
        return self.estimate.low > self.above
