"""Results of trials: fingerprints, files for another side or for timed calls, and what those must have in common."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path
from zipfile import BadZipFile

import msgspec
import numpy as np

from autoperf.backends.contents import differentiable_inputs
from autoperf.backends.protocol import BackwardRequest, CallOptions, Engine, PreparedCall, TrialResult, TriedCall
from autoperf.backends.results import (
    CaseResults,
    DifferentResultsError,
    common_gradients,
    contents,
    difference,
    in_one_form,
    prints_of,
    read_results,
    results_of_case,
    results_of_draw,
    sides_difference,
    write_results,
)
from autoperf.core.case import Case
from autoperf.core.errors import EngineError
from autoperf.core.outcome import ResultDifference
from autoperf.measurement.messages import Task
from autoperf.measurement.scratch import ELSEWHERE

MAX_BYTES = 1 << 30
"""The bytes of inputs and outputs up to which a case's results are read: they take as much memory again."""


def draw_path(path: str, draw: int) -> Path:
    """The file of the results of a draw of contents."""
    return Path(path if draw == 1 else f"{path}.{draw}")


def remove_results(path: Path, draws: int = 1) -> None:
    """Removes the files of all draws."""
    for draw in range(1, draws + 1):
        draw_path(str(path), draw).unlink(missing_ok=True)


def with_results(tried: TriedCall | None, task: Task, result: TrialResult) -> TrialResult:
    """The trial's result with the fingerprints of what the case computes, whose call runs once more for each draw.

    The results go to the task's files, if it names any. Raises EngineError if they can't be had then; else a note says
    why there are none. There are no files where they can't be written, which is no failure of this side alone.
    """
    if tried is None or not is_checked(task.case):
        return result
    try:
        first = results_of_draw(tried.call, result.backward_request, tried.contents)
        if task.results:
            write_results(first, Path(task.results))
            for draw in range(2, task.draws + 1):
                other = results_of_draw(tried.call, result.backward_request, contents(task.case, draw))
                write_results(other, draw_path(task.results, draw))
    except (EngineError, MemoryError) as error:
        if task.results:
            raise
        note = f"its results can't be compared with those of other runs: {str(error) or 'out of memory'}"
        return msgspec.structs.replace(result, notes=(*result.notes, note))
    except OSError as error:
        remove_results(Path(task.results), task.draws)
        note = f"its results can't be stored: {error.strerror}; {ELSEWHERE}"
        return msgspec.structs.replace(result, notes=(*result.notes, note))
    return msgspec.structs.replace(result, prints=prints_of(first, task.case, task.open))


def is_checked(case: Case) -> bool:
    """Whether the results of a case are read."""
    return case.way != "front_end" and case.input_bytes + case.output_bytes <= MAX_BYTES


def timed_difference(call: PreparedCall, task: Task) -> ResultDifference | None:
    """The first difference of a timed call, run again on changing contents, from its trial. Raises EngineError."""
    trial = task.trial_result
    if not task.results or trial is None:
        return None
    for draw in range(1, task.draws + 1):
        expected = read_results(draw_path(task.results, draw))
        actual = results_of_draw(call, trial.backward_request, contents(task.case, draw))
        if found := sides_difference(expected, actual, task.case, task.open):
            return msgspec.structs.replace(found, draw=draw, timed=True)
    return None


def stored_difference(paths: tuple[Path, Path], task: Task) -> ResultDifference | None:
    """The first difference of the results that the trials of two sides have stored; None without one.

    The task is that of the second side; of a counterpart, the other function's form makes no difference.
    Raises EngineError for files that can't be read.
    """
    for draw in range(1, task.draws + 1):
        try:
            base, new = (read_results(draw_path(str(path), draw)) for path in paths)
        except (OSError, ValueError, KeyError, BadZipFile) as error:
            raise EngineError(
                f"the results of a trial can't be read ({error}), as where the disk is full: {ELSEWHERE}"
            ) from error
        if task.case.counterpart:
            base, new = in_one_form(base, new, task.case.counterpart.names)
        if found := sides_difference(base, new, task.case, task.open):
            return msgspec.structs.replace(found, draw=draw)
    return None


def stored_trial(engine: Engine, task: Task, options: CallOptions) -> TrialResult:
    """Runs a case with the gradients of its differentiable inputs, and writes its results. Raises EngineError."""
    inputs = differentiable_inputs(task.case) if task.backward else ()
    request = BackwardRequest(inputs) if inputs else None
    try:
        results = _results(engine, task, options, request)
    except EngineError:
        if request is None:
            raise
        with contextlib.suppress(EngineError):
            engine.wait()
        request, results = None, _results(engine, task, options, None)
    write_results(results, Path(task.results))
    return TrialResult(results.types, request, (), (), None)


def checked_trial(engine: Engine, task: Task, options: CallOptions) -> TrialResult:
    """Runs a case by its program with the gradients that both have. Raises DifferentResultsError for other results."""
    program, expected = task.program, task.trial_result
    if program is None or expected is None:
        raise EngineError(f"no results to check {task.case.operator} with")
    stored = read_results(Path(task.results))
    request = common_gradients(stored, program) if task.backward else None
    begin = time.monotonic()
    call = engine.prepare(task.case, options, program)
    try:
        actual, compilations = results_of_case(call, request, len(expected.outputs)), call.compilations
    finally:
        call.free()
    seconds = time.monotonic() - begin
    if found := difference(stored, actual, task.case, program, task.open.rounding):
        raise DifferentResultsError(found, program.implementation.expression)
    is_lacking = task.backward and request is None and any(map(np.any, stored.gradients.values()))
    lacking = "no backward pass: the implementation has no gradient" if is_lacking else ""
    types = actual.types[: len(expected.outputs)]
    if compilations and not compilations[0].number:
        raise EngineError("the framework reports no compilation of the call, which may have run eagerly")
    compile_us = (compilations[0].us, compilations[1].us) if compilations else None
    return TrialResult(types, request, (), (), None, lacking, seconds, actual.views, compile_us)


def _results(engine: Engine, task: Task, options: CallOptions, request: BackwardRequest | None) -> CaseResults:
    call = engine.prepare(task.case, options, task.program)
    try:
        return results_of_case(call, request)
    finally:
        call.free()
