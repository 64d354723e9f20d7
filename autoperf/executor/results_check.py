"""Trials of a framework that follows another one, whose results it has to have before it is timed."""

from __future__ import annotations

import time
from pathlib import Path

from autoperf.backends.protocol import BackwardRequest, CallOptions, Engine, Program, TrialResult
from autoperf.backends.results import CaseResults, read_results, results_of, write_results
from autoperf.core.errors import EngineError
from autoperf.executor.messages import Task
from autoperf.implementations.results import compare_results


def store_results(engine: Engine, task: Task, options: CallOptions, result: TrialResult) -> None:
    """Runs a case that was tried once more, and writes its results to the task's file. Raises EngineError."""
    write_results(_results(engine, task, options, result.backward_request), Path(task.results))


def checked_trial(engine: Engine, task: Task, options: CallOptions) -> TrialResult:
    """Runs a case by its program, with the gradients that the other framework has, and compares the results.

    Raises EngineError with the first difference.
    """
    program, expected = task.program, task.trial_result
    if program is None or expected is None:
        raise EngineError(f"no results to check {task.case.operator} with")
    asked = expected.backward_request if task.backward else None
    request = BackwardRequest(asked.inputs) if asked and program.implementation.differentiable else None
    begin = time.monotonic()
    actual = _results(engine, task, options, request)
    seconds = time.monotonic() - begin
    stored = read_results(Path(task.results), expected.outputs)
    difference = _difference(stored, actual, task, program)
    if difference:
        raise EngineError(f"the results differ: {difference}; computed by {program.implementation.expression}")
    lacking = "no backward pass: the implementation has no gradient" if asked and not request else ""
    return TrialResult(actual.types, request, (), (), None, reason=lacking, seconds=seconds)


def _results(engine: Engine, task: Task, options: CallOptions, request: BackwardRequest | None) -> CaseResults:
    call = engine.prepare(task.case, options, task.program)
    try:
        return results_of(call, request)
    finally:
        call.free()


def _difference(expected: CaseResults, actual: CaseResults, task: Task, program: Program) -> str:
    """The first difference of the outputs, or of a gradient; empty if there is none."""
    random = program.implementation.random
    for number, (wanted, made) in enumerate(zip(expected.types, actual.types, strict=False)):
        if wanted.dtype != made.dtype:
            return f"output {number} is {made.dtype} instead of {wanted.dtype}"
    dtypes = [each.dtype for each in expected.types]
    outputs = compare_results(expected.outputs, actual.outputs, dtypes, random=random)
    if outputs:
        return outputs
    dtype_of = {item.name: item.tensor.dtype for item in task.case.inputs}
    for name, values in actual.gradients.items():
        gradient = compare_results([expected.gradients[name]], [values], [dtype_of[name]], random=random)
        if gradient:
            return f"the gradient of {name}: {gradient}"
    return ""
