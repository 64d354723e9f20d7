"""What a finding's script does: times the slow input and the fast one again, and says whether it is still so."""

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
    """What a script claims: of this pass, `slow` takes more than `above` times as long as `fast`, with so many threads.

    `slow` and `fast` are names of functions of the file at `path`.
    """

    path: Path
    slow: str
    fast: str
    pass_: PassName
    above: float
    threads: int | None = None

    def __post_init__(self) -> None:
        """Raises UsageError for a value that makes no sense, since scripts are edited."""
        if self.pass_ not in PASSES:
            raise UsageError(f"{self.path}: pass_ is 'forward' or 'backward', not {self.pass_!r}")
        if not isinstance(self.above, int | float) or not self.above >= 1:
            raise UsageError(f"{self.path}: above is a ratio of 1 or more, not {self.above!r}")


def recheck(
    claim: Claim, library: Path, settings: Settings, scratch: Path, *, rounds: int, seconds: float
) -> Rechecked:
    """Times both in turn in a process of their own, in so many rounds, fewer if they would take longer than `seconds`.

    Raises AutoperfError for a file that is wrong, for MXNet where it can't be used, and for inputs that can't be run.
    """
    slow, fast = _cases(claim, scratch, settings)
    with QuickTimingClient(library, settings, scratch) as prober:
        found = prober.duel(slow, fast, claim.pass_, rounds=rounds, seconds=seconds)
        if isinstance(found, CaseFailure):
            raise EngineError(f"{claim.path}: it can't be said whether it is still so: {found.reason}")
        return Rechecked(
            operator=slow.operator,
            pass_=claim.pass_,
            slow=slow,
            fast=fast,
            slow_us=median(found.first_us),
            fast_us=median(found.second_us),
            estimate=ratio_of(found.first_us, found.second_us),
            above=claim.above,
            rounds=len(found.first_us),
            mxnet=prober.build.version,
            threads=prober.build.threads,
            found_threads=claim.threads,
        )


def _cases(claim: Claim, scratch: Path, settings: Settings) -> tuple[Case, Case]:
    suite = read_suite(claim.path, scratch, settings.timeout, settings.bytes_allowed)
    known = {one.function: one.case for one in suite.cases}
    for name in (claim.slow, claim.fast):
        if name not in known:
            raise CaseFileError(f"{claim.path}: has no case function {name!r}; mark it with @case()")
    return known[claim.slow], known[claim.fast]
