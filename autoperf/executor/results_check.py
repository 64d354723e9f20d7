"""Trials of a framework that follows another one, whose results it has to have before it is timed."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from autoperf.backends.contents import materialise
from autoperf.backends.protocol import Array, BackwardRequest, CallOptions, Engine, Program, TrialResult
from autoperf.backends.results import CaseResults, read_results, results_of_case, write_results
from autoperf.core.case import Case
from autoperf.core.errors import EngineError
from autoperf.executor.messages import Task
from autoperf.implementations.expressions import as_compared, updated_names
from autoperf.implementations.results import compare_results

_NARROW = "bfloat16"


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
    stored = read_results(Path(task.results), expected.outputs)
    asked = [name for name, gradient in stored.gradients.items() if task.backward and np.any(gradient)]
    request = _request(asked, program)
    begin = time.monotonic()
    actual = _results(engine, task, options, request, len(expected.outputs))
    seconds = time.monotonic() - begin
    difference = _difference(stored, actual, task.case, program)
    if difference:
        raise EngineError(f"the results differ: {difference}; computed by {program.implementation.expression}")
    lacking = "no backward pass: the implementation has no gradient" if asked and not request else ""
    types = actual.types[: len(expected.outputs)]
    return TrialResult(types, request, (), (), None, reason=lacking, seconds=seconds)


def _request(asked: Sequence[str], program: Program) -> BackwardRequest | None:
    """The gradients that both have; `asked` are the inputs whose gradients aren't zero in the followed framework."""
    constant = program.implementation.constant
    inputs = tuple(name for name in asked if name.partition("[")[0] not in constant)
    return BackwardRequest(inputs) if inputs and program.implementation.differentiable else None


def _results(
    engine: Engine, task: Task, options: CallOptions, request: BackwardRequest | None, count: int | None = None
) -> CaseResults:
    call = engine.prepare(task.case, options, task.program)
    try:
        return results_of_case(call, request, count)
    finally:
        call.free()


def _difference(expected: CaseResults, actual: CaseResults, case: Case, program: Program) -> str:
    """The first difference of outputs, updated inputs and gradients; empty if there is none."""
    chosen = program.implementation
    inputs = {item.name: materialise(item.tensor, case.digest, item.name) for item in case.arguments}
    updated = updated_names(chosen, list(inputs))
    forgotten = set(expected.updated) - set(updated) if case.in_place else set()
    # AdamW writes the clipped gradient over the gradient.
    if forgotten and "adamw" not in case.operator:
        return f"it doesn't update {', '.join(sorted(forgotten))}"
    is_narrow = [_NARROW in {each.dtype for each in results.types} for results in (expected, actual)]
    if is_narrow[0] != is_narrow[1]:
        return f"output: dtype {actual.types[0].dtype}, expected {expected.types[0].dtype}"
    precision = chosen.precision or (_NARROW if is_narrow[0] else "")
    wanted = [*expected.outputs, *(expected.updated.get(name, inputs[name]) for name in updated)]
    before, now = (_compared(results, inputs, program, case) for results in (wanted, actual.outputs))
    outputs = compare_results(before, now, random=chosen.random, cast=chosen.cast, precision=precision)
    if outputs or not actual.gradients:
        return outputs
    before, now = ([results.gradients[name] for name in actual.gradients] for results in (expected, actual))
    return compare_results(before, now, [f"gradient of {name}" for name in actual.gradients], precision=precision)


def _compared(results: list[Array], inputs: dict[str, Array], program: Program, case: Case) -> list[Array]:
    """The results in the form in which both sides are compared."""
    if program.implementation.random:
        return results
    parameters = {**program.arguments, "training": case.training, "outputs": case.outputs}
    return as_compared(program.implementation, results, inputs, parameters)
