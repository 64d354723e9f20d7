from __future__ import annotations

from collections.abc import Callable

import pytest
from rich.console import Console, RenderableType

from autoperf.core.outcome import FigureWarning, Outcome, Status
from tests.values import IMAGE, PAIR, ended, inputs, measured, tensor, timed

BUSY = (FigureWarning.RESOLUTION, FigureWarning.LOAD)


@pytest.fixture
def run() -> tuple[Outcome, ...]:
    """A run with every status, long and short inputs, a note, and an operator without a gradient."""
    tall = inputs(lhs=tensor(10000, 1), rhs=tensor(1, 10000))
    members = inputs(data=(tensor(32, 32),) * 8)
    return (
        measured("broadcast_add", "small", PAIR, timed(1.234, 12.3), timed(2.3, 45.6)),
        measured("broadcast_add", "skewed", tall, timed(123456, 124000), timed(999.7, 1204), peak=400_000_000),
        measured("broadcast_equal", "small", PAIR,
                 timed(0.85, 9.9, ("the kernel is shorter than 1 us",), BUSY), peak=100),
        measured("Convolution", "common", IMAGE, timed(4560, 4610), timed(9100, 9250, (), (FigureWarning.DISAGREE,)),
                 category="convolution", digest="9abcdef0",
                 kernel=(3, 3), stride=(1, 1), pad=(1, 1), num_filter=64, layout="NCHW"),
        measured("Concat", "large", members, timed(30, 44), timed(31, 50), category="join_split", dim=1),
        ended(Status.SKIPPED, "needs 4.2 GiB, more than half of the 7.8 GiB that are free"),
        ended(Status.FAILED, "Check failed: axis < ndim (3 vs. 2) :\n  axis 3 is out of bounds | for 2-d input",
              given=inputs(data=tensor(64, 128, dtype="float16"))),
        ended(Status.CRASHED, "the worker ended by SIGSEGV", "Pooling"),
        ended(Status.TIMEOUT, "not done after 60 s", "Pooling"),
    )  # fmt: skip


@pytest.fixture
def rendered() -> Callable[[RenderableType, int], str]:
    """What a renderable looks like on a terminal of that width, without colour."""

    def render(renderable: RenderableType, width: int) -> str:
        console = Console(width=width, record=True, force_terminal=False, color_system=None, quiet=False, file=_Void())
        console.print(renderable)
        return "\n".join(line.rstrip() for line in console.export_text().splitlines()) + "\n"

    return render


class _Void:
    """A stream that keeps nothing, as the console records by itself."""

    encoding = "utf-8"

    def write(self, text: str) -> int:
        return len(text)

    def flush(self) -> None: ...
