"""How a run measures: clocks, counts, limits, and the rule that ends a phase."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

import msgspec
import psutil

from autoperf.core.errors import UsageError

Profiler = Literal["native", "python"]
MEMORY_SHARE = 0.75
DEFAULT_TIMEOUT = 60.0


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """What holds for every case of a run.

    `profiler` "native" gives kernel and wall time, "python" wall time only. `warmup` and `runs` are iterations of each
    case and clock; where they are None, a stopping rule decides. `timeout` is in seconds a case; `memory_limit` is the
    bytes that one process may take beyond the loaded library (default: three quarters of the machine's memory).
    `ctx` is "cpu" or "gpu(0)"; `env` is added to the environment of the child processes.
    """

    profiler: Profiler = "native"
    warmup: int | None = None
    runs: int | None = None
    timeout: float = DEFAULT_TIMEOUT
    memory_limit: int | None = None
    ctx: str = "cpu"
    env: dict[str, str] = {}

    def __post_init__(self) -> None:
        """Raises UsageError for a value that makes no sense."""
        if self.profiler not in ("native", "python"):
            raise UsageError(f"the profiler is native or python, not {self.profiler!r}")
        if self.warmup is not None and self.warmup < 0:
            raise UsageError(f"the warm-up must be 0 iterations or more, not {self.warmup}")
        if self.runs is not None and self.runs < 1:
            raise UsageError(f"the runs must be 1 or more, not {self.runs}")
        if not self.timeout > 0:
            raise UsageError(f"the time limit must be more than 0 seconds, not {self.timeout:g}")
        if self.memory_limit is not None and self.memory_limit < 1:
            raise UsageError(f"the memory limit must be at least 1 byte, not {self.memory_limit}")

    @property
    def bytes_allowed(self) -> int:
        """The memory limit, or its default for this machine."""
        return self.memory_limit or int(psutil.virtual_memory().total * MEMORY_SHARE)


class StoppingRule(Protocol):
    """Says when a phase of a measurement has gone on for long enough."""

    def enough(self, samples: Sequence[int], elapsed: float) -> bool:
        """Whether to stop after these samples (nanoseconds each), `elapsed` seconds into the phase."""


class Exactly(msgspec.Struct, frozen=True):
    """Stops after a number of samples that the user asked for."""

    count: int

    def enough(self, samples: Sequence[int], elapsed: float) -> bool:  # noqa: ARG002 - the protocol's signature
        """Whether there are `count` samples."""
        return len(samples) >= self.count


class TimeBudget(msgspec.Struct, frozen=True):
    """Stops after `seconds`, with at least `least` and at most `most` samples; after `limit` seconds in any case.

    `limit` bows to the time that a case may take: a slow operator gets fewer samples rather than none.
    """

    seconds: float
    least: int
    most: int
    limit: float = float("inf")

    def enough(self, samples: Sequence[int], elapsed: float) -> bool:
        """Whether the budget is used up."""
        count = len(samples)
        if count >= self.most or (count and elapsed >= self.limit):
            return True
        return count >= self.least and elapsed >= self.seconds


def warmup_rule(settings: Settings) -> StoppingRule:
    """Exactly what was asked for, else 20 ms and at least 2 iterations."""
    if settings.warmup is not None:
        return Exactly(settings.warmup)
    return TimeBudget(seconds=0.02, least=2, most=100, limit=settings.timeout / 10)


def sampling_rule(settings: Settings) -> StoppingRule:
    """Exactly what was asked for, else 60 ms with 5 to 100 samples."""
    if settings.runs is not None:
        return Exactly(settings.runs)
    return TimeBudget(seconds=0.06, least=5, most=100, limit=settings.timeout / 5)
