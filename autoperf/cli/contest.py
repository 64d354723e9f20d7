"""Two builds or environments measured in turn, case by case, into a run file each."""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import msgspec

from autoperf.cases.build import Recipe
from autoperf.cli.compare import MAX_TIME, PROCESSES
from autoperf.cli.output import notices, tell
from autoperf.cli.session import INTERRUPTED, Plan, Session, Track, default_output, labelled_path
from autoperf.core.errors import UsageError
from autoperf.core.outcome import Status
from autoperf.executor.settings import Settings
from autoperf.executor.supervisor import Executor
from autoperf.executor.turns import Turns
from autoperf.pipeline.doctor import check_threads
from autoperf.pipeline.interleaved import in_turn
from autoperf.pipeline.selection import Selection
from autoperf.pipeline.sides import Side
from autoperf.reports.progress import Progress
from autoperf.results.reading import RunReader
from autoperf.results.runfile import RunEnd, RunHeader, check_output

SIDES = ("A", "B")
USUAL = Settings(processes=PROCESSES, max_time=MAX_TIME)


@dataclass(frozen=True)
class Contest(Session):
    """What the command line asked for; `environments` are the variables of side A, the base, and of side B.

    With one release or none named, both sides are that release. `output` is where the run files go, under the names
    of the sides; `token` is in the headers of both, and in no others.
    """

    environments: tuple[dict[str, str], dict[str, str]] = ({}, {})
    token: str = field(default_factory=lambda: uuid.uuid4().hex)
    COMMAND: ClassVar[str] = "compare"

    @property
    def paths(self) -> tuple[Path, Path]:
        """The run files of both sides. Raises UsageError without an output."""
        if self.output is None:
            raise UsageError("a contest needs a place for its run files")
        return labelled_path(self.output, SIDES[0]), labelled_path(self.output, SIDES[1])

    def _check(self) -> None:
        super()._check()
        for variables in self.environments:
            check_threads({**os.environ, **variables})

    def _hints(self) -> Sequence[str | None]:
        named = self.libraries or (None,)
        return named if len(named) == len(SIDES) else named * 2

    def _outputs(self, sides: Sequence[Side]) -> list[Path]:
        for path in self.paths:
            check_output(path)
        return list(self.paths)

    def _settings(self, sides: int) -> Sequence[Settings]:
        return [msgspec.structs.replace(self.settings, env=variables) for variables in self.environments[:sides]]

    def _header(self, sides: Sequence[Side], side: Side, executor: Executor) -> RunHeader:
        return msgspec.structs.replace(super()._header(sides, side, executor), in_turn=self.token)

    def _measure(self, plan: Plan, tracks: Sequence[Track], progress: Progress) -> list[RunEnd]:
        begun = time.monotonic()
        complete = True
        base, new = tracks
        turns = Turns(base.executor, new.executor, self.recipe.seed)
        try:
            for row in plan.queue:
                progress.batch_started(row[0].operator, sum(batch.size for batch in row))
                for side, outcome in in_turn(turns, row):
                    tracks[side].writer.add(outcome)
                    progress.case_done(outcome)
        except KeyboardInterrupt:
            complete = False
        progress.finish()
        return [track.writer.finish(time.monotonic() - begun, complete) for track in tracks]

    def _tell(self, tracks: Sequence[Track], ends: Sequence[RunEnd]) -> int:
        for track, name in zip(tracks, SIDES, strict=True):
            notices().write(f"results: side {name}, MXNet {track.side.mxnet}: {track.writer.path}\n")
            tell(_want_of_figures(name, track))
        if all(end.complete for end in ends):
            return 0
        notices().write(f"interrupted; {sum(end.asked for end in ends)} outcomes are kept\n")
        return INTERRUPTED


def _want_of_figures(name: str, track: Track) -> Iterator[str]:
    """Why a side that measured nothing did so, by the first of its cases, and what --env gave it."""
    with RunReader(track.writer.path) as run:
        if run.total and not run.statuses[Status.MEASURED.value]:
            first = run.at(0)
            given = ", ".join(f"{variable}={value}" for variable, value in track.executor.settings.env.items())
            cause = f"; --env gave it {given}" if given else ""
            yield f"side {name} measured nothing: {first.case} {first.status.value}: {first.reason}{cause}"


def contest_of(
    files: tuple[Path | None, Path | None],
    libraries: tuple[str, ...],
    environments: tuple[dict[str, str], dict[str, str]],
    selection: Selection,
    recipe: Recipe,
    settings: Settings,
    cases: Path | None,
    rules: tuple[Path, ...],
    keep: Path | None,
) -> Contest | None:
    """What is to be measured, if it is no two files that are compared. Raises UsageError for half of either."""
    wanted = bool(libraries or any(environments))
    if any(files):
        measures = (selection, recipe, settings) != (Selection(), Recipe(), USUAL)
        if wanted or cases or rules or keep or measures:
            raise UsageError(
                "run files hold what was measured: leave out the options that measure, or leave out the files"
            )
        return None
    if not wanted:
        return None
    if len(libraries) > len(SIDES):
        raise UsageError(f"compare takes two releases, not {len(libraries)}: {', '.join(libraries)}")
    if settings.time_budget is not None:
        raise UsageError("compare takes no --time-budget: leave out cases by --category, --operator or --samples")
    if keep and keep.is_dir():
        raise UsageError(f"--keep {keep} is a folder; name a file, such as {keep / 'runs.ndjson'}")
    output = keep or default_output()
    return Contest(selection, recipe, settings, cases, output, libraries, rules=rules, environments=environments)
