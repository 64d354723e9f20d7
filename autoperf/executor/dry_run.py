"""Runs the forward pass of each case once in a fork, to find out whether the case runs."""

from __future__ import annotations

import sys

import msgspec

from autoperf.backends.mxnet.capi.library import Library
from autoperf.core.outcome import Memory
from autoperf.executor.call import describe
from autoperf.executor.child_setup import SuiteCache, case_failure, run
from autoperf.executor.fork_server import AnswerTask, serve_forks
from autoperf.executor.layer_call import prepared_call
from autoperf.executor.messages import CaseFailure, Service, Task, TrialResult
from autoperf.executor.runner import Runner
from autoperf.executor.settings import Settings
from autoperf.processes.linux import limit_memory


def serve(channel: Service, library: Library, settings: Settings) -> None:
    """Answers one case at a time until the channel is closed."""

    def prepare() -> AnswerTask:
        limit_memory(settings.bytes_allowed)
        return lambda task: _answer(library, task, settings)

    serve_forks(channel, library, prepare)


def _answer(library: Library, task: Task, settings: Settings) -> TrialResult | CaseFailure:
    try:
        call = prepared_call(library, SuiteCache().case(task), msgspec.structs.replace(settings, backward=False))
        outputs = tuple(describe(library, handle) for handle in Runner(call).forward())
    except Exception as error:  # noqa: BLE001 - a case may raise anything; only that case fails
        return case_failure(error, settings.bytes_allowed)
    return TrialResult(outputs, backward_request=None, forward_kernels=(), backward_kernels=(), memory=Memory())


if __name__ == "__main__":
    raise SystemExit(run(sys.argv[1:], serve, takes_times=False))
