"""Functions of one name in two namespaces, such as nd.add and np.add: the same inputs for both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import msgspec

from autoperf.cases.build import Recipe, Rejection
from autoperf.cases.handwritten import HandwrittenCase, OwnInputs, handwritten_cases
from autoperf.cases.selection import Target, target_of
from autoperf.core.case import Case, Counterpart
from autoperf.core.errors import AutoperfError, UnknownNameError, UsageError
from autoperf.core.operator import Operator
from autoperf.core.outcome import Outcome, either_open
from autoperf.measurement.batches import Batch, Job, OperatorBatches, by_key, numbered, skipped
from autoperf.measurement.case_files import OwnGroup, own_groups
from autoperf.measurement.side_batches import group_batches
from autoperf.measurement.sides import Side
from autoperf.registry.names import Names, is_glob
from autoperf.rules.front_end import FRONT_END
from autoperf.rules.rule import InputSpec

# By the name in mx.npx, the name in mx.nd, which most operators have in camel case.
LEGACY_NAMES: Mapping[str, str] = {"leaky_relu": "LeakyReLU", "rnn": "RNN"} | {
    name: name.title().replace("_", "")
    for name in (
        *("activation", "batch_norm", "convolution", "deconvolution", "dropout", "embedding", "fully_connected"),
        *("group_norm", "instance_norm", "layer_norm", "pooling", "sequence_last", "sequence_mask"),
        *("sequence_reverse", "slice_channel"),
    )
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
    refusals: list[AutoperfError] = []
    for spelling in (name, other) if other else (name,):
        path = f"{namespace}.{spelling}"
        try:
            return NamespaceFunction(path, names.resolve(path).operator)
        except (UnknownNameError, UsageError) as refusal:
            refusals.append(refusal)
    raise refusals[0]


NAMESPACES = ("nd", "np", "npx", "sym")


@dataclass(frozen=True)
class CounterpartRequest:
    """Two namespaces, and the inputs of functions in both: own ones, or the canonical ones of the first."""

    namespaces: tuple[str, str]
    own: OwnInputs
    recipe: Recipe

    def written(self, sides: Sequence[Side], name: str) -> Iterator[tuple[HandwrittenCase, HandwrittenCase]]:
        """The call of both functions, for each input. Raises UnknownNameError and UsageError."""
        first, second = (
            target_of(function_in(Names(side.release.registry, FRONT_END), space, name).operator, side.release.catalog)
            for side, space in zip(sides, self.namespaces, strict=True)
        )
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
    if len(set(namespaces)) != 2 or not set(namespaces) <= set(NAMESPACES):
        raise UsageError(f"invalid --front-ends {','.join(namespaces)}: expected two of {', '.join(NAMESPACES)}")
    if not names or any("." in name or is_glob(name) for name in names):
        raise UsageError("--front-ends needs names of functions in both: --operator add")
    first, second = namespaces
    return first, second


def counterpart_batches(sides: Sequence[Side], request: CounterpartRequest, name: str) -> OperatorBatches:
    """The jobs of one name on each side. Raises AutoperfError if one of the functions takes none of the inputs."""
    pairs = list(request.written(sides, name))
    base, new = (_batch(side, [pair[number] for pair in pairs]) for number, side in enumerate(sides))
    # A run file can't tell them apart.
    if request.own and len({job.case.id for job in base.jobs}) < len(base.jobs):
        raise UsageError(f"the same inputs of {base.operator} are given twice: give them once")
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
    for call, error in refusals:
        rejection = Rejection(cases[0].operator, call.profile, str(error))
        outcomes += [skipped(cases[0].operator, cases[0].category, rejection)] * call.cases
    (batch,) = group_batches([side], cases, tuple(numbered(outcomes)))
    return batch


def _group(side: Side, call: HandwrittenCase) -> OwnGroup | AutoperfError:
    try:
        return own_groups([side], [call])[0]
    except AutoperfError as error:
        return error


def inputs_key(case: Case) -> tuple[object, ...]:
    """The profile, the shapes and dtypes of the inputs, and the parameters, which both functions share."""
    tensors = tuple((item.tensor.shape, item.tensor.dtype) for item in case.inputs)
    return case.profile, tensors, tuple(sorted((name, repr(value)) for name, value in case.params.items()))
