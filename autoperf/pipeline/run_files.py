"""The run files of a run, one for each side: where they go, and the sink that writes them."""

from __future__ import annotations

import datetime as dt
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from autoperf.core.events import CaseFinished, Event, Notice, Sink
from autoperf.core.outcome import Outcome, ResumeMark, Status
from autoperf.core.paths import cache_folder
from autoperf.pipeline.resume import check_same, moved
from autoperf.results.runfile import ResumableRun, RunEnd, RunHeader, RunWriter, default_path


class RunFiles:
    """Writes each outcome into its side's file the moment it exists; `first` is the first one of all."""

    def __init__(self, writers: Sequence[RunWriter]) -> None:
        self._writers = writers
        self.first: Outcome | None = None

    @property
    def counts(self) -> Counter[Status]:
        """How many outcomes all files have, by their status."""
        return sum((writer.counts for writer in self._writers), Counter())

    def handle(self, event: Event) -> None:
        """Writes an outcome; raises OutputError, for instance if the disk is full."""
        if isinstance(event, CaseFinished):
            self._writers[event.side].add(event.outcome)
            self.first = self.first or event.outcome

    def restored(self) -> Iterator[str]:
        """Which files somebody has removed while the run went on."""
        for writer in self._writers:
            if writer.restored:
                yield f"{writer.path} was removed while the run went on, and was written again"

    def finish(self, seconds: float, complete: bool) -> Iterator[RunEnd]:
        """Writes the last line of each file."""
        for writer in self._writers:
            yield writer.finish(seconds, complete)


def writer_of(output: Path, header: RunHeader, begun: ResumableRun | None, sink: Sink) -> RunWriter:
    """Writes a new run file, or resumes one, if all that matters is here as it was.

    Raises OutputError and UsageError; what else is different here is a notice.
    """
    if begun is None:
        return RunWriter(output, header)
    check_same(output, begun.header, header)
    for difference in moved(begun.header, header):
        sink.handle(Notice(difference))
    mark = ResumeMark(header.started, header.command, header.environment.machine, header.environment.load)
    return RunWriter(output, begun.header, resumed=begun, mark=mark)


def labelled_path(path: Path, label: str) -> Path:
    """`run.ndjson` as `run-1.6.0.ndjson`."""
    return path.with_name(f"{path.stem}-{label}{path.suffix}")


def default_output() -> Path:
    """Runs that were given no file are kept with the cache, under the time at which they began."""
    stamp = dt.datetime.now(dt.timezone.utc).strftime("%Y%m%dT%H%M%SZ")
    return default_path(cache_folder() / "runs", f"{stamp}-{os.getpid()}")
