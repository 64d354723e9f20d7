"""The options of a run, as stored in its run file's header."""

from __future__ import annotations

import re

import msgspec

from autoperf.cases.build import Recipe
from autoperf.cases.handwritten import OwnInputs
from autoperf.core.errors import UsageError
from autoperf.executor.settings import Settings
from autoperf.pipeline.selection import Selection

_LABEL = re.compile(r"\w[\w.+-]*")


class RunOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The options that determine the cases of a run and their measurement.

    `mxnet` has the releases as given (empty: the default one), `labels` their labels in this run, `label` this file's.
    `own` are the inputs of the command line, `command` made the run, and `digests` identify the source files of cases
    and rules. `frameworks` are as in the request.
    """

    selection: Selection
    recipe: Recipe
    settings: Settings
    cases: tuple[str, ...] = ()
    own: OwnInputs = OwnInputs()
    rules: tuple[str, ...] = ()
    mxnet: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    label: str = ""
    command: str = "run"
    digests: dict[str, str] = {}
    frameworks: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Raises UsageError for invalid paths, and for labels that do not match the releases."""
        for name in (*self.cases, *self.rules, *self.mxnet):
            if "\0" in name:
                raise UsageError(f"invalid path {name!r}: expected no null character")
        for label in self.labels:
            if not _LABEL.fullmatch(label):
                raise UsageError(f"invalid label {label!r}: expected a release")
        releases = max(1, len(self.mxnet), len(self.frameworks))
        if self.command == "run" and self.labels and len(self.labels) != releases:
            raise UsageError(f"invalid labels {', '.join(self.labels)}: expected {releases}, one per release")
        if len(set(self.labels)) != len(self.labels):
            raise UsageError(f"invalid labels {', '.join(self.labels)}: expected each once")
        if self.labels and self.label not in self.labels:
            raise UsageError(f"invalid label {self.label!r}: expected one of {', '.join(self.labels)}")
