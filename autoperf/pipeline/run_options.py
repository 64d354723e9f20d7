"""What a run was asked for, as its run file's header keeps it."""

from __future__ import annotations

import re

import msgspec

from autoperf.cases.build import Recipe
from autoperf.core.errors import UsageError
from autoperf.executor.settings import Settings
from autoperf.pipeline.selection import Selection

_LABEL = re.compile(r"\w[\w.+-]*")


class RunOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What a run was asked for, as its header keeps it: what decides which cases there are, and how each is measured.

    `mxnet` has the releases as they were named (none: the default one), `labels` what each of them is called in this
    run, and `label` which of them this file is for. `command` is the command that asked; `digests` are of the files
    that cases or rules come from.
    """

    selection: Selection
    recipe: Recipe
    settings: Settings
    cases: str | None = None
    rules: tuple[str, ...] = ()
    mxnet: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    label: str = ""
    command: str = "run"
    digests: dict[str, str] = {}

    def __post_init__(self) -> None:
        """Raises UsageError for names that no file has, and for labels that don't fit the releases."""
        for name in (self.cases or "", *self.rules, *self.mxnet):
            if "\0" in name:
                raise UsageError(f"{name!r} is no path")
        for label in self.labels:
            if not _LABEL.fullmatch(label):
                raise UsageError(f"labels has {label!r}, which is no release's")
        releases = max(1, len(self.mxnet))
        if self.command == "run" and self.labels and len(self.labels) != releases:
            raise UsageError(f"labels has {', '.join(self.labels)}, but the run was one of {releases} releases")
        if len(set(self.labels)) != len(self.labels):
            raise UsageError(f"labels has one of {', '.join(self.labels)} twice")
        if self.labels and self.label not in self.labels:
            raise UsageError(f"label is {self.label!r}, which is none of the labels {', '.join(self.labels)}")
