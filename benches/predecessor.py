"""The plain loop: what opperf does with an operator, in a process of its own that imports the mxnet package.

opperf makes the arrays (those of floating numbers MXNet's `normal` draws), switches MXNet's profiler on with all that
it can record, calls the operator's Python wrapper so many times, forward and backward, each time with head gradients
that MXNet fills anew, waits for the engine once after each call, switches the profiler off, and searches the profiler's
text table for lines with the operator's name; once for the warm-up, whose figures are thrown away, and once for the
runs. So does `measure` below, which then puts the case's own bytes into the arrays before it calls anything. Run as a
script, this file answers one request a line; `PlainLoop` is the other end.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

import msgspec
import numpy as np

from autoperf.backends.contents import differentiable_inputs, materialise
from autoperf.core.case import NON_ARGUMENTS, Case, Input
from autoperf.executor.batches import Job
from autoperf.processes.failures import first_sentence

PATIENCE = 120.0
_REMOVED_FROM_NUMPY = {"bool": bool, "int": int, "float": float, "complex": complex, "object": object, "str": str}
_SECTION = "operator"
_DRAWN = ("float16", "float32", "float64")


class Asked(NamedTuple):
    """A case for the loop, as plain values: how often it runs, whether backward too, and the operator's own name."""

    case: dict[str, Any]
    names: tuple[str, ...]
    warmup: int
    runs: int
    backward: bool


class Looped(NamedTuple):
    """What the loop found: its time, the averages that it would report, and milliseconds by kernel.

    `input_seconds` of its time went into making the tensors. `kernel_ms` is of all calls, `runs_ms` without warm-up.
    """

    seconds: float
    input_seconds: float
    forward_us: float | None
    backward_us: float | None
    kernel_ms: dict[str, float]
    runs_ms: dict[str, float]


class Unable(NamedTuple):
    """Why the loop can't run a case."""

    reason: str


class PlainLoop:
    """A process that runs the loop; it is replaced when an operator takes it along. Use it as a context manager."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process: subprocess.Popen[str] | None = None
        self.functions: frozenset[str] = frozenset()
        self.start_seconds = 0.0

    def __enter__(self) -> PlainLoop:
        self._start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()

    def run(self, job: Job, names: Sequence[str], *, warmup: int, runs: int, backward: bool) -> Looped | Unable:
        """The loop over one case, by the first of the operator's names that is a function of mx.nd."""
        if self._process is None:
            self._start()
        asked = Asked(msgspec.to_builtins(job.case), tuple(names), warmup, runs, backward)
        try:
            answer = self._ask(asked)
        except (OSError, EOFError, TimeoutError) as error:
            self._stop()
            return Unable(f"the process of the loop is lost: {error or 'it ended'}")
        return Unable(answer["reason"]) if "reason" in answer else Looped(**answer)

    def _start(self) -> None:
        begun = time.perf_counter()
        with (self._folder / "loop.log").open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, __file__],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                cwd=self._folder,
                text=True,
                bufsize=1,
            )
        self.functions = frozenset(self._receive())
        self.start_seconds = time.perf_counter() - begun

    def _stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def _ask(self, asked: Asked) -> dict[str, Any]:
        if self._process is None or self._process.stdin is None:
            raise EOFError("it isn't running")
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = self._receive()
        return answer

    def _receive(self) -> Any:
        if self._process is None or self._process.stdout is None:
            raise EOFError("it isn't running")
        if not select.select([self._process.stdout], [], [], PATIENCE)[0]:
            raise TimeoutError(f"no answer within {PATIENCE:g} s")
        line = self._process.stdout.readline()
        if not line:
            raise EOFError("it ended")
        return json.loads(line)


def import_mxnet() -> Any:
    """The package, on a NumPy that has lost the six aliases that it uses."""
    for name, kind in _REMOVED_FROM_NUMPY.items():
        if name not in vars(np):
            setattr(np, name, kind)
    import mxnet  # noqa: PLC0415 - it takes seconds, and only the loop's own process can afford it

    return mxnet


def measure(mx: Any, asked: Asked) -> Looped:
    """One operator as opperf measures it; reading the case, and its contents, aren't in its time."""
    case = msgspec.convert(asked.case, Case)
    function, name = _wrapper(mx, asked.names)
    contents = {item.name: materialise(item.tensor, case.digest, item.name) for item in case.inputs}
    begun = time.perf_counter()
    arrays = _arrays(mx, case, contents, backward=asked.backward)
    input_seconds = time.perf_counter() - begun
    for item in case.inputs:
        if _drawn(item):
            arrays[item.name][:] = contents[item.name]
    mx.nd.waitall()
    begun = time.perf_counter()
    call = _prepared(mx, function, case, arrays, backward=asked.backward)
    warmed = _profiled(mx, call, asked.warmup)
    _averages(warmed, name)
    table = _profiled(mx, call, asked.runs)
    forward, backward = _averages(table, name)
    seconds = input_seconds + time.perf_counter() - begun
    return Looped(seconds, input_seconds, forward, backward, _totals((warmed, table)), _totals((table,)))


def _wrapper(mx: Any, names: Sequence[str]) -> tuple[Callable[..., Any], str]:
    for name in names:
        if not name.startswith("_") and hasattr(mx.nd, name):
            return getattr(mx.nd, name), names[0]
    raise ValueError(f"mx.nd has no function named {' or '.join(names)}")


def _drawn(item: Input) -> bool:
    """Whether opperf would have MXNet draw a tensor; it takes other kinds as they are."""
    return item.tensor.dtype in _DRAWN and item.tensor.storage == "default" and min(item.tensor.shape, default=0) > 0


def _arrays(mx: Any, case: Case, contents: dict[str, Any], *, backward: bool) -> dict[str, Any]:
    """The tensors as opperf makes them: drawn or copied, given a place for their gradient, and waited for."""
    wanted = differentiable_inputs(case) if backward else ()
    arrays = {}
    for item in case.inputs:
        if _drawn(item):
            array = mx.nd.normal(shape=item.tensor.shape, dtype=item.tensor.dtype)
        else:
            array = mx.nd.array(contents[item.name], dtype=item.tensor.dtype)
        if item.tensor.storage != "default":
            array = array.tostype(item.tensor.storage)
        if item.name in wanted:
            array.attach_grad()
        array.wait_to_read()
        arrays[item.name] = array
    return arrays


def _prepared(
    mx: Any, function: Callable[..., Any], case: Case, arrays: dict[str, Any], *, backward: bool
) -> Callable[[], None]:
    """The call and the wait after it, on arrays that are there."""
    # A list of tensors is positional, as in opperf, which calls those arguments args.
    positional = [arrays[item.name] for item in case.inputs if "[" in item.name and item.name not in NON_ARGUMENTS]
    named = {
        item.name: arrays[item.name] for item in case.inputs if "[" not in item.name and item.name not in NON_ARGUMENTS
    }
    # The wrappers would take no dtype for float64; every other None is a value.
    params: dict[str, Any] = {key: value for key, value in case.params.items() if (key, value) != ("dtype", None)}
    written = [arrays[name] for name in case.in_place]
    if written:
        params["out"] = written if len(written) > 1 else written[0]

    def once() -> None:
        if backward:
            with mx.autograd.record(train_mode=case.training):
                result = function(*positional, **named, **params)
            mx.autograd.backward(result)
        else:
            function(*positional, **named, **params)
        mx.nd.waitall()

    return once


def _profiled(mx: Any, call: Callable[[], None], runs: int) -> str:
    mx.profiler.set_config(profile_all=True, aggregate_stats=True)
    mx.profiler.set_state("run")
    try:
        for _ in range(runs):
            call()
    finally:
        # A process that ends with the profiler running can hang.
        mx.profiler.set_state("stop")
    text: str = mx.profiler.dumps(reset=True)
    return text


def _averages(table: str, name: str) -> tuple[float | None, float | None]:
    """Forward and backward microseconds as opperf finds them: the last line of either kind that has the name in it."""
    forward = backward = None
    for words in _lines(table):
        if name in words[0]:
            average = 1000 * float(words[-1])
            if "_backward" in words[0]:
                backward = average
            else:
                forward = average
    return forward, backward


def _totals(tables: Sequence[str]) -> dict[str, float]:
    """Milliseconds by kernel, over all tables."""
    found: dict[str, float] = {}
    for table in tables:
        for words in _lines(table):
            found[words[0]] = found.get(words[0], 0.0) + float(words[2])
    return found


def _lines(table: str) -> list[list[str]]:
    """The words of each line of the table's section of operators: name, count, total, least, most, average."""
    found: list[list[str]] = []
    inside = False
    for line in table.splitlines():
        words = line.split()
        if len(words) == 1 and not line.startswith("="):
            inside = line.startswith(_SECTION)
        elif inside and len(words) == 6 and words[1].isdigit():
            found.append(words)
    return found


def serve() -> None:
    """Answers requests from standard input until there are no more; what MXNet prints goes to standard error."""
    with os.fdopen(os.dup(1), "w", buffering=1) as answers:
        os.dup2(2, 1)
        mx = import_mxnet()
        answers.write(json.dumps([name for name in dir(mx.nd) if not name.startswith("_")]) + "\n")
        for line in sys.stdin:
            try:
                answer: dict[str, Any] = measure(mx, Asked(*json.loads(line)))._asdict()
            except Exception as error:  # noqa: BLE001 - whatever an operator does, the next one shall be measured
                answer = {"reason": first_sentence(str(error))}
            answers.write(json.dumps(answer) + "\n")
        answers.flush()
        os._exit(0)


if __name__ == "__main__":
    serve()
