"""Trials of a framework that follows another one, whose results it has to have before it is timed."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path

import numpy as np

from autoperf.backends.compilation import Compilations
from autoperf.backends.contents import differentiable_inputs
from autoperf.backends.protocol import BackwardRequest, CallOptions, Engine, TrialResult
from autoperf.backends.results import (
    CaseResults,
    common_gradients,
    difference,
    read_results,
    results_of_case,
    write_results,
)
from autoperf.core.errors import EngineError
from autoperf.executor.messages import Task


def store_results(engine: Engine, task: Task, options: CallOptions, result: TrialResult) -> None:
    """Runs a case that was tried once more, and writes its results to the task's file. Raises EngineError."""
    results, _ = _results(engine, task, options, result.backward_request)
    write_results(results, Path(task.results))


def stored_trial(engine: Engine, task: Task, options: CallOptions) -> TrialResult:
    """Runs a case with the gradients of its differentiable inputs, if it has any, and writes its results to a file.

    Raises EngineError.
    """
    inputs = differentiable_inputs(task.case) if task.backward else ()
    request = BackwardRequest(inputs) if inputs else None
    try:
        results, _ = _results(engine, task, options, request)
    except EngineError:
        if request is None:
            raise
        with contextlib.suppress(EngineError):
            engine.wait()
        request, (results, _) = None, _results(engine, task, options, None)
    write_results(results, Path(task.results))
    return TrialResult(results.types, request, (), (), None)


def checked_trial(engine: Engine, task: Task, options: CallOptions) -> TrialResult:
    """Runs a case by its program, with the gradients that the other framework has, and compares the results.

    Raises EngineError with the first difference.
    """
    program, expected = task.program, task.trial_result
    if program is None or expected is None:
        raise EngineError(f"no results to check {task.case.operator} with")
    stored = read_results(Path(task.results), expected.outputs)
    request = common_gradients(stored, program) if task.backward else None
    begin = time.monotonic()
    actual, compilations = _results(engine, task, options, request, len(expected.outputs))
    seconds = time.monotonic() - begin
    if problem := difference(stored, actual, task.case, program):
        raise EngineError(f"the results differ: {problem}; computed by {program.implementation.expression}")
    is_lacking = task.backward and request is None and any(map(np.any, stored.gradients.values()))
    lacking = "no backward pass: the implementation has no gradient" if is_lacking else ""
    types = actual.types[: len(expected.outputs)]
    if compilations and not compilations[0].number:
        raise EngineError("the framework reports no compilation of the call, which may have run eagerly")
    compile_us = (compilations[0].us, compilations[1].us) if compilations else None
    return TrialResult(types, request, (), (), None, lacking, seconds, actual.views, compile_us)


def _results(
    engine: Engine, task: Task, options: CallOptions, request: BackwardRequest | None, count: int | None = None
) -> tuple[CaseResults, tuple[Compilations, Compilations] | None]:
    call = engine.prepare(task.case, options, task.program)
    try:
        return results_of_case(call, request, count), call.compilations
    finally:
        call.free()
