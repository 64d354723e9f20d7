"""The inputs of a hunt from files: recorded cases, and the log of an interrupted hunt."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import msgspec

from autoperf.cases.store import StoredGroups
from autoperf.core.case import Case
from autoperf.hunt.replay import Logged
from autoperf.pipeline.release import Release
from autoperf.pipeline.signatures import CaseChecker
from autoperf.results.huntfile import LOG
from autoperf.results.huntlog import PairLine, ResumableHunt, SearchedLine, TriedLine, read_log


def recorded_cases(file: str | None, release: Release, unreadable: list[str]) -> dict[str, list[Case]]:
    """The cases of a case file, or those that another hunt has tried, by operator.

    `unreadable` receives a message for each line of a log that is left out. Raises CaseFileError.
    """
    if file is None:
        return {}
    names = {name: operator.name for operator in release.registry.operators for name in operator.names}
    return by_operator(_cases_in(Path(file), CaseChecker([release]), unreadable), names)


def by_operator(cases: Iterable[Case], names: Mapping[str, str]) -> dict[str, list[Case]]:
    """Cases by canonical operator name; `names` maps each name to it, and cases of other operators are dropped."""
    grouped: dict[str, list[Case]] = defaultdict(list)
    for case in cases:
        if name := names.get(case.operator):
            grouped[name].append(msgspec.structs.replace(case, operator=name))
    return dict(grouped)


def logged_answers(begun: ResumableHunt) -> dict[str, list[Logged]]:
    """The logged timings of operators whose search was interrupted. Raises CaseFileError."""
    answers: dict[str, list[Logged]] = defaultdict(list)
    for event in begun.events():
        if isinstance(event, TriedLine | PairLine):
            answers[event.operator].append(event)
        elif isinstance(event, SearchedLine) and event.searched.ended != "interrupted":
            answers.pop(event.searched.operator, None)
    return dict(answers)


def _cases_in(path: Path, checker: CaseChecker, unreadable: list[str]) -> Iterator[Case]:
    if path.name == LOG:
        yield from (event.case for event in read_log(path, unreadable)[1] if isinstance(event, TriedLine))
        return
    groups = StoredGroups(path, check=checker.check_stored)
    yield from (case for number in range(len(groups)) for case in groups[number])
