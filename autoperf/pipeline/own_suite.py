"""Suites of a user's own cases: of files, and of the command line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from autoperf.cases.build import BuildResult
from autoperf.executor.settings import Settings
from autoperf.generator.render import Origin, render
from autoperf.pipeline.case_files import OwnCases
from autoperf.pipeline.release import Release
from autoperf.pipeline.selection import target_of
from autoperf.pipeline.sides import label_sides
from autoperf.pipeline.suite_generation import Prepared


def own_suite(release: Release, wanted: OwnCases, seed: int, scratch: Path, notices: list[str]) -> Iterator[Prepared]:
    """The rendered file of each operator, and its cases; `notices` gets a message for each case that is left out.

    Raises CaseFileError and UsageError.
    """
    (side,) = label_sides([release])
    for group in wanted.groups((side,), Settings(), scratch, notices):
        notices += (f"  {outcome.operator}: skipped, {outcome.reason}" for outcome in group.skipped)
        origin = Origin(release.registry.mxnet, seed, "a case file", "stored", release.backend.title)
        target = target_of(side.operators[group.operator], release.catalog)
        yield Prepared(target, BuildResult(group.cases), render(group.cases, origin))
