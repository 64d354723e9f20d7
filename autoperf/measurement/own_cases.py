"""A user's own cases on the releases of a run, and the same inputs for functions of one name in two namespaces."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import NamedTuple

import msgspec

from autoperf.cases.build import BuildResult, Recipe, Rejection
from autoperf.cases.deduction import Subject, deduced
from autoperf.cases.handwritten import HandwrittenCase, OwnInputs, distinctions, handwritten_cases, with_lists
from autoperf.cases.release import Selection, Target, target_of
from autoperf.cases.render import renamed
from autoperf.cases.signatures import CaseChecker
from autoperf.core.case import Case, Counterpart
from autoperf.core.errors import AutoperfError, CaseFileError, EngineError, UnknownNameError, UsageError
from autoperf.core.operator import Operator
from autoperf.core.outcome import Outcome, either_open
from autoperf.measurement.batches import Batch, Job, OperatorBatches, by_key, numbered, skipped
from autoperf.measurement.side_batches import group_batches
from autoperf.measurement.sides import Side, common_name, targets_by_side
from autoperf.networks.captured import merged
from autoperf.registry.names import Names, front_end_paths, is_glob
from autoperf.rules.front_end import FRONT_END, own_names, with_operators_names
from autoperf.rules.rule import Draft, InputSpec


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
    """The case of a function of mx.np that has its own names for its arguments, such as `axis1` of `np.swapaxes`."""
    path = (front_end_paths(written.operator) or [written.operator])[-1]
    # Recorded calls may have their tensors by position alone.
    places = {str(place): tensor.name for place, tensor in enumerate(operator.tensors)}
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


# By the name in mx.npx, the name in mx.nd.
LEGACY_NAMES: Mapping[str, str] = {
    "activation": "Activation",
    "batch_norm": "BatchNorm",
    "convolution": "Convolution",
    "deconvolution": "Deconvolution",
    "dropout": "Dropout",
    "embedding": "Embedding",
    "fully_connected": "FullyConnected",
    "group_norm": "GroupNorm",
    "instance_norm": "InstanceNorm",
    "layer_norm": "LayerNorm",
    "leaky_relu": "LeakyReLU",
    "pooling": "Pooling",
    "rnn": "RNN",
    "sequence_last": "SequenceLast",
    "sequence_mask": "SequenceMask",
    "sequence_reverse": "SequenceReverse",
    "slice_channel": "SliceChannel",
}
_EXTENSION_NAMES = {legacy: extension for extension, legacy in LEGACY_NAMES.items()}


class NamespaceFunction(NamedTuple):
    """A function's path, such as `nd.BatchNorm`, and its operator."""

    path: str
    operator: Operator


def function_in(names: Names, namespace: str, name: str) -> NamespaceFunction:
    """The function of this name, or else of its other name, in nd, np, npx or sym.

    Raises UnknownNameError if there is neither, UsageError for a function that calls several operators, or none.
    """
    other = LEGACY_NAMES.get(name) or _EXTENSION_NAMES.get(name)
    spellings = (name, other) if other else (name,)
    attempts = [_function(names, f"{namespace}.{spelling}") for spelling in spellings]
    function = next((attempt for attempt in attempts if isinstance(attempt, NamespaceFunction)), attempts[0])
    if isinstance(function, AutoperfError):
        raise function
    return function


def _function(names: Names, path: str) -> NamespaceFunction | AutoperfError:
    try:
        match = names.resolve(path)
    except (UnknownNameError, UsageError) as refusal:
        return refusal
    return NamespaceFunction(path, match.operator)


NAMESPACES = ("nd", "np", "npx", "sym")
_PAIR = 2


@dataclass(frozen=True)
class CounterpartRequest:
    """Two namespaces, the names of functions in both, and the inputs: own ones, or the canonical ones of the first."""

    namespaces: tuple[str, str]
    names: tuple[str, ...]
    own: OwnInputs
    recipe: Recipe

    def written(self, sides: Sequence[Side], name: str) -> Iterator[tuple[HandwrittenCase, HandwrittenCase]]:
        """The call of both functions, for each input. Raises UnknownNameError and UsageError."""
        first, second = (_target(side, space, name) for side, space in zip(sides, self.namespaces, strict=True))
        pairs = zip(first.operator.tensors, second.operator.tensors, strict=False)
        names = {tensor.name: other.name for tensor, other in pairs}
        for call in self._calls(first):
            renamed = {names.get(tensor, tensor): draft for tensor, draft in call.inputs.items()}
            yield call, replace(call, operator=second.operator.name, inputs=renamed)

    def _calls(self, target: Target) -> list[HandwrittenCase]:
        operator = target.operator.name
        if self.own:
            return handwritten_cases(operator, self.own, self.recipe.dtypes)
        if target.rule is None:
            raise UsageError(f"{operator} can't be measured: {target.reason}; give its inputs (--input)")
        canonical = target.rule.canonical(InputSpec(target.operator, target.rule.dtype))
        calls = [
            HandwrittenCase(operator, call.tensors, call.params, self.recipe.dtypes, profile)
            for profile, call in canonical.items()
            if self.recipe.includes(profile)
        ]
        if not calls:
            raise UnknownNameError("profile", ",".join(sorted(self.recipe.profiles or ())), (), canonical)
        return calls


def check_namespaces(namespaces: Sequence[str], names: Sequence[str]) -> tuple[str, str]:
    """The two namespaces. Raises UsageError for any other number or name, and for functions given by paths or globs."""
    if len(set(namespaces)) != _PAIR or not set(namespaces) <= set(NAMESPACES):
        raise UsageError(f"invalid --front-ends {','.join(namespaces)}: expected two of {', '.join(NAMESPACES)}")
    if not names or any("." in name or is_glob(name) for name in names):
        raise UsageError("--front-ends needs names of functions in both: --operator add")
    first, second = namespaces
    return first, second


def counterpart_batches(sides: Sequence[Side], request: CounterpartRequest, name: str) -> OperatorBatches:
    """The jobs of one name on each side. Raises AutoperfError if one of the functions takes none of the inputs."""
    pairs = list(request.written(sides, name))
    base, new = (_batch(side, [pair[number] for pair in pairs]) for number, side in enumerate(sides))
    if request.own:
        _check_distinct(base)
    others = by_key(base.jobs, inputs_key)
    jobs = (_paired(job, others.get(key)) for key, job in by_key(new.jobs, inputs_key).items())
    return base, replace(new, jobs=tuple(jobs))


def _paired(job: Job, other: Job | None) -> Job:
    """The job of a case that draws the contents of another function's, with the same properties."""
    if other is None:
        return job
    pairs = list(zip(job.case.inputs, other.case.inputs, strict=True))
    inputs = tuple(msgspec.structs.replace(own, tensor=given.tensor) for own, given in pairs)
    counterpart = Counterpart(other.case.digest, {own.name: given.name for own, given in pairs})
    case = msgspec.structs.replace(job.case, inputs=inputs, counterpart=counterpart)
    return msgspec.structs.replace(job, case=case, open=either_open(other.open, job.open))


def _check_distinct(batch: Batch) -> None:
    """Raises UsageError for inputs that are given twice, which a run file can't tell apart."""
    if len({job.case.id for job in batch.jobs}) < len(batch.jobs):
        raise UsageError(f"the same inputs of {batch.operator} are given twice: give them once")


def _batch(side: Side, written: Sequence[HandwrittenCase]) -> Batch:
    cases: list[Case] = []
    outcomes: list[Outcome] = []
    refusals: list[tuple[HandwrittenCase, AutoperfError]] = []
    for call in written:
        group = _group(side, call)
        if isinstance(group, AutoperfError):
            refusals.append((call, group))
        else:
            cases += group.cases
            outcomes += group.skipped
    if not cases:
        raise refusals[0][1]
    outcomes += (outcome for call, error in refusals for outcome in _refused(cases[0], call, error))
    (batch,) = group_batches([side], cases, tuple(numbered(outcomes)))
    return batch


def _refused(accepted: Case, call: HandwrittenCase, error: AutoperfError) -> Iterator[Outcome]:
    """The outcomes of a call that the function of an accepted one refuses, one for each dtype."""
    rejection = Rejection(accepted.operator, call.profile, str(error))
    return itertools.repeat(skipped(accepted.operator, accepted.category, rejection), call.cases)


def _group(side: Side, call: HandwrittenCase) -> OwnGroup | AutoperfError:
    try:
        (group,) = own_groups([side], [call])
    except AutoperfError as error:
        return error
    return group


def _target(side: Side, namespace: str, name: str) -> Target:
    function = function_in(Names(side.release.registry, FRONT_END), namespace, name)
    return target_of(function.operator, side.release.catalog)


def inputs_key(case: Case) -> tuple[object, ...]:
    """The profile, the shapes and dtypes of the inputs, and the parameters, which both functions share."""
    tensors = tuple((item.tensor.shape, item.tensor.dtype) for item in case.inputs)
    return case.profile, tensors, tuple(sorted((name, repr(value)) for name, value in case.params.items()))
