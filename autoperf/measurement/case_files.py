"""A user's own cases: of the command line, or of files (stored, handwritten, Python, a hunt's log), on each release."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path

import msgspec

from autoperf.cases.build import BuildResult, Rejection
from autoperf.cases.deduction import Subject, deduced
from autoperf.cases.handwritten import HandwrittenCase, OwnInputs, distinctions, handwritten_cases, with_lists
from autoperf.cases.handwritten_files import is_handwritten, read_handwritten
from autoperf.cases.release import Release
from autoperf.cases.render import Origin, Prepared, renamed, render
from autoperf.cases.selection import Selection, Target, target_of
from autoperf.cases.signatures import CaseChecker
from autoperf.cases.store import MAX_GROUP, CasesHeader, StoredGroups
from autoperf.core.case import Case
from autoperf.core.errors import AutoperfError, CaseFileError, EngineError, UnknownNameError, UsageError
from autoperf.core.events import FindingConfirmed, InputTried
from autoperf.core.files import NDJSON
from autoperf.core.finding import cases_of
from autoperf.core.graph import profile_names
from autoperf.core.operator import Operator
from autoperf.core.outcome import Outcome
from autoperf.core.texts import count
from autoperf.measurement.batches import OperatorBatches, numbered, skipped
from autoperf.measurement.settings import Settings
from autoperf.measurement.side_batches import file_batches, group_batches
from autoperf.measurement.sides import Side, common_name, label_sides, select_operators, targets_by_side
from autoperf.networks.calls import NetworkLabels
from autoperf.networks.captured import merged
from autoperf.registry.names import front_end_paths
from autoperf.rules.categories import CATEGORIES, GROUPS, find_group
from autoperf.rules.front_end import own_names, with_operators_names
from autoperf.rules.rule import Draft
from autoperf.runs.huntlog import LOG, PACKED, is_hunt_log, read_log


@dataclass
class OwnGroup:
    """The cases of one operator, and an outcome for each dtype that MXNet refuses."""

    operator: str
    category: str
    cases: list[Case] = field(default_factory=list)
    skipped: list[Outcome] = field(default_factory=list)


def own_inputs(
    sides: Sequence[Side], selection: Selection, own: OwnInputs, dtypes: Sequence[str], *, backward: bool = True
) -> list[OwnGroup]:
    """A command line's cases of one operator; refused values are skipped, unless all are. Raises AutoperfError."""
    if len(selection.operators) != 1:
        raise UsageError("--input and --param need one operator: name it with --operator NAME")
    written = handwritten_cases(selection.operators[0], own, dtypes)
    refusals: dict[int, EngineError] = {}
    groups = own_groups(sides, written, backward=backward, refusals=refusals)
    for number, error in refusals.items():
        if not groups:
            raise error
        (group,) = groups
        reason = f"{list(distinctions(written))[number]}: {error}"
        refused = skipped(group.operator, group.category, Rejection(group.operator, written[number].profile, reason))
        group.skipped += [refused] * written[number].cases
    return groups


def own_groups(
    sides: Sequence[Side],
    written: Iterable[HandwrittenCase],
    *,
    backward: bool = True,
    refusals: dict[int, EngineError] | None = None,
) -> list[OwnGroup]:
    """The cases by operator, in the order of their first occurrence; for inference where no `backward` pass runs.

    `refusals` gets the errors of inputs that MXNet refuses, by their number, if they aren't to be raised.

    Raises CaseFileError, or the error itself for a command line, for an unknown name, for inputs that MXNet refuses in
    all their dtypes, and for a case that occurs twice. Recorded calls are skipped instead, and counted together; those
    that a program makes most often come first.
    """
    checker = CaseChecker(side.release for side in sides)
    candidates = cache(partial(_candidates, sides))
    groups: dict[str, OwnGroup] = {}
    seen: dict[str, HandwrittenCase] = {}
    for number, given in enumerate(written):
        item = given if backward else replace(given, training=False)
        try:
            name, category, built = _built(sides, candidates(item.operator), checker, item)
            for case in built.cases if not item.calls else ():
                _check_new(case, item, seen)
        except AutoperfError as error:
            if refusals is not None and isinstance(error, EngineError):
                refusals[number] = error
                continue
            raise CaseFileError(f"{item.place}: {error}") if item.place else error from None
        group = groups.setdefault(name, OwnGroup(name, category))
        numbers = {"calls": dict(item.calls), "network_calls": dict(item.all_calls)} if item.calls else {}
        group.cases += (msgspec.structs.replace(case, **numbers) for case in built.cases)
        group.skipped += (skipped(name, category, rejection) for rejection in built.rejections)
    return [_merged(group) for group in groups.values()]


def _merged(group: OwnGroup) -> OwnGroup:
    """The group with equal recorded calls as one, those that are made most often first."""
    if not any(case.calls for case in group.cases):
        return group
    return replace(group, cases=sorted(merged(group.cases), key=lambda case: -sum((case.calls or {}).values())))


def _check_new(case: Case, written: HandwrittenCase, seen: dict[str, HandwrittenCase]) -> None:
    earlier = seen.get(case.digest)
    if earlier is written:
        raise UsageError(f"these inputs are the same in {' and '.join(written.dtypes)}: give one dtype")
    if earlier:
        where = f"in {earlier.place}" if earlier.place else "given twice"
        raise UsageError(f"the same inputs of {case.operator} are {where}: give them once")
    seen[case.digest] = written


def _built(
    sides: Sequence[Side], targets: list[tuple[Side, Target]], checker: CaseChecker, written: HandwrittenCase
) -> tuple[str, str, BuildResult]:
    """Name, category and cases, by the first side that accepts them; a recorded call that is refused is a rejection."""
    target = targets[0][1]
    candidates = [(side, candidate) for side, candidate in targets if not candidate.excluded]
    if not candidates:
        raise UsageError(f"{target.operator.name} can't be measured: {target.reason}")
    name = common_name(target.operator, sides)
    written = _by_operators_names(written, target.operator)
    checker.check_names(target.operator.name, (*written.inputs, *written.absent), written.params)
    refusals: list[AutoperfError] = []
    for side, candidate in candidates:
        subject = Subject(candidate.operator, candidate.rule, side.release.client)
        try:
            return name, subject.category, renamed(deduced(written, subject), name)
        except (EngineError, UsageError) as error:
            refusals.append(error)
    if not (written.calls and isinstance(refusals[0], EngineError)):
        raise refusals[0]
    rejection = Rejection(name, written.profile, f"{written.place}: {refusals[0]}")
    return name, subject.category, BuildResult([], [rejection])


def _by_operators_names(written: HandwrittenCase, operator: Operator) -> HandwrittenCase:
    """The case with the operator's names of arguments, which functions as `np.swapaxes` change. Raises UsageError."""
    path = (front_end_paths(written.operator) or [written.operator])[-1]
    # Recorded calls may have their tensors by position alone.
    places = {str(place): tensor.name for place, tensor in enumerate(operator.tensors)}
    given_names = [*(places.get(name, name) for name in written.inputs), *written.params]
    for name in given_names:
        if given_names.count(name) > 1:
            raise UsageError(f"{name} of {operator.name} is given twice, as inputs or as an input and a parameter")
    written = replace(written, inputs={places.get(name, name): given for name, given in written.inputs.items()})
    known = {tensor.name for tensor in operator.tensors} | {parameter.name for parameter in operator.parameters}
    given = with_operators_names(path, {**written.inputs, **written.params}, known)
    lists = {name: value for name, value in given.items() if isinstance(value, tuple) and value}
    of_tensors = {name for name, value in lists.items() if all(isinstance(member, Draft) for member in value)}
    tensors = {name: value for name, value in given.items() if isinstance(value, Draft) or name in of_tensors}
    params = {name: value for name, value in given.items() if name not in tensors}
    own = own_names(path)
    absent = tuple(name if name in known else own.get(name, name) for name in written.absent)
    return replace(written, inputs=with_lists(tensors), params=params, absent=absent)


def _candidates(sides: Sequence[Side], name: str) -> list[tuple[Side, Target]]:
    """The sides that have this operator, those with a rule first. Raises UnknownNameError and UsageError."""
    by_side = targets_by_side(sides, Selection(operators=(name,)))
    for selected in by_side:
        if len(selected) > 1:
            raise UsageError(f"own inputs need one operator, but {name} selects {len(selected)}")
    pairs = [(side, target) for side, selected in zip(sides, by_side, strict=True) for target in selected]
    return sorted(pairs, key=lambda pair: pair[1].rule is None)


IN_FOLDERS = (".py", ".yaml", ".yml", ".toml")
"""The files of cases in a folder; `cases.ndjson` is left out, since a suite's Python files have the same cases."""

MAX_FILES = 10_000
"""The files of cases in a folder."""


@dataclass(frozen=True)
class PlannedCases:
    """The number of cases, and functions that make their batches on demand."""

    cases: int
    batches: tuple[Callable[[], OperatorBatches], ...]


def files_in(paths: Iterable[Path]) -> Iterator[Path]:
    """The files of these paths; a folder stands for its case files that aren't hidden, sorted. Raises CaseFileError."""
    for path in paths:
        if not path.is_dir():
            yield path
            continue
        files: list[Path] = []
        for parent, folders, names in os.walk(path):
            folders[:] = [name for name in folders if not name.startswith(".")]
            found = (Path(parent, name) for name in names if not name.startswith("."))
            files += (file for file in found if file.suffix in IN_FOLDERS and file.is_file())
            if len(files) > MAX_FILES:
                raise CaseFileError(
                    f"{path} has more than {MAX_FILES:,} files of cases: expected the folder of a suite"
                )
        yield from sorted(files)


class Narrowing:
    """Selects cases by operator and profile, and remembers what the files have."""

    def __init__(self, sides: Sequence[Side], selection: Selection, profiles: Iterable[str] | None = None) -> None:
        """Raises UnknownNameError and UsageError if no side has a selected operator."""
        of_rules = tuple(name for name in selection.categories if find_group(name))
        self._categories = frozenset(selection.categories) - {*of_rules}
        """The categories that only cases of files can have, such as `network`."""
        self._named = _names(sides, replace(selection, categories=()))
        self._operators = _names(sides, replace(selection, categories=of_rules)) if of_rules else self._named
        self._takes_rules = bool(of_rules) or not self._categories
        self._profiles = frozenset(profiles or ())
        self._seen_operators, self._seen_profiles, self._seen_categories = set[str](), set[str](), set[str]()

    def keeps(self, case: Case) -> bool:
        """Whether the case is selected."""
        self._seen_operators.add(case.operator)
        self._seen_profiles |= profile_names(case.profile)
        self._seen_categories.add(case.category)
        return self._keeps(case)

    def keeps_group(self, group: OwnGroup) -> OwnGroup:
        """The group with the selected cases."""
        cases = [case for case in group.cases if self.keeps(case)]
        skipped = [outcome for outcome in group.skipped if self._keeps(outcome)]
        return OwnGroup(group.operator, group.category, cases, skipped)

    def check(self, files: Sequence[Path], selected: int) -> None:
        """Raises UnknownNameError for a profile or category that no case has, UsageError if nothing is selected."""
        for category in sorted(self._categories - self._seen_categories):
            raise UnknownNameError("category", category, {*self._seen_categories, *CATEGORIES, *GROUPS})
        for profile in sorted(self._profiles - self._seen_profiles):
            raise UnknownNameError("profile", profile, self._seen_profiles)
        if not selected:
            names = ", ".join(map(str, files)) or "the folder"
            held = ", ".join(sorted(self._seen_operators)[:10])
            raise UsageError(f"no case of {names} is selected: there are cases of {held or 'no operator'}")

    def _keeps(self, case: Case | Outcome) -> bool:
        of_rules = self._takes_rules and (self._operators is None or case.operator in self._operators)
        of_files = case.category in self._categories and (self._named is None or case.operator in self._named)
        profiled = not self._profiles or not self._profiles.isdisjoint(profile_names(case.profile))
        return (of_rules or of_files) and profiled


def _names(sides: Sequence[Side], selection: Selection) -> frozenset[str] | None:
    """The names of the selected operators; None for all. Raises UnknownNameError and UsageError."""
    if selection == Selection():
        return None
    return frozenset(name for choice in select_operators(sides, selection) for name in choice.target.operator.names)


@dataclass(frozen=True)
class OwnCases:
    """A user's own cases: of files, narrowed by a selection and profiles, or inputs of the one selected operator."""

    files: tuple[Path, ...]
    own: OwnInputs
    selection: Selection
    profiles: frozenset[str] | None = None
    dtypes: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.files or self.own)

    def planned(self, sides: tuple[Side, ...], settings: Settings, scratch: Path) -> PlannedCases:
        """The cases as batches on these sides. Raises CaseFileError and UsageError."""
        if self.own:
            return planned_groups(sides, self._inputs(sides, settings))
        return self._files(sides, settings, scratch).planned()

    def groups(self, sides: tuple[Side, ...], settings: Settings, scratch: Path, notices: list[str]) -> list[OwnGroup]:
        """The first side's cases by operator; `notices` tells others and broken lines. Raises as `planned`."""
        if not self.own:
            return cases_by_operator(self._files(sides, settings, scratch).cases(notices))
        groups = self._inputs(sides, settings)
        notices += (f"{refused.operator}: skipped, {refused.reason}" for group in groups for refused in group.skipped)
        return groups

    def _inputs(self, sides: tuple[Side, ...], settings: Settings) -> list[OwnGroup]:
        return own_inputs(sides, self.selection, self.own, self.dtypes, backward=settings.backward)

    def _files(self, sides: tuple[Side, ...], settings: Settings, scratch: Path) -> CaseFiles:
        return CaseFiles(self.files, sides, Narrowing(sides, self.selection, self.profiles), settings, scratch)


@dataclass(frozen=True)
class CaseFiles:
    """Reads files of cases for these sides; Python files within the limits of `settings`."""

    paths: tuple[Path, ...]
    sides: tuple[Side, ...]
    narrowing: Narrowing
    settings: Settings
    scratch: Path

    def planned(self) -> PlannedCases:
        """The selected cases of all files. Raises CaseFileError, and UsageError if there are none."""
        files, labels, refused = self._files(), NetworkLabels(), Counter[str]()
        parts = [self._part(path, refused, [], labels) for path in files]
        total = sum(part.cases for part in parts)
        self.narrowing.check(files, total)
        return PlannedCases(total, tuple(make for part in parts for make in part.batches))

    def cases(self, notices: list[str]) -> Iterator[Case]:
        """The selected cases that the first side runs; `notices` tells others and broken lines. Raises as `planned`."""
        files, selected = self._files(), 0
        for path in files:
            for make in self._part(path, Counter(), notices).batches:
                batch = make()[0]
                selected += batch.size
                skips = Counter(outcome.reason for outcome in batch.skipped).items()
                notices += (f"{path}: {count(size, 'case')} of {batch.operator} skipped: {why}" for why, size in skips)
                yield from (job.case for job in batch.jobs)
        self.narrowing.check(files, selected)

    def _files(self) -> list[Path]:
        files = list(files_in(self.paths))
        if not files:
            raise CaseFileError(
                f"{', '.join(map(str, self.paths))} has no file of cases: expected files that end in "
                f"{', '.join(IN_FOLDERS)}; name others one by one"
            )
        return files

    def _part(
        self, path: Path, refused: Counter[str], unreadable: list[str], labels: NetworkLabels | None = None
    ) -> PlannedCases:
        """The cases of a file, with the calls of networks if there are `labels`.

        `refused` counts the cases that are skipped in all files, which their ids need; `unreadable` gets a message for
        each broken line of a log.
        """
        if path.suffix == ".py":
            batches = file_batches(self.sides, path, self.scratch, self.settings, self.narrowing.keeps)
            size = batches[0].size
            return PlannedCases(size, (lambda: batches,) if size else ())
        own: Iterable[OwnGroup] | None = None
        if path.name == LOG or (path.suffix in (NDJSON, PACKED) and is_hunt_log(path)):
            own = cases_by_operator(filter(self.narrowing.keeps, _logged_cases(path, unreadable)))
        elif is_handwritten(path):
            written = own_groups(self.sides, read_handwritten(path), backward=self.settings.backward)
            own = map(self.narrowing.keeps_group, written)
        if own is not None:
            if labels:
                own = list(own)
                for case in (case for group in own for case in group.cases):
                    labels.add(path, case)
                labels.end_file()
            return planned_groups(self.sides, own, refused, labels)
        stored = self._stored(path, labels)

        def make(number: int) -> OperatorBatches:
            group = stored[number]
            return group_batches(self.sides, list(map(labels.with_calls, group)) if labels else group)

        return PlannedCases(stored.cases, tuple(partial(make, number) for number in range(len(stored))))

    def _stored(self, path: Path, labels: NetworkLabels | None = None) -> StoredGroups:
        checker = CaseChecker(side.release for side in self.sides)

        def check(header: CasesHeader, place: str, case: Case) -> None:
            checker.check_stored(header, place, case)
            if labels:
                labels.add(path, case)

        stored = StoredGroups(path, check=check, keep=self.narrowing.keeps)
        if labels:
            labels.end_file()
        return stored


def planned_groups(
    sides: Sequence[Side],
    groups: Iterable[OwnGroup],
    refused: Counter[str] | None = None,
    labels: NetworkLabels | None = None,
) -> PlannedCases:
    """The cases of handwritten groups, with an outcome for each that is skipped.

    `refused` counts the skipped ones of a plan's earlier groups by id, since each needs one of its own; `labels` has
    the counts of recorded calls in all files.
    """
    seen = Counter[str]() if refused is None else refused

    def make(group: OwnGroup) -> OperatorBatches:
        cases = list(map(labels.with_calls, group.cases)) if labels else group.cases
        return group_batches(sides, cases, tuple(group.skipped), group.operator)

    # Numbered now, since a time budget changes the order in which batches are made, and a resumed run needs the same.
    distinct = (replace(group, skipped=list(numbered(group.skipped, seen))) for group in groups)
    chosen = [part for group in distinct if group.cases or group.skipped for part in _parts(group)]
    total = sum(len(part.cases) + len(part.skipped) for part in chosen)
    return PlannedCases(total, tuple(partial(make, part) for part in chosen))


def _parts(group: OwnGroup) -> Iterator[OwnGroup]:
    """The group in parts of at most MAX_GROUP cases, each with some of its first; the first has the skipped ones."""
    parts = max(1, -(-len(group.cases) // MAX_GROUP))
    for start in range(parts):
        yield replace(group, cases=group.cases[start::parts], skipped=[] if start else group.skipped)


def _logged_cases(path: Path, unreadable: list[str]) -> Iterator[Case]:
    broken: list[str] = []
    for event in read_log(path, broken)[1]:
        if isinstance(event, InputTried):
            yield event.case
        elif isinstance(event, FindingConfirmed):
            yield from cases_of(event.finding)
    unreadable += (f"{text}; the line is left out" for text in broken)


def cases_by_operator(cases: Iterable[Case]) -> list[OwnGroup]:
    """The distinct cases of each operator and category, by their names."""
    distinct = {case.digest: case for case in cases}.values()
    groups: dict[tuple[str, str], OwnGroup] = {}
    for case in distinct:
        groups.setdefault((case.operator, case.category), OwnGroup(case.operator, case.category)).cases.append(case)
    return [group for _, group in sorted(groups.items())]


def own_suite(release: Release, wanted: OwnCases, seed: int, scratch: Path, notices: list[str]) -> Iterator[Prepared]:
    """The rendered file and cases of each operator; `notices` tells what is left out. Raises AutoperfError."""
    (side,) = label_sides([release])
    groups = wanted.groups((side,), Settings(), scratch, notices)
    if any(case.calls for group in groups for case in group.cases):
        notices.append(
            "the suite's functions have no counts of these calls: `run --cases` of the files themselves has them"
        )
    for group in groups:
        origin = Origin(release.registry.mxnet, seed, "a case file", "stored", release.backend.title)
        target = target_of(side.operators[group.operator], release.catalog)
        yield Prepared(target, BuildResult(group.cases), render(group.cases, origin))
