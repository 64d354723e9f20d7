"""Handwritten cases on the releases of a run: their operators are resolved, their names checked, the rest deduced."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import msgspec

from autoperf.cases.build import BuildResult, Rejection
from autoperf.cases.deduction import Subject, deduced
from autoperf.cases.handwritten import HandwrittenCase, OwnInputs, handwritten_cases
from autoperf.core.case import Case
from autoperf.core.errors import AutoperfError, CaseFileError, EngineError, UnknownNameError, UsageError
from autoperf.core.outcome import Outcome, Status
from autoperf.pipeline.selection import Selection, Target, target_of
from autoperf.pipeline.sides import Side, common_name
from autoperf.pipeline.signatures import CaseChecker
from autoperf.registry.names import Names
from autoperf.rules.front_end import FRONT_END


@dataclass
class OwnGroup:
    """The cases of one operator, and an outcome for each dtype that MXNet refuses."""

    operator: str
    category: str
    cases: list[Case] = field(default_factory=list)
    skipped: list[Outcome] = field(default_factory=list)


def own_inputs(sides: Sequence[Side], selection: Selection, own: OwnInputs, dtypes: Sequence[str]) -> list[OwnGroup]:
    """The cases of a command line, all of the one selected operator. Raises AutoperfError for invalid inputs."""
    if len(selection.operators) != 1:
        raise UsageError("--input and --param need one operator: name it with --operator NAME")
    return own_groups(sides, handwritten_cases(selection.operators[0], own, dtypes))


def own_groups(sides: Sequence[Side], written: Iterable[HandwrittenCase]) -> list[OwnGroup]:
    """The cases by operator, in the order of their first occurrence.

    Raises CaseFileError, or the error itself for a command line, for an unknown name, for inputs that MXNet refuses in
    all their dtypes, and for a case that occurs twice.
    """
    checker = CaseChecker(side.release for side in sides)
    groups: dict[str, OwnGroup] = {}
    seen: dict[str, HandwrittenCase] = {}
    for item in written:
        try:
            name, category, built = _built(sides, checker, item)
            group = groups.setdefault(name, OwnGroup(name, category))
            for case in built.cases:
                _check_new(case, item, seen)
        except AutoperfError as error:
            raise _located(item, error) from None
        group.cases += built.cases
        group.skipped += (_skipped(rejection, group) for rejection in built.rejections)
    return list(groups.values())


def _located(written: HandwrittenCase, error: AutoperfError) -> AutoperfError:
    return CaseFileError(f"{written.place}: {error}") if written.place else error


def _check_new(case: Case, written: HandwrittenCase, seen: dict[str, HandwrittenCase]) -> None:
    """Raises UsageError for a case that was given before."""
    earlier = seen.get(case.digest)
    if earlier is written:
        raise UsageError(f"these inputs are the same in {' and '.join(written.dtypes)}: give one dtype")
    if earlier:
        where = f"in {earlier.place}" if earlier.place else "given twice"
        raise UsageError(f"the same inputs of {case.operator} are {where}: give them once")
    seen[case.digest] = written


def _built(sides: Sequence[Side], checker: CaseChecker, written: HandwrittenCase) -> tuple[str, str, BuildResult]:
    """The operator's name on these sides, its category, and the cases, by the first side that accepts them."""
    targets = _candidates(sides, written.operator)
    target = targets[0][1]
    candidates = [(side, candidate) for side, candidate in targets if not candidate.excluded]
    if not candidates:
        raise UsageError(f"{target.operator.name} can't be measured: {target.reason}")
    name = common_name(target.operator, sides)
    checker.check_names(target.operator.name, written.inputs, written.params)
    refusals: list[AutoperfError] = []
    for side, candidate in candidates:
        subject = Subject(candidate.operator, candidate.rule, side.release.client)
        try:
            built = deduced(written, subject)
        except (EngineError, UsageError) as error:
            refusals.append(error)
        else:
            cases = [msgspec.structs.replace(case, operator=name) for case in built.cases]
            return name, subject.category, replace(built, cases=cases)
    raise refusals[0]


def _candidates(sides: Sequence[Side], name: str) -> list[tuple[Side, Target]]:
    """The sides that have this operator, those with a rule first. Raises UnknownNameError and UsageError."""
    targets: list[tuple[Side, Target]] = []
    unknown: list[UnknownNameError] = []
    for side in sides:
        try:
            operators = Names(side.release.registry, FRONT_END).select((name,))
        except UnknownNameError as error:
            unknown.append(error)
            continue
        if len(operators) != 1:
            raise UsageError(f"own inputs need one operator, but {name} selects {len(operators)}")
        targets.append((side, target_of(operators[0], side.release.catalog)))
    if not targets:
        raise unknown[0]
    return sorted(targets, key=lambda pair: pair[1].rule is None)


def _skipped(rejection: Rejection, group: OwnGroup) -> Outcome:
    return Outcome(
        case=f"{group.operator}/{rejection.profile}",
        operator=group.operator,
        category=group.category,
        profile=rejection.profile,
        status=Status.SKIPPED,
        reason=rejection.reason,
    )
