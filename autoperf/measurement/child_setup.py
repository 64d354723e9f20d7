"""Set-up that the executor's child processes share: their start, the loop of requests, and a fork for each case."""

from __future__ import annotations

import gc
import os
import platform
import re
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NoReturn, TypeAlias

import msgspec
import numpy as np

from autoperf.backends.lookup import backend_of
from autoperf.backends.passes import parse_context
from autoperf.backends.protocol import Engine, PreparedCall, TrialResult, Trials
from autoperf.backends.results import DifferentResultsError
from autoperf.core.errors import AutoperfError, EngineError, ProcessError, UsageError
from autoperf.core.files import claims_folder
from autoperf.core.outcome import Status
from autoperf.counts.requests import PROCESSOR
from autoperf.measurement import messages
from autoperf.measurement.placement import Claims, Mover, choose_processors, own_processors, place, usable_processors
from autoperf.measurement.probe import Probe, probe_name
from autoperf.measurement.results_check import checked_trial, with_results
from autoperf.measurement.settings import Settings
from autoperf.processes.channel import ChannelClosed
from autoperf.processes.counters import require_counters
from autoperf.processes.forks import fork, limit_memory, parent_channel

# The seconds in which a new process measures the speed of the machine; the fastest of several is the first reference.
CALIBRATION_SECONDS = 0.03
_EXHAUSTED = re.compile(
    "bad_alloc|failed to allocate|out of memory|cannot allocate memory|resource temporarily unavailable", re.IGNORECASE
)


def run(
    arguments: Sequence[str], serve: Callable[[messages.Service, Engine, Settings], None], *, takes_times: bool
) -> int:
    """Opens the channel and the framework, reports the build and serves; returns the exit code.

    The arguments are two file descriptors, the path of the library, the settings as JSON, and the kind. A process that
    `takes_times` uses the context, and is placed on processors.
    """
    channel: messages.Service = parent_channel(arguments, messages.request_decoder)
    settings = msgspec.json.decode(arguments[3], type=Settings)
    try:
        engine = backend_of(settings.framework).open(Path(arguments[2]))
        if takes_times and settings.counted_by == PROCESSOR:
            require_counters(settings.counters)
        gpus = engine.require(settings.ctx) if takes_times else 0
        if takes_times and settings.calls_python and engine.front_end:
            engine.front_end.require()
        build, probe_us = engine.build, None
        cpus: tuple[int, ...] = ()
        if takes_times:
            # Once the framework has counted the processors for its threads; the claims last as long as this call.
            claims = Claims(claims_folder(), os.getppid())
            cpus = choose_processors(settings.cpus, build.threads, own_processors(), os.environ, taken=claims.taken())
            claims.hold(cpus)
            place(cpus)
            probe_us = Probe().calibrate(CALIBRATION_SECONDS)
    except AutoperfError as error:
        channel.send(messages.Unusable(str(error), isinstance(error, UsageError)))
        return error.exit_code
    found = build.version, build.library, dict(build.features), build.threads
    python = f"{platform.python_implementation()} {platform.python_version()}"
    interpreter = {"python": python, "numpy": np.__version__, "probe": probe_name()}
    channel.send(messages.Build(*found, gpus, cpus, probe_us, interpreter, build.compiler))
    serve(channel, engine, settings)
    return 0


def mover_of(settings: Settings) -> Mover | None:
    """Moves this process when it has to wait; None for a GPU or several processors. A chosen processor is kept."""
    current = usable_processors()
    if len(current) != 1 or parse_context(settings.ctx)[0] != "cpu":
        return None
    taken = Claims(claims_folder(), os.getppid()).taken
    return Mover(current if settings.cpus is not None else own_processors(os.getppid()), taken=taken)


def case_failure(engine: Engine, error: BaseException, limit: int) -> messages.CaseFailure:
    """The answer for a case that raised an error; `limit` is the memory limit in bytes."""
    text = str(error) if isinstance(error, AutoperfError) else engine.error_text(error)
    if isinstance(error, engine.refusals):
        return messages.CaseFailure(Status.SKIPPED, text)
    # An error in a user's file is wrapped in a CaseFileError, whose context is the original error.
    exhausted = isinstance(error, MemoryError) or isinstance(error.__context__, MemoryError)
    exhausted |= isinstance(error, EngineError) and _EXHAUSTED.search(text) is not None
    if exhausted:
        text = f"out of memory within the limit of {limit / 2**20:.0f} MiB: {text}"
    found = error.difference if isinstance(error, DifferentResultsError) else None
    return messages.CaseFailure(Status.FAILED, text, exhausted=exhausted, difference=found)


def prepared(engine: Engine, settings: Settings, task: messages.Task) -> PreparedCall:
    """The call of a case that was tried, after the calls that make its inputs, with the gradients of its trial."""
    result = task.trial_result
    call = engine.prepare(task.case, replace(settings.call_options, upstream=True), task.program)
    if result and result.backward_request:
        call.request_gradients(result.backward_request)
        call.make_heads(result.outputs)
    return call


def serve_requests(channel: messages.Service, answer: Callable[[messages.Request], messages.Answer]) -> NoReturn:
    """Answers requests one at a time, each with its number, until the channel is closed."""
    try:
        while True:
            number, request = channel.receive()
            channel.send(answer(request), number)
    except ChannelClosed:
        quiet_exit(0)
    except Exception:  # noqa: BLE001 - logged; the supervisor sees how the process ended
        traceback.print_exc()
    finally:
        quiet_exit(1)


def quiet_exit(code: int) -> NoReturn:
    """Ends the process without the framework's exit handlers, some of which hang in MXNet."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


AnswerTask: TypeAlias = Callable[[messages.Task], TrialResult | messages.Counted | messages.CaseFailure]


def serve_trials(channel: messages.Service, engine: Engine, settings: Settings, trials: Trials) -> None:
    """Runs one case at a time, each in a fork of its own, until the channel is closed."""

    def answer(task: messages.Task) -> TrialResult:
        if task.program:
            return checked_trial(engine, task, settings.call_options)
        result = trials.run(task.case, backward=task.backward)
        return with_results(trials.tried, task, result)

    def prepare() -> AnswerTask:
        limit_memory(settings.bytes_allowed)
        trials.prepare()
        return answer

    serve_forks(channel, engine, settings, prepare)


def serve_forks(
    channel: messages.Service, engine: Engine, settings: Settings, prepare: Callable[[], AnswerTask]
) -> None:
    """Forks a child ahead of each case. The child reads its case from the channel, and this process waits for its end.

    `prepare` runs in the child before it reads its case, and returns the function that answers. Whatever that raises is
    the failure of the case.
    """
    try:
        engine.warm_up()
        gc.collect()
        gc.freeze()
        while True:
            child = fork()
            if child == 0:
                _answer_next(channel, engine, settings, prepare)
            _, status = os.waitpid(child, 0)
            channel.send(messages.ChildExited(status))
    except (EngineError, ProcessError) as error:
        channel.send(messages.Unusable(str(error)))


def _answer_next(
    channel: messages.Service, engine: Engine, settings: Settings, prepare: Callable[[], AnswerTask]
) -> None:
    """Runs in the child; never returns."""
    result: messages.Answer
    try:
        answer = prepare()
        channel.send(messages.ForkReady())
        number, task = channel.receive()
        if isinstance(task, messages.Task):
            channel.send(messages.Accepted(), number)
            try:
                result = answer(task)
            except Exception as error:  # noqa: BLE001 - a case may raise anything; only that case fails
                result = case_failure(engine, error, settings.bytes_allowed)
            channel.send(result, number)
    except ChannelClosed:
        pass
    except Exception:  # noqa: BLE001 - logged; the supervisor sees that the fork ended before it was ready
        traceback.print_exc()
    finally:
        quiet_exit(0)
