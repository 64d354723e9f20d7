"""Recheck of a finding: times the slow and the fast input again, and tells whether the finding still holds."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from statistics import median

from autoperf.core.case import Case
from autoperf.core.errors import CaseFileError, EngineError, UsageError
from autoperf.core.finding import Rechecked
from autoperf.core.outcome import PASSES, PassName
from autoperf.executor.messages import CaseFailure
from autoperf.executor.quick_timing_client import QuickTimingClient
from autoperf.executor.settings import Settings
from autoperf.executor.suite_reader import read_suite
from autoperf.hunt.ratio import ratio_of


@dataclass(frozen=True)
class Claim:
    """The claim of a script: in this pass, `slow` takes more than `above` times as long as `fast`, with `threads`.

    `slow` and `fast` are names of functions of the file at `path`.
    """

    path: Path
    slow: str
    fast: str
    pass_: PassName
    above: float
    threads: int | None = None

    def __post_init__(self) -> None:
        """Raises UsageError for an invalid value, since scripts may be edited."""
        if self.pass_ not in PASSES:
            raise UsageError(f"{self.path}: invalid pass_ {self.pass_!r}: expected 'forward' or 'backward'")
        if not isinstance(self.above, int | float) or not self.above >= 1:
            raise UsageError(f"{self.path}: invalid above {self.above!r}: expected a ratio of 1 or more")


def recheck(
    claim: Claim, library: Path, settings: Settings, scratch: Path, *, rounds: int, seconds: float
) -> Rechecked:
    """Times both inputs in turn in a fresh process, for `rounds` rounds or about `seconds` seconds.

    Raises AutoperfError for an invalid file, an unusable MXNet, and inputs that fail.
    """
    slow, fast = _cases(claim, scratch, settings)
    with QuickTimingClient(library, settings, scratch) as client:
        timing = client.duel(slow, fast, claim.pass_, rounds=rounds, seconds=seconds)
        if isinstance(timing, CaseFailure):
            raise EngineError(f"{claim.path}: can't recheck the finding: {timing.reason}")
        return Rechecked(
            operator=slow.operator,
            pass_=claim.pass_,
            slow=slow,
            fast=fast,
            slow_us=median(timing.first_us),
            fast_us=median(timing.second_us),
            estimate=ratio_of(timing.first_us, timing.second_us),
            above=claim.above,
            rounds=len(timing.first_us),
            mxnet=client.build.version,
            threads=client.build.threads,
            found_threads=claim.threads,
        )


def _cases(claim: Claim, scratch: Path, settings: Settings) -> tuple[Case, Case]:
    suite = read_suite(claim.path, scratch, settings.timeout, settings.bytes_allowed)
    cases = {loaded.function: loaded.case for loaded in suite.cases}
    for name in (claim.slow, claim.fast):
        if name not in cases:
            raise CaseFileError(f"{claim.path}: no case function {name!r}; mark it with @case()")
    return cases[claim.slow], cases[claim.fast]
