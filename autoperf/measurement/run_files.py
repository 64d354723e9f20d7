"""The files of a run, one per side: their paths, and the sink that writes them."""

from __future__ import annotations

import datetime as dt
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from autoperf.core.events import CaseFinished, Event, Notice, Sink
from autoperf.core.hunt_events import InputTried
from autoperf.core.outcome import Outcome, ResumeMark, Status
from autoperf.core.paths import cache_folder
from autoperf.measurement.resumed_run import check_compatible
from autoperf.runs.environment import Machine
from autoperf.runs.run_writer import ResumableRun, RunWriter, default_path
from autoperf.runs.runfile import RunEnd, RunHeader


class RunFiles:
    """A sink that writes each outcome to its side's file at once.

    `first` is the first outcome; `only_refusals` tells whether every one so far is a refusal of its dtype.
    """

    def __init__(self, writers: Sequence[RunWriter]) -> None:
        self._writers = writers
        self.first: Outcome | None = None
        self.only_refusals = True

    @property
    def counts(self) -> Counter[Status]:
        """The number of outcomes in all files, by status."""
        return sum((writer.counts for writer in self._writers), Counter())

    def handle(self, event: Event) -> None:
        """Writes an outcome. Raises OutputError, for instance if the disk is full."""
        if isinstance(event, CaseFinished):
            self._writers[event.side].add(event.outcome, event.replaced)
            self.first = self.first or event.outcome
            self.only_refusals &= bool(event.outcome.refused_dtype)

    def restored(self) -> Iterator[str]:
        """A notice for each file that was removed during the run."""
        for writer in self._writers:
            if writer.restored:
                yield f"{writer.path} was removed during the run, and was written again"

    def finish(self, seconds: float, complete: bool) -> Iterator[RunEnd]:
        """Writes and yields the last line of each file."""
        for writer in self._writers:
            yield writer.finish(seconds, complete)


class PathNotices:
    """A sink that names the files of a run or a hunt with the first result.

    A refused command prints only its error, and a killed one nothing at its end.
    """

    def __init__(self, paths: Sequence[Path], sink: Sink) -> None:
        self._paths = list(paths)
        self._sink = sink

    def handle(self, event: Event) -> None:
        """Names the files after an outcome that isn't skipped, or an input of a hunt that was timed."""
        match event:
            case CaseFinished(outcome=outcome) if outcome.status is not Status.SKIPPED:
                self.tell()
            case InputTried(refused=""):
                self.tell()

    def tell(self) -> None:
        """Names the files once."""
        for path in self._paths:
            self._sink.handle(Notice(f"results: {path}"))
        self._paths.clear()


def writer_of(output: Path, header: RunHeader, machine: Machine, resumed: ResumableRun | None, sink: Sink) -> RunWriter:
    """A writer of a new run file, or of the one that is resumed.

    Raises OutputError, and UsageError if the circumstances have changed; harmless changes are notices.
    """
    if resumed is None:
        return RunWriter(output, header, machine)
    for difference in check_compatible(output, resumed, header, machine):
        sink.handle(Notice(difference))
    now = machine.environment
    mark = ResumeMark(header.started, header.command, now.machine, now.load)
    return RunWriter(output, resumed.header, machine, resumed=resumed, mark=mark)


def labelled_path(path: Path, label: str) -> Path:
    """The path with a label: `run.ndjson` becomes `run-1.6.0.ndjson`."""
    return path.with_name(f"{path.stem}-{label}{path.suffix}")


def default_output() -> Path:
    """The run file of a run without --run-file: in the cache folder, named by its start time."""
    return default_path(cache_folder() / "runs", _stamp())


def default_hunt_folder() -> Path:
    """The folder of a hunt without --folder: in the cache folder, named by its start time. The hunt makes it."""
    return cache_folder() / "hunts" / _stamp()


def _stamp() -> str:
    return f"{dt.datetime.now(dt.timezone.utc):%Y%m%dT%H%M%SZ}-{os.getpid()}"
