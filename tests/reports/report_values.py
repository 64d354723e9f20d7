"""Small outcomes made by hand."""

from __future__ import annotations

import io
from collections.abc import Sequence

from rich.console import Console

from autoperf.core.case import Input
from autoperf.core.operator import Value
from autoperf.core.outcome import FigureWarning, Memory, Outcome, Pass, PassMemory, Series, Status
from autoperf.core.tensors import Shape, Storage, TensorSpec, Uniform
from autoperf.reports.columns import View
from autoperf.reports.formats import Kind, load
from autoperf.reports.runs import RunReport

FULL = Uniform(0.0, 1.0)


def tensor(shape: Shape, dtype: str = "float32", storage: Storage = "default") -> TensorSpec:
    return TensorSpec(shape, dtype, FULL, storage)


def inputs(**tensors: TensorSpec | tuple[TensorSpec, ...]) -> tuple[Input, ...]:
    made = []
    for name, given in tensors.items():
        if isinstance(given, tuple):
            made += [Input(f"{name}[{number}]", member) for number, member in enumerate(given)]
        else:
            made.append(Input(name, given))
    return tuple(made)


def series(median: float, p90: float, warnings: tuple[FigureWarning, ...] = ()) -> Series:
    return Series(
        count=3, mean=median, median=median, p50=median, p90=p90, p99=p90, min=median / 2, max=p90, std=0.5,
        samples=(median / 2, median, p90), low=0.98 * median, high=1.03 * median, warnings=warnings,
    )  # fmt: skip


def timed(kernel: float, wall: float, notes: tuple[str, ...] = (), warnings: tuple[FigureWarning, ...] = ()) -> Pass:
    return Pass(
        kernel_us=series(kernel, kernel * 1.12, warnings), wall_us=series(wall, wall * 1.5), notes=notes,
        kernels={"exp": kernel}, helpers={"Reorder": kernel / 8}, helpers_us=kernel / 8,
        dispatch_us=max(0, wall - kernel * 9 / 8) or None,
    )  # fmt: skip


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
    usage = PassMemory(peak=peak, output=peak, workspace=0)
    return Outcome(
        case=f"{operator}/{digest}", operator=operator, category=category, profile=profile, status=Status.MEASURED,
        inputs=given, params=params, forward=forward, backward=backward,
        memory=Memory(usage, None if backward is None else usage), seconds=0.25,
    )  # fmt: skip


def ended(
    status: Status, reason: str, operator: str = "softmax", given: tuple[Input, ...] = (), digest: str = "00c0ffee"
) -> Outcome:
    return Outcome(
        case=f"{operator}/{digest}", operator=operator, category="activation", profile="large", status=status,
        reason=reason, inputs=given, seconds=1.5,
    )  # fmt: skip


PAIR = inputs(lhs=tensor((32, 32)), rhs=tensor((32, 1)))
IMAGE = inputs(data=tensor((8, 64, 56, 56)), weight=tensor((64, 64, 3, 3)), bias=tensor((64,)))


def report(
    outcomes: Sequence[Outcome], asked: int | None = None, *, columns: tuple[str, ...] = (), sort: str = ""
) -> RunReport:
    """A run as a format is handed it."""
    return RunReport({}, tuple(outcomes), None, asked, View(columns, sort))


def text_of(kind: Kind, form: str, given: object, width: int = 100) -> str:
    """What a format makes of a report on a terminal of that width, without colour."""
    console = Console(width=width, file=io.StringIO(), color_system=None, force_terminal=False)
    for piece in load(kind, form).pieces(given, width):
        console.print(
            piece,
            end="" if isinstance(piece, str) else "\n",
            soft_wrap=isinstance(piece, str),
            markup=False,
            highlight=False,
        )
    return "".join(f"{line.rstrip()}\n" for line in console.file.getvalue().splitlines())


def run_text(
    outcomes: Sequence[Outcome], width: int = 100, asked: int | None = None, form: str = "table", **view: object
) -> str:
    """A run in a format."""
    return text_of("run", form, report(outcomes, asked, **view), width)  # type: ignore[arg-type]
