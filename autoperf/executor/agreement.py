"""Whether the processes that timed a case agree, or further ones should time it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from autoperf.core.clocks import KERNEL, WALL, Clock
from autoperf.core.outcome import PASSES, PassName
from autoperf.core.probe import Probes, Reference
from autoperf.executor.figure_series import DISAGREEMENT
from autoperf.executor.messages import Measured, PassSamples
from autoperf.executor.sampling import TRACE_STEP_US
from autoperf.executor.stopping_rules import averaged, loops_for
from autoperf.results.correction import at_reference
from autoperf.results.intervals import median, process_interval
from autoperf.results.slopes import ProbedSamples, slope_of_figure


class Agreement:
    """The samples of each figure of a case by process.

    Where the system puts code and data differs between processes, and so does the machine's state between the times at
    which they run: a figure whose processes differ has more to gain from another process than from more samples.
    """

    def __init__(self, reference: Reference | None) -> None:
        """With `reference`, medians are at that speed."""
        self._reference = reference
        self._figures: dict[tuple[PassName, str], list[_ProcessFigure]] = {}

    def add(self, measured: Measured) -> None:
        """Adds the samples of a process."""
        for name in PASSES:
            samples = measured.forward if name == "forward" else measured.backward
            for figure in _figures(samples) if samples else ():
                self._figures.setdefault((name, figure.clock.name), []).append(figure)

    @property
    def is_reached(self) -> bool:
        """Whether the interval over the processes reaches at most 3% beyond the median of each figure."""
        return all(_is_narrow(self._medians(parts)) for parts in self._figures.values())

    def _medians(self, parts: Sequence[_ProcessFigure]) -> list[float]:
        """The median of each process, all by the slope of the figure."""
        values = [list(part.samples) for part in parts]
        probed = [ProbedSamples(part.samples, part.probes) for part in parts if part.probes]
        if self._reference and len(probed) == len(parts):
            joined = _joined(probed)
            slope = slope_of_figure(parts[0].clock, joined, self._reference)
            values = at_reference(*joined, self._reference, slope).parts
        return [
            median(sorted(averaged(samples, part.loops) or samples))
            for part, samples in zip(parts, values, strict=True)
            if samples
        ]


class _ProcessFigure(NamedTuple):
    """A figure in one process: its samples, each of one call, and how many calls its clock needs for its resolution."""

    clock: Clock
    samples: Sequence[float]
    probes: Probes | None
    loops: int


def _figures(samples: PassSamples) -> Iterator[_ProcessFigure]:
    if samples.wall:
        yield _ProcessFigure(WALL, samples.wall, samples.wall_probes, 1)
    if samples.kernel:
        loops = loops_for(samples.kernel, TRACE_STEP_US)
        yield _ProcessFigure(KERNEL, samples.kernel, samples.kernel_probes, loops)


def _joined(parts: Sequence[ProbedSamples]) -> ProbedSamples:
    before = tuple(reading for part in parts for reading in part.probes.before)
    after = tuple(reading for part in parts for reading in part.probes.after)
    samples = [sample for part in parts for sample in part.samples]
    return ProbedSamples(samples, Probes(before, after), [len(part.samples) for part in parts])


def _is_narrow(medians: list[float]) -> bool:
    interval = process_interval(medians)
    if interval is None:
        return len(medians) > 1
    low, high = interval
    return high <= (1 + DISAGREEMENT) ** 2 * low
