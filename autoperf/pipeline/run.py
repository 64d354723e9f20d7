"""Measure: from targets or files to a stream of outcomes, one for each case that was asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from autoperf.cases.build import Recipe
from autoperf.core.case import Case
from autoperf.core.errors import UsageError
from autoperf.core.outcome import Outcome, Status
from autoperf.executor.reading import read_suite
from autoperf.executor.supervisor import Executor
from autoperf.executor.trying import Job
from autoperf.generator.render import Origin, Rendered, render, write
from autoperf.pipeline.generate import Prepared, prepare
from autoperf.pipeline.release import Release
from autoperf.pipeline.selection import Target
from autoperf.pipeline.skipped import skipped


@dataclass(frozen=True)
class Batch:
    """The jobs of one operator, and the outcomes that need no measuring."""

    operator: str
    jobs: tuple[Job, ...]
    skipped: tuple[Outcome, ...] = ()

    @property
    def size(self) -> tuple[str, int]:
        """The operator, and how many outcomes will come."""
        return self.operator, len(self.jobs) + len(self.skipped)


def batches(release: Release, chosen: Iterable[Target], recipe: Recipe, scratch: Path) -> Iterator[Batch]:
    """Draw, render and queue one operator after the other, so that the first figure doesn't wait for the last case."""
    for target in chosen:
        prepared = prepare(release, target, recipe)
        yield Batch(target.operator.name, jobs_of(prepared, scratch), tuple(skipped(prepared)))


def stored_batches(cases: Iterable[Case], mxnet: str, seed: int, scratch: Path) -> Iterator[Batch]:
    """Render and queue cases that were made before."""
    origin = Origin(mxnet, seed, "a case file", "stored")
    for number, (_, group) in enumerate(groupby(cases, key=lambda case: (case.operator, case.category))):
        listed = list(group)
        rendered = render(listed, origin)
        path = write(rendered, scratch / str(number))
        yield Batch(rendered.operator, _rendered_jobs(listed, rendered, path))


def file_batches(path: Path, scratch: Path, limit: float) -> Iterator[Batch]:
    """Queue the cases of a rendered file as they stand there, if it can be read within `limit` seconds."""
    suite = read_suite(path, scratch, limit)
    jobs = tuple(Job(path, loaded.function, loaded.case) for loaded in suite.cases)
    yield Batch(suite.header.operator, jobs)


def measure(executor: Executor, queue: Iterable[Batch], on_batch: Callable[[Batch], None]) -> Iterator[Outcome]:
    """The outcomes of all batches; `on_batch` is told of each before it is measured."""
    for batch in queue:
        on_batch(batch)
        yield from batch.skipped
        yield from executor.run(batch.jobs)


def refuse_dtype(outcomes: Sequence[Outcome], dtype: str | None) -> None:
    """Raises UsageError where MXNet refused every single case of the dtype that was asked for."""
    refused = all(outcome.status in (Status.SKIPPED, Status.FAILED) for outcome in outcomes)
    if dtype and outcomes and refused:
        raise UsageError(f"no selected operator takes {dtype}: {outcomes[0].reason}")


def jobs_of(prepared: Prepared, scratch: Path) -> tuple[Job, ...]:
    """The jobs of one operator; its rendered file is written below `scratch`."""
    if prepared.rendered is None:
        return ()
    return _rendered_jobs(prepared.built.cases, prepared.rendered, write(prepared.rendered, scratch))


def _rendered_jobs(cases: Iterable[Case], rendered: Rendered, path: Path) -> tuple[Job, ...]:
    return tuple(Job(path, rendered.functions[case.id], case) for case in cases)
