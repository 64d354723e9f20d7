"""What a run or an interleaved comparison is asked for."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from autoperf.capi.releases import INSTALLED, is_version
from autoperf.cases.build import Recipe
from autoperf.core.errors import UsageError
from autoperf.executor.settings import Settings
from autoperf.pipeline.doctor import check_threads
from autoperf.pipeline.resume import ResumedRun, digests
from autoperf.pipeline.run_options import RunOptions
from autoperf.pipeline.selection import Selection
from autoperf.pipeline.sides import Side


@dataclass(frozen=True)
class RunRequest:
    """Which cases, of which builds, and how they are measured.

    `libraries` names the releases, none the default one. `environments` has the variables of each side, and then one
    release is on every side; without them, each release is a side. `output` is where the run files go. `resumed` is
    the run to resume; it was asked for the same.
    """

    selection: Selection
    recipe: Recipe
    settings: Settings
    cases: Path | None = None
    output: Path | None = None
    libraries: tuple[str, ...] = ()
    rules: tuple[Path, ...] = ()
    environments: tuple[dict[str, str], ...] = ()
    resumed: ResumedRun | None = None

    @property
    def hints(self) -> Sequence[str | None]:
        """Which library each side has; None is the default one."""
        named = self.libraries or (None,)
        return named * len(self.environments) if len(named) == 1 and self.environments else named

    def settings_of(self, side: int) -> Settings:
        """How one side is measured, by its number."""
        if not self.environments:
            return self.settings
        return msgspec.structs.replace(self.settings, env=self.environments[side])

    def check(self) -> None:
        """Raises UsageError for options that contradict each other, and for variables that stop MXNet at its start."""
        if self.cases and (self.rules or self.selection != Selection() or self.recipe != Recipe()):
            raise UsageError(
                "--cases brings its own operators and inputs: leave out the options that select or draw them"
            )
        check_threads(os.environ)
        for variables in self.environments:
            check_threads({**os.environ, **variables})

    def options(self, command: str, sides: Sequence[Side], number: int) -> RunOptions:
        """What the header of one side's run file keeps."""
        return RunOptions(
            selection=self.selection,
            recipe=self.recipe,
            settings=self.settings_of(number),
            cases=str(self.cases.absolute()) if self.cases else None,
            rules=tuple(str(path.absolute()) for path in self.rules),
            mxnet=tuple(map(anchored, self.libraries)),
            labels=tuple(side.label for side in sides),
            label=sides[number].label,
            command=command,
            digests=digests(self.cases, self.rules),
        )


def anchored(hint: str) -> str:
    """A library's path from the root, so that it means the same elsewhere; the name of a release as it is."""
    return hint if hint == INSTALLED or is_version(hint) else str(Path(hint).absolute())
