"""Measure: from cases and files to a stream of outcomes, one for each case that was asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from autoperf.core.case import Case
from autoperf.core.errors import UsageError
from autoperf.core.outcome import Outcome, Status
from autoperf.executor.settings import Settings
from autoperf.executor.suite import LoadedSuite
from autoperf.executor.suite_reader import read_suite
from autoperf.executor.supervisor import Executor
from autoperf.executor.trial_client import Job
from autoperf.generator.render import Rendered, write
from autoperf.pipeline.generate import Prepared

Judge: TypeAlias = Callable[[Job, Outcome], Outcome]


@dataclass(frozen=True)
class Batch:
    """The jobs of one operator, and the outcomes that need no measuring."""

    operator: str
    jobs: tuple[Job, ...]
    skipped: tuple[Outcome, ...] = ()

    @property
    def size(self) -> int:
        """How many outcomes will come."""
        return len(self.jobs) + len(self.skipped)


def file_batches(
    path: Path, scratch: Path, settings: Settings, check: Callable[[LoadedSuite], None] | None = None
) -> Iterator[Batch]:
    """Queue the cases of a rendered file as they stand there, if it can be read within the limits of a case.

    `check` sees them first, and raises CaseFileError for what can't be run.
    """
    suite = read_suite(path, scratch, settings.timeout, settings.bytes_allowed)
    if check:
        check(suite)
    jobs = tuple(Job(path, loaded.function, loaded.case) for loaded in suite.cases)
    yield Batch(suite.header.operator, jobs)


def measure(executor: Executor, batch: Batch, judge: Judge | None = None) -> Iterator[Outcome]:
    """The outcomes of a batch, each as soon as it is there, and as `judge` sees it."""
    yield from batch.skipped
    for job, found in zip(batch.jobs, executor.run(batch.jobs), strict=True):
        yield judge(job, found) if judge else found


def refuse_dtype(counts: Mapping[Status, int], first: Outcome | None, dtype: str | None) -> None:
    """Raises UsageError where MXNet refused every single case of the dtype that was asked for.

    `counts` are the outcomes by their status, `first` is the first of them, whose reason is told.
    """
    refused = not any(number for status, number in counts.items() if status not in (Status.SKIPPED, Status.FAILED))
    if dtype and first and refused:
        raise UsageError(f"no selected operator takes {dtype}: {first.reason}")


def jobs_of(prepared: Prepared, scratch: Path) -> tuple[Job, ...]:
    """The jobs of one operator; its rendered file is written below `scratch`."""
    if prepared.rendered is None:
        return ()
    return rendered_jobs(prepared.built.cases, prepared.rendered, write(prepared.rendered, scratch))


def rendered_jobs(cases: Iterable[Case], rendered: Rendered, path: Path) -> tuple[Job, ...]:
    """A job for each case of a file that was rendered to `path`."""
    return tuple(Job(path, rendered.functions[case.id], case) for case in cases)
