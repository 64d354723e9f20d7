"""The request of a hunt, as stored in its log's header, and its inputs from files."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from autoperf.backends.lookup import MXNET, backend_of
from autoperf.cases.handwritten import OwnInputs
from autoperf.cases.selection import Selection, Target
from autoperf.comparison.groups import captured_calls
from autoperf.core.case import Case
from autoperf.core.errors import UsageError
from autoperf.core.finding import Signal
from autoperf.core.graph import NETWORK
from autoperf.core.texts import count
from autoperf.hunt.instructions import check_countable
from autoperf.hunt.sides import HuntSides, SidesRequest
from autoperf.measurement.case_files import OwnCases
from autoperf.measurement.resumed_run import StoredSources, digests
from autoperf.measurement.run_request import absolute_library
from autoperf.measurement.settings import Settings
from autoperf.measurement.sides import label_sides
from autoperf.reports.layout import grouped

TIME: Signal = "time"
"""The signal of a search that compares times."""


class HuntRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Operators, `budget` in seconds, the minimum slowdown `least`, and the settings of the inputs.

    `elements` is the size of the largest draws; None lets the time that they take decide. `cases` are files and folders
    of cases to try first, of which `profiles` selects some; `own` are those of the command line. `dtypes` are those to
    search; empty means all. `signal` is what the search compares; with `counters`, findings are counted at the end.
    `library` is the build that is searched; `sides` are the two of a hunt between builds, environments or frameworks.
    `digests` identify the source files of cases and rules in a log.
    """

    categories: tuple[str, ...] = ()
    operators: tuple[str, ...] = ()
    namespaces: tuple[str, ...] = ()
    seed: int
    budget: float
    least: float
    elements: int | None = None
    cases: tuple[str, ...] = ()
    own: OwnInputs = OwnInputs()
    profiles: tuple[str, ...] = ()
    dtypes: tuple[str, ...] = ()
    timeout: float
    memory_limit: int | None = None
    ctx: str = "cpu"
    counters: tuple[str, ...] = ()
    signal: Signal = TIME
    rules: tuple[str, ...] = ()
    library: str | None = None
    sides: SidesRequest | None = None
    digests: dict[str, str] = {}

    def located(self) -> HuntRequest:
        """The same request with absolute paths and the files' digests, so that it is resumed from any folder as it was.

        Raises CaseFileError for a folder with too many files of cases.
        """
        cases, rules = (tuple(str(Path(path).absolute()) for path in paths) for paths in (self.cases, self.rules))
        builds = tuple(map(absolute_library, self.sides.libraries if self.sides else ()))
        sides = msgspec.structs.replace(self.sides, libraries=builds) if self.sides else None
        return msgspec.structs.replace(
            self,
            cases=cases,
            rules=rules,
            library=absolute_library(self.library) if self.library else None,
            sides=sides,
            digests=digests(map(Path, cases), map(Path, rules)),
        )

    def check(self) -> None:
        """Raises UsageError for variables with which MXNet can't start, and for counters that can't count."""
        counters = self.counters or (() if self.signal == TIME else (self.signal,))
        check_countable(counters, self.ctx, self.sides.against if self.sides else "")
        for variables in ({}, *(self.sides.environments if self.sides else ())):
            backend_of(MXNET).check({**os.environ, **variables})

    @property
    def hints(self) -> tuple[str | None, ...]:
        """The build of each side; None is the default one."""
        return self.sides.hints if self.sides else (self.library,)

    @property
    def sources(self) -> StoredSources:
        """The options by which code can be named."""
        sides = self.sides or SidesRequest(libraries=(self.library,) if self.library else ())
        return StoredSources(self.cases, self.rules, sides.libraries, sides.environments, against=sides.against)

    @property
    def selection(self) -> Selection:
        """The selected operators."""
        return Selection(self.categories, self.operators, self.namespaces)

    @property
    def settings(self) -> Settings:
        """The settings with which inputs are timed."""
        return Settings(processes=1, timeout=self.timeout, memory_limit=self.memory_limit, ctx=self.ctx)


def recorded_cases(
    request: HuntRequest, searched: HuntSides, scratch: Path, notices: list[str]
) -> dict[str, list[Case]]:
    """The selected cases of the request's files and of its command line, by the names of the operators searched.

    `notices` receives a message for the cases, and lines of logs, that are left out. Raises CaseFileError and
    UsageError.
    """
    sides = tuple(label_sides([searched.searched.release]))
    paths, profiles = tuple(map(Path, request.cases)), frozenset(request.profiles)
    own = OwnCases(paths, request.own, request.selection, profiles, request.dtypes)
    groups = own.groups(sides, request.settings, scratch, notices) if own else ()
    # A whole network has no neighbours.
    cases = [case for group in groups for case in group.cases if case.category != NETWORK]
    # Between two builds, an operator has the name that both know.
    operators = [target.operator for target in searched.targets(request.selection)] if own else []
    names = {name: operator.name for operator in operators for name in operator.names}
    others = Counter(case.operator for case in cases if case.operator not in names)
    notices += (f"{name} is no operator that is searched: {count(n, 'case')} left out" for name, n in others.items())
    found = by_operator(cases, names)
    if request.cases and not found:
        files = ", ".join(map(str, request.cases))
        raise UsageError(f"nothing to search in {files}: none of the selected cases is a call of an operator")
    return found


def by_operator(cases: Iterable[Case], names: Mapping[str, str]) -> dict[str, list[Case]]:
    """Cases by the operator's name in a hunt, to which `names` maps each name; others are left out."""
    known = (case for case in cases if case.operator in names)
    renamed = (msgspec.structs.replace(case, operator=names[case.operator]) for case in known)
    return grouped(renamed, lambda case: case.operator)


def weighted_calls(path: Path) -> list[Case]:
    """The calls of captured networks, with counts. Raises CaseFileError, and UsageError for a file without counts."""
    return [case for case in captured_calls(path, "--weights") if case.category != NETWORK]


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
