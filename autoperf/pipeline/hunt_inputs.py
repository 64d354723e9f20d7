"""The inputs of a hunt from files: recorded cases, and the log of an interrupted hunt."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from autoperf.cases.store import StoredGroups
from autoperf.core.case import Case
from autoperf.core.errors import UsageError
from autoperf.core.modes import NETWORK
from autoperf.hunt.timings import Logged
from autoperf.pipeline.case_files import OwnCases
from autoperf.pipeline.hunt_request import HuntRequest
from autoperf.pipeline.release import Release
from autoperf.pipeline.selection import Target
from autoperf.pipeline.sides import label_sides
from autoperf.results.hunt_writer import ResumableHunt
from autoperf.results.huntlog import PairLine, SearchedLine, TriedLine


def recorded_cases(
    request: HuntRequest, release: Release, scratch: Path, unreadable: list[str]
) -> dict[str, list[Case]]:
    """The selected cases of the request's files and of its command line, by operator.

    `unreadable` receives a message for each line of a log that is left out. Raises CaseFileError and UsageError.
    """
    sides = tuple(label_sides([release]))
    paths, profiles = tuple(map(Path, request.cases)), frozenset(request.profiles)
    own = OwnCases(paths, request.own, request.selection, profiles, request.dtypes)
    groups = own.groups(sides, request.settings, scratch, unreadable) if own else ()
    # A whole network has no neighbours.
    cases = (case for group in groups for case in group.cases if case.category != NETWORK)
    names = {name: operator.name for operator in release.registry.operators for name in operator.names}
    grouped = by_operator(cases, names)
    if request.cases and not grouped:
        files = ", ".join(map(str, request.cases))
        raise UsageError(f"nothing to search in {files}: none of the selected cases is a call of an operator")
    return grouped


def by_operator(cases: Iterable[Case], names: Mapping[str, str]) -> dict[str, list[Case]]:
    """Cases by canonical operator name; `names` maps each name to it, and cases of other operators are dropped."""
    grouped: dict[str, list[Case]] = defaultdict(list)
    for case in cases:
        if name := names.get(case.operator):
            grouped[name].append(msgspec.structs.replace(case, operator=name))
    return dict(grouped)


def weighted_calls(path: Path) -> list[Case]:
    """The calls of operators in a file of captured networks, with their counts.

    Raises CaseFileError, and UsageError for a file without counts.
    """
    calls = [case for group in StoredGroups(path) for case in group if case.calls and case.category != NETWORK]
    if not calls:
        raise UsageError(f"invalid --weights {path}: no case has a count of calls; `autoperf capture` writes them")
    return calls


def logged_answers(resumed: ResumableHunt) -> dict[str, list[Logged]]:
    """The logged timings of operators whose search was interrupted. Raises CaseFileError."""
    answers: dict[str, list[Logged]] = defaultdict(list)
    for event in resumed.events():
        if isinstance(event, TriedLine | PairLine):
            answers[event.operator].append(event)
        elif isinstance(event, SearchedLine) and event.searched.ended != "interrupted":
            answers.pop(event.searched.operator, None)
    return dict(answers)


def in_dtypes(target: Target, dtypes: Sequence[str]) -> Target:
    """The target with a rule for these dtypes, of which the first is its natural one; empty means as it is.

    Raises UsageError if MXNet doesn't check dtypes and the operator takes none of these.
    """
    rule = target.rule
    if rule is None or not dtypes:
        return target
    taken = tuple(dtype for dtype in dtypes if not rule.dtypes or dtype in rule.dtypes)
    if not taken:
        raise UsageError(f"invalid --dtype {','.join(dtypes)}: {target.operator.name} takes {', '.join(rule.dtypes)}")
    return replace(target, rule=replace(rule, dtype=taken[0], dtypes=taken))
