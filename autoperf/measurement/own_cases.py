"""Handwritten cases on the releases of a run: their operators are resolved, their names checked, the rest deduced."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial

import msgspec

from autoperf.cases.build import BuildResult, Rejection
from autoperf.cases.deduction import Subject, deduced
from autoperf.cases.handwritten import HandwrittenCase, OwnInputs, distinctions, handwritten_cases, with_lists
from autoperf.cases.selection import Selection, Target
from autoperf.cases.signatures import CaseChecker
from autoperf.cases.suite_generation import renamed
from autoperf.core.case import Case
from autoperf.core.errors import AutoperfError, CaseFileError, EngineError, UsageError
from autoperf.core.operator import Operator
from autoperf.core.outcome import Outcome
from autoperf.measurement.batches import skipped
from autoperf.measurement.sides import Side, common_name, targets_by_side
from autoperf.networks.captured import merged
from autoperf.registry.names import front_end_paths
from autoperf.rules.front_end import own_names, with_operators_names
from autoperf.rules.rule import Draft


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
    """The cases of a command line, all of the one selected operator. Raises AutoperfError for invalid inputs.

    Of several combinations of values, those that MXNet refuses are skipped, unless it refuses all.
    """
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
        group.cases += (_counted(case, item) for case in built.cases)
        group.skipped += (skipped(name, category, rejection) for rejection in built.rejections)
    return [_merged(group) for group in groups.values()]


def _merged(group: OwnGroup) -> OwnGroup:
    """The group with equal recorded calls as one, those that are made most often first."""
    if not any(case.calls for case in group.cases):
        return group
    return replace(group, cases=sorted(merged(group.cases), key=lambda case: -sum((case.calls or {}).values())))


def _counted(case: Case, written: HandwrittenCase) -> Case:
    if not written.calls:
        return case
    return msgspec.structs.replace(case, calls=dict(written.calls), network_calls=dict(written.all_calls))


def _check_new(case: Case, written: HandwrittenCase, seen: dict[str, HandwrittenCase]) -> None:
    """Raises UsageError for a case that was given before."""
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
    """The operator's name on these sides, its category, and the cases, by the first side that accepts them.

    A recorded call that MXNet refuses is a rejection.
    """
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
    """The case of a function of mx.np that has its own names for its arguments, such as `axis1` of `np.swapaxes`.

    Raises UsageError for a name that is given twice.
    """
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
    tensors = {name: value for name, value in given.items() if isinstance(value, Draft) or _is_list_of_tensors(value)}
    params = {name: value for name, value in given.items() if name not in tensors}
    own = own_names(path)
    absent = tuple(name if name in known else own.get(name, name) for name in written.absent)
    return replace(written, inputs=with_lists(tensors), params=params, absent=absent)


def _is_list_of_tensors(value: object) -> bool:
    return isinstance(value, tuple) and bool(value) and all(isinstance(member, Draft) for member in value)


def _candidates(sides: Sequence[Side], name: str) -> list[tuple[Side, Target]]:
    """The sides that have this operator, those with a rule first. Raises UnknownNameError and UsageError."""
    by_side = targets_by_side(sides, Selection(operators=(name,)))
    for selected in by_side:
        if len(selected) > 1:
            raise UsageError(f"own inputs need one operator, but {name} selects {len(selected)}")
    pairs = [(side, target) for side, selected in zip(sides, by_side, strict=True) for target in selected]
    return sorted(pairs, key=lambda pair: pair[1].rule is None)
