"""Suites of a user's own cases: of files, and of the command line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from autoperf.cases.build import BuildResult
from autoperf.cases.handwritten import OwnInputs
from autoperf.core.case import Case
from autoperf.core.outcome import Outcome
from autoperf.executor.settings import Settings
from autoperf.generator.render import Origin, render
from autoperf.pipeline.case_files import CaseFiles, Narrowing
from autoperf.pipeline.own_cases import own_inputs
from autoperf.pipeline.release import Release
from autoperf.pipeline.selection import Selection, target_of
from autoperf.pipeline.sides import Side, label_sides
from autoperf.pipeline.suite_generation import Prepared


@dataclass(frozen=True)
class OwnCases:
    """Which cases: of files, narrowed by a selection and profiles, or inputs of the one selected operator."""

    files: tuple[Path, ...]
    own: OwnInputs
    selection: Selection
    profiles: frozenset[str] | None = None
    dtypes: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.files or self.own)

    def read(self, side: Side, scratch: Path, notices: list[str]) -> list[Case]:
        """The cases; `notices` gets a message for each that is left out. Raises CaseFileError and UsageError."""
        if self.own:
            groups = own_inputs([side], self.selection, self.own, self.dtypes)
            notices += (_left_out(outcome) for group in groups for outcome in group.skipped)
            return [case for group in groups for case in group.cases]
        narrowing = Narrowing([side], self.selection, self.profiles)
        return list(CaseFiles(self.files, (side,), narrowing, Settings(), scratch).cases(notices))


def own_suite(release: Release, wanted: OwnCases, seed: int, scratch: Path, notices: list[str]) -> Iterator[Prepared]:
    """The rendered file of each operator, and its cases. Raises CaseFileError and UsageError."""
    (side,) = label_sides([release])
    for (name, _), cases in _by_operator(wanted.read(side, scratch, notices)):
        rendered = render(cases, Origin(release.registry.mxnet, seed, "a case file", "stored", release.backend.title))
        target = target_of(side.operators[name], release.catalog)
        yield Prepared(target, BuildResult(cases), rendered)


def _left_out(outcome: Outcome) -> str:
    return f"  {outcome.operator}: skipped, {outcome.reason}"


def _by_operator(cases: Iterable[Case]) -> Iterator[tuple[tuple[str, str], list[Case]]]:
    """The distinct cases of each operator and category."""
    distinct = {case.digest: case for case in cases}
    for key, members in groupby(sorted(distinct.values(), key=_file_key), key=_file_key):
        yield key, list(members)


def _file_key(case: Case) -> tuple[str, str]:
    return case.operator, case.category
