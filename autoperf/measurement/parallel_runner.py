"""Runs batches by several runners of this machine at once, for measurements that other programs don't disturb."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import TypeAlias

from autoperf.measurement.batches import BatchAnswer, BatchRequest, BatchRunner, Job, NextBatch

_Result: TypeAlias = BatchAnswer | BatchRunner | BaseException


class ParallelRunner:
    """Gives each of these runners one batch at a time, in a thread of its own."""

    def __init__(self, runners: Sequence[BatchRunner], threads: ThreadPoolExecutor) -> None:
        """`threads` has a thread for each runner, and must end after the processes of the runners."""
        self._runners, self._threads = runners, threads
        self.machines, self.parallel = runners[0].machines, len(runners)

    def check_calls(self, jobs: Sequence[Sequence[Job]]) -> None:
        """Tries each side's calls before any is measured. Raises EngineError for one that the framework refuses."""
        self._runners[0].check_calls(jobs)

    def run(self, next_batch: NextBatch) -> Iterator[BatchAnswer]:
        """The answers as they come."""
        free, results = list(self._runners), SimpleQueue[_Result]()
        while True:
            while free and (request := next_batch()):
                self._threads.submit(_run_batch, free.pop(), request, results.put)
            if len(free) == self.parallel:
                return
            result = results.get()
            if isinstance(result, BaseException):
                raise result
            if isinstance(result, BatchAnswer):
                yield result
            else:
                free.append(result)


def _run_batch(runner: BatchRunner, request: BatchRequest, put: Callable[[_Result], None]) -> None:
    """Puts the answers of a batch and then its runner, which is free, or what went wrong."""
    requests = iter([request])
    try:
        for answer in runner.run(lambda: next(requests, None)):
            put(answer)
        put(runner)
    except BaseException as error:  # noqa: BLE001 - raised in the thread that takes the answers
        put(error)
