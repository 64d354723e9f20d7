"""Takes up a run that was cut off: what it asked for, from its own run files, and whether here is where it began."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from autoperf.core.errors import AutoperfError, CaseFileError, UsageError
from autoperf.core.inputs import open_input
from autoperf.pipeline.batches import Batch, OperatorBatches
from autoperf.pipeline.run_options import RunOptions
from autoperf.results.resumable_run import open_for_resume
from autoperf.results.runfile import ResumableRun, RunHeader

UNSET = "not set"
# Where autoperf keeps its own things changes nothing of what is asked for.
_OWN = "AUTOPERF_"


@dataclass(frozen=True)
class ResumedRun:
    """A run to go on with: the path of each release's run file, and what is there of it; None: it wasn't made yet."""

    options: RunOptions
    paths: tuple[Path, ...]
    begun: tuple[ResumableRun | None, ...]

    @property
    def complete(self) -> bool:
        """Whether nothing is left to do."""
        return all(one and one.complete for one in self.begun)

    @property
    def notices(self) -> tuple[str, ...]:
        """What of the run files can't be read."""
        return tuple(notice for one in self.begun if one for notice in one.notices)

    @property
    def spent(self) -> float:
        """The seconds that the run has taken so far."""
        return max((one.seconds for one in self.begun if one), default=0.0)

    @property
    def kept(self) -> int:
        """How many outcomes there are already."""
        return sum(one.cases.total() for one in self.begun if one)


def resume(path: Path, stack: ExitStack) -> ResumedRun:
    """The run of this file, and of those of the other releases beside it, locked until the stack closes.

    Raises CaseFileError, OutputError, and UsageError where files have changed that the cases are made from.
    """
    first = open_for_resume(path)
    stack.callback(first.file.close)
    options = options_of(path, first.header)
    if options.command != "run":
        raise UsageError(f"{path} is of `autoperf {options.command}`, which takes cases in turn and can't be resumed")
    paths = siblings(path, options)
    begun = [first if one == path else _sibling(one, stack) for one in paths]
    found = ResumedRun(options, paths, tuple(begun))
    if not found.complete:
        check_digests(path, options)
    return found


def options_of(path: Path, header: RunHeader) -> RunOptions:
    """What the header says was asked for. Raises CaseFileError if it doesn't."""
    try:
        return msgspec.convert(header.options, RunOptions)
    except (msgspec.ValidationError, AutoperfError) as error:
        raise CaseFileError(
            f"{path}: its header doesn't say what was asked for, so it can't be resumed: {error}"
        ) from error


def siblings(path: Path, options: RunOptions) -> tuple[Path, ...]:
    """The run files of all releases of this run, in their order."""
    if len(options.labels) < 2:
        return (path,)
    stem = path.stem.removesuffix(f"-{options.label}")
    if stem == path.stem or options.label not in options.labels:
        raise UsageError(
            f"{path} is one of {len(options.labels)} run files, but not named as they were: its name ended in "
            f"-{options.label}; name it so again, beside the others"
        )
    return tuple(path.with_name(f"{stem}-{label}{path.suffix}") for label in options.labels)


def _sibling(path: Path, stack: ExitStack) -> ResumableRun | None:
    if not path.exists():
        return None
    begun = open_for_resume(path)
    stack.callback(begun.file.close)
    return begun


def digests(cases: Path | None, rules: Iterable[Path]) -> dict[str, str]:
    """The SHA-256 of each file that cases or rules come from, by its path."""
    files = [cases] if cases else []
    for path in rules:
        files += sorted(path.rglob("*.py")) if path.is_dir() else [path]
    return {str(file.absolute()): _digest(file) for file in files}


def check_digests(path: Path, options: RunOptions) -> None:
    """Raises UsageError if a file that the cases are made from isn't what it was when the run began."""
    now = digests(Path(options.cases) if options.cases else None, map(Path, options.rules))
    for name in sorted({*options.digests, *now}):
        if options.digests.get(name) != now.get(name):
            fate = _fate(options.digests.get(name), now.get(name))
            raise UsageError(
                f"{path} can't be resumed: {name} {fate} since the run began, "
                "so other cases would be asked for; put it back, or start a new run"
            )


def _fate(was: str | None, now: str | None) -> str:
    if was is None:
        return "has come"
    return "has changed" if now else "has gone"


def _digest(file: Path) -> str:
    try:
        with open_input(file) as content:
            digest = hashlib.sha256()
            while chunk := content.read(2**20):
                digest.update(chunk)
            return digest.hexdigest()
    except (OSError, CaseFileError):
        # Whoever reads it for its content says what is wrong with it.
        return ""


def check_same(path: Path, was: RunHeader, now: RunHeader) -> None:
    """Raises UsageError where the run would go on with another MXNet, other cases, or under other settings."""
    for what, before, here in _decisive(was, now):
        if before != here:
            raise UsageError(
                f"{path} can't be resumed: it was made with {what} {before}, and here it is {here}; "
                "change that, or start a new run"
            )


def moved(was: RunHeader, now: RunHeader) -> list[str]:
    """What else is different here, and may change figures."""
    return [
        f"{what} was {before} when the run began, and is {here} now"
        for what, before, here in _telling(was, now)
        if before != here
    ]


def _decisive(was: RunHeader, now: RunHeader) -> Iterator[tuple[str, Any, Any]]:
    yield "MXNet", was.mxnet, now.mxnet
    yield "autoperf", was.autoperf, now.autoperf
    before, here = was.environment, now.environment
    yield "Hypothesis", before.packages.get("hypothesis"), here.packages.get("hypothesis")
    for name in sorted({*before.settings, *here.settings}):
        if not name.startswith(_OWN):
            yield name, before.settings.get(name, UNSET), here.settings.get(name, UNSET)
    features, built = (one.mxnet.get("features") or {} for one in (before, here))
    for name in sorted({*features, *built}):
        yield f"MXNet's feature {name}", features.get(name, UNSET), built.get(name, UNSET)


def _telling(was: RunHeader, now: RunHeader) -> Iterator[tuple[str, Any, Any]]:
    before, here = was.environment, now.environment
    yield "the machine", before.machine, here.machine
    yield "the system", before.system, here.system
    yield "the processor", before.processor.model, here.processor.model
    yield "the number of usable processors", before.processor.usable, here.processor.usable
    yield "the memory in bytes", before.memory_total, here.memory_total
    yield "the governor", ", ".join(before.processor.governors), ", ".join(here.processor.governors)
    yield "Python", before.python, here.python
    yield "NumPy", before.packages.get("numpy"), here.packages.get("numpy")
    yield "MXNet's library", before.mxnet.get("library"), here.mxnet.get("library")
    yield "the number of MXNet's threads", before.mxnet.get("threads"), here.mxnet.get("threads")


class Remaining:
    """What of a run's cases has no outcome yet, told batch by batch; `over` has the outcomes that nobody asked for."""

    def __init__(self, begun: Sequence[ResumableRun | None]) -> None:
        self._done = [Counter(one.cases) if one else Counter() for one in begun]

    @property
    def over(self) -> int:
        """How many outcomes are of cases that were not asked for so far."""
        return sum(counter.total() for counter in self._done)

    def of(self, rows: Iterable[OperatorBatches]) -> Iterator[OperatorBatches]:
        """The rows without what has its outcome; one that comes twice was asked for twice."""
        for row in rows:
            yield tuple(self._batch(batch, done) for batch, done in zip(row, self._done, strict=True))

    def _batch(self, batch: Batch, done: Counter[str]) -> Batch:
        skipped = tuple(one for one in batch.skipped if not _taken(one.case, done))
        jobs = tuple(job for job in batch.jobs if not _taken(job.case.id, done))
        return replace(batch, skipped=skipped, jobs=jobs)


def _taken(case: str, done: Counter[str]) -> bool:
    """Whether an outcome of this case is there, which then counts no more."""
    if not done[case]:
        return False
    done[case] -= 1
    return True
