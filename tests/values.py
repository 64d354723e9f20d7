"""Cases, samples, outcomes, comparisons and run files made by hand: what tests of several packages need."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from autoperf.cases.store import StoredGroups
from autoperf.comparison.comparison import ComparedFigure, Comparison, Verdict, VerdictCounts
from autoperf.core.case import Case, Input
from autoperf.core.events import Event
from autoperf.core.operator import Value
from autoperf.core.outcome import (
    METHOD,
    FigureWarning,
    Memory,
    Outcome,
    Pass,
    PassMemory,
    PassName,
    ResultPrint,
    Series,
    Status,
)
from autoperf.core.tensors import AnyContent, ArrayType, Storage, TensorSpec, Uniform, default_content
from autoperf.runs.run_writer import RunWriter
from autoperf.runs.runfile import Environment, Machine, Processor, RunHeader, machine_of
from autoperf.stats.statistics import summarise

ENVIRONMENT = Environment(
    machine="bench", system="Linux", python="CPython 3.11.7", packages={"numpy": "1.26.4"},
    processor=Processor("Some CPU @ 2.50GHz", 2, 2, 2, ("performance",)), load=(0.1, 0.1, 0.1),
    memory_total=2**33, memory_available=2**32, settings={"OMP_NUM_THREADS": "2"}, git=None,
    mxnet={"version": "1.9.1", "threads": 2, "gpus": 0, "features": {"MKLDNN": True}},
)  # fmt: skip
HEADER = RunHeader(
    method=METHOD,
    autoperf="0.1.0", mxnet="1.9.1", seed=42, started="2024-01-01T00:00:00+00:00", command=("autoperf", "run"),
    options={"settings": {"profiler": "native", "runs": None, "timeout": 60.0}},
)  # fmt: skip
MACHINE = machine_of(ENVIRONMENT)


def tensor(
    *shape: int,
    dtype: str = "float32",
    content: AnyContent | None = None,
    storage: Storage = "default",
    density: float = 1.0,
) -> TensorSpec:
    return TensorSpec(shape, dtype, content or Uniform(), storage, density)


def inputs(**tensors: TensorSpec | tuple[TensorSpec, ...]) -> tuple[Input, ...]:
    made = []
    for name, given in tensors.items():
        if isinstance(given, tuple):
            made += [Input(f"{name}[{number}]", member) for number, member in enumerate(given)]
        else:
            made.append(Input(name, given))
    return tuple(made)


PAIR = inputs(lhs=tensor(32, 32), rhs=tensor(32, 1))
IMAGE = inputs(data=tensor(8, 64, 56, 56), weight=tensor(64, 64, 3, 3), bias=tensor(64))


def stored_cases(file: Path) -> list[Case]:
    """The cases of a file, as runs read them."""
    return [case for group in StoredGroups(file) for case in group]


def case(operator: str = "exp", *shape: int, dtype: str = "float32", **changes: object) -> Case:
    """A case of one input, `data`, and an output like it; `changes` are other fields, such as `inputs`."""
    data = tensor(*shape, dtype=dtype, content=default_content(dtype))
    made = Case(
        operator=operator, category="unary", profile="small", inputs=inputs(data=data) if shape else (),
        outputs=(ArrayType(shape, dtype),) if shape else (),
    )  # fmt: skip
    return msgspec.structs.replace(made, **changes)


def series(*processes: Sequence[float]) -> Series:
    """The samples of each process; of one, as a run of one process writes them."""
    made = summarise([sample for process in processes for sample in process])
    counts = tuple(len(process) for process in processes)
    return msgspec.structs.replace(made, processes=counts if len(counts) > 1 else ())


def steady(median: float, processes: int = 3) -> Series:
    """Processes that agree to within a part in a thousand."""
    return series(*([median * (1 + 0.0005 * (number + step)) for step in (-1, 0, 1)] for number in range(processes)))


def stated(median: float, p90: float | None = None, warnings: tuple[FigureWarning, ...] = ()) -> Series:
    """Statistics as reports show them, without samples that they would follow from."""
    p90 = 1.12 * median if p90 is None else p90
    return Series(
        count=3, mean=median, median=median, p50=median, p90=p90, p99=p90, min=median / 2, max=p90, std=0.5,
        samples=(median / 2, median, p90), low=0.98 * median, high=1.03 * median, warnings=warnings,
    )  # fmt: skip


def passed(kernel: Series | None = None, wall: Series | None = None, **changes: object) -> Pass:
    return msgspec.structs.replace(Pass(kernel_us=kernel, wall_us=wall), **changes)


def timed(kernel: float, wall: float, notes: tuple[str, ...] = (), warnings: tuple[FigureWarning, ...] = ()) -> Pass:
    """A pass as reports show it: with kernels, helpers and the rest of the wall time."""
    return passed(
        stated(kernel, warnings=warnings), stated(wall, wall * 1.5), notes=notes, kernels={"exp": kernel},
        helpers={"Reorder": kernel / 8}, helpers_us=kernel / 8, dispatch_us=max(0, wall - kernel * 9 / 8) or None,
    )  # fmt: skip


def outcome(
    number: int = 0,
    forward: Pass | None = None,
    backward: Pass | None = None,
    *,
    operator: str = "exp",
    **changes: object,
) -> Outcome:
    """A measured case, whose id has the number; `changes` are other fields."""
    made = Outcome(
        case=f"{operator}/{number:08x}", operator=operator, category="unary", profile="common", status=Status.MEASURED,
        inputs=inputs(data=tensor(number + 1, 1000)), forward=forward, backward=backward, seconds=0.5,
        results=(ResultPrint("output", (number + 1, 1000), "float32", 1e-5),),
    )  # fmt: skip
    return msgspec.structs.replace(made, **changes)


def measured(
    operator: str,
    profile: str,
    given: tuple[Input, ...],
    forward: Pass,
    backward: Pass | None = None,
    *,
    category: str = "broadcast",
    digest: str = "3f9c2a1b",
    peak: int = 4096,
    **params: Value,
) -> Outcome:
    """An outcome as reports show it, with its memory."""
    usage = PassMemory(peak=peak, output=peak, workspace=0)
    memory = Memory(usage, None if backward is None else usage)
    return outcome(
        0, forward, backward, operator=operator, case=f"{operator}/{digest}", category=category, profile=profile,
        inputs=given, params=params, memory=memory, seconds=0.25,
    )  # fmt: skip


def ended(
    status: Status, reason: str, operator: str = "softmax", given: tuple[Input, ...] = (), digest: str = "00c0ffee"
) -> Outcome:
    """An outcome without times."""
    return outcome(
        operator=operator, case=f"{operator}/{digest}", category="activation", profile="large", status=status,
        reason=reason, inputs=given, seconds=1.5,
    )  # fmt: skip


def compared(
    case: str, pass_: PassName, clock: str, ratio: float, verdict: Verdict, *, base_us: float = 50.0, inputs: str = ""
) -> ComparedFigure:
    """A time of a case on both sides of a comparison."""
    return ComparedFigure(
        statistic="P10",
        case=case, operator=case.partition("/")[0], pass_=pass_, clock=clock, ratio=ratio, low=ratio * 0.95,
        high=ratio * 1.05, p=0.001, q=0.01, verdict=verdict, base_us=base_us, new_us=base_us * ratio, base_processes=3,
        new_processes=3, category="broadcast", profile="common", inputs=inputs or "data (64, 128)",
    )  # fmt: skip


def comparison(*cases: ComparedFigure, **changes: object) -> Comparison:
    """The comparison of two runs, with its counts of verdicts; `changes` are other fields."""
    counts = VerdictCounts(**Counter(case.verdict.value for case in cases))
    made = Comparison(
        base="a", new="b", threshold=0.05, margin=None, cases=cases, unmatched=(), summary=counts, shift=1.0,
        notices=(),
    )  # fmt: skip
    return msgspec.structs.replace(made, **changes)


def write_run(
    path: Path,
    outcomes: Iterable[Outcome],
    header: RunHeader = HEADER,
    machine: Machine = MACHINE,
    *,
    seconds: float = 1.0,
) -> Path:
    with RunWriter(path, header, machine) as writer:
        for one in outcomes:
            writer.add(one)
        writer.finish(seconds)
    return path


class Recording:
    """A sink that keeps the events, in order."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def handle(self, event: Event) -> None:
        self.events.append(event)
