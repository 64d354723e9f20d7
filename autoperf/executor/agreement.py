"""Whether the processes that timed a case agree, or further ones should time it."""

from __future__ import annotations

from collections.abc import Iterator

from autoperf.core.probe import Probes
from autoperf.executor.aggregation import DISAGREEMENT, Speed
from autoperf.executor.messages import Measured, PassSamples
from autoperf.executor.sampling import TRACE_STEP_US
from autoperf.executor.stopping_rules import averaged, loops_for
from autoperf.results.correction import corrected
from autoperf.results.intervals import median, process_interval


class Agreement:
    """The medians of each figure of a case by process.

    Where the system puts code and data differs between processes, for good: a figure whose processes differ has more to
    gain from another process than from more samples.
    """

    def __init__(self, speed: Speed | None) -> None:
        """With `speed`, medians are at reference speed."""
        self._speed = speed
        self._medians: dict[str, list[float]] = {}

    def add(self, measured: Measured) -> None:
        """Adds the samples of a process."""
        for name, value in self._figures(measured):
            self._medians.setdefault(name, []).append(value)

    @property
    def is_reached(self) -> bool:
        """Whether the interval over the processes reaches at most 3% beyond the median of each figure."""
        return all(map(_is_narrow, self._medians.values()))

    def _figures(self, measured: Measured) -> Iterator[tuple[str, float]]:
        for name, samples in (("forward", measured.forward), ("backward", measured.backward)):
            if samples is not None:
                yield from self._of_pass(name, samples)

    def _of_pass(self, name: str, samples: PassSamples) -> Iterator[tuple[str, float]]:
        if samples.wall:
            yield f"{name} wall", self._median(samples.wall, samples.wall_probes, 1)
        if samples.kernel:
            loops = loops_for(samples.kernel, TRACE_STEP_US)
            yield f"{name} kernel", self._median(samples.kernel, samples.kernel_probes, loops)

    def _median(self, samples: tuple[float, ...], probes: Probes | None, loops: int) -> float:
        values = list(samples)
        if self._speed and probes:
            values = corrected(samples, probes, (), self._speed.reference, self._speed.slope)
        return median(sorted(averaged(values, loops) or values))


def _is_narrow(medians: list[float]) -> bool:
    interval = process_interval(medians)
    if interval is None:
        return len(medians) > 1
    low, high = interval
    return high <= (1 + DISAGREEMENT) ** 2 * low
