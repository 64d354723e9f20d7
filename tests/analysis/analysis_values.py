"""Run files made by hand, and by a simulation of processes that are disturbed now and then."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec
import numpy as np

from autoperf.analysis.figures import AS_MEASURED, MEDIAN, Figure, FigureSamples, Scale
from autoperf.core.case import Input
from autoperf.core.method import METHOD
from autoperf.core.outcome import Outcome, Pass, Series, Status
from autoperf.core.tensors import TensorSpec, Uniform
from autoperf.results.environment import Environment, Processor
from autoperf.results.run_writer import RunWriter
from autoperf.results.runfile import RunHeader
from autoperf.results.statistics import summarise

ENVIRONMENT = Environment(
    machine="bench", system="Linux", python="CPython 3.11.7", packages={"numpy": "1.26.4"},
    processor=Processor("Some CPU @ 2.50GHz", 2, 2, 2, ("performance",)), load=(0.1, 0.1, 0.1),
    memory_total=2**33, memory_available=2**32, settings={"OMP_NUM_THREADS": "2"}, git=None,
    mxnet={"version": "1.9.1", "threads": 2, "gpus": 0, "features": {"MKLDNN": True}},
)  # fmt: skip
HEADER = RunHeader(
    method=METHOD,
    autoperf="0.1.0", mxnet="1.9.1", seed=42, started="2024-01-01T00:00:00+00:00", command=("autoperf", "run"),
    options={"settings": {"profiler": "native", "runs": None, "timeout": 60.0}}, environment=ENVIRONMENT,
)  # fmt: skip


def series(*processes: Sequence[float]) -> Series:
    """The samples of each process; of one, as a run of one process writes them."""
    made = summarise([sample for process in processes for sample in process])
    counts = tuple(len(process) for process in processes)
    return msgspec.structs.replace(made, processes=counts if len(counts) > 1 else ())


def passed(kernel: Series | None = None, wall: Series | None = None) -> Pass:
    return Pass(kernel_us=kernel, wall_us=wall)


def figure(series: Series, scale: Scale = AS_MEASURED, *, exact: bool = False, quantile: float = MEDIAN) -> Figure:
    """The figure of a series, corrected by its own slope."""
    return FigureSamples(series, scale, exact=exact).figure(quantile=quantile)


def outcome(
    number: int = 0,
    forward: Pass | None = None,
    backward: Pass | None = None,
    *,
    status: Status = Status.MEASURED,
    reason: str = "",
    operator: str = "exp",
) -> Outcome:
    tensor = TensorSpec((number + 1, 1000), "float32", Uniform())
    return Outcome(
        case=f"{operator}/{number:08x}", operator=operator, category="unary", profile="common", status=status,
        reason=reason, inputs=(Input("data", tensor),), forward=forward, backward=backward, seconds=0.5,
    )  # fmt: skip


def steady(median: float, processes: int = 3) -> Series:
    """Processes that agree to within a part in a thousand."""
    return series(*([median * (1 + 0.0005 * (number + step)) for step in (-1, 0, 1)] for number in range(processes)))


def write_run(path: Path, outcomes: Iterable[Outcome], header: RunHeader = HEADER) -> Path:
    with RunWriter(path, header) as writer:
        for one in outcomes:
            writer.add(one)
        writer.finish(1.0)
    return path


def process_logs(
    rng: np.random.Generator, shape: tuple[int, int], spread: float, disturbed: float, slowdown: float = 0.35
) -> np.ndarray:
    """Logarithms about 0, figures x processes: spreads differ between figures, and some processes are held up."""
    spreads = spread * np.exp(rng.normal(0, 0.5, shape[0]))
    logs = rng.normal(0, 1, shape) * spreads[:, None]
    return logs + (rng.random(shape) < disturbed) * rng.exponential(slowdown, shape)


def simulated(
    rng: np.random.Generator,
    cases: int,
    processes: int,
    *,
    spread: float,
    disturbed: float,
    factors: np.ndarray | None = None,
) -> list[Outcome]:
    """A run of so many cases; `factors` multiply their times."""
    medians = np.exp(np.linspace(np.log(60), np.log(9000), cases)) * (1.0 if factors is None else factors)
    kernel, wall = (process_logs(rng, (cases, processes), spread, disturbed) for _ in range(2))

    def figure(median: float, logs: np.ndarray) -> Series:
        return series(*(list(median * np.exp(log + rng.normal(0, 0.02, 9))) for log in logs))

    return [
        outcome(number, passed(figure(median, kernel[number]), figure(median * 1.2, wall[number])))
        for number, median in enumerate(medians)
    ]
