"""The results of a case (outputs, updated inputs, gradients from drawn head gradients), and their comparison."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np

from autoperf.backends.contents import contents_of, drawn_heads, storage_dtype
from autoperf.backends.passes import backward, forward, release
from autoperf.backends.protocol import Array, BackwardRequest, PreparedCall, Program
from autoperf.core.case import FILE, Case
from autoperf.core.errors import EngineError
from autoperf.core.operator import Operator, TensorKind
from autoperf.core.outcome import (
    DTYPE,
    GRADIENT,
    OUTPUT,
    PRESENCE,
    STORAGE,
    UPDATED,
    OpenResults,
    PassName,
    ResultDifference,
    ResultPrint,
)
from autoperf.core.tensors import ArrayType, Storage
from autoperf.equality.comparison import (
    TOLERANCES,
    HowCompared,
    Operand,
    compare_results,
    compared_names,
    has_same_bytes,
    output_names,
    sources_of,
)
from autoperf.equality.comparison import difference as array_difference
from autoperf.equality.fingerprint import print_of
from autoperf.implementations.expressions import as_compared, input_names
from autoperf.implementations.implementation import Implementation
from autoperf.implementations.lookup import arguments

_OUTPUT, _SOURCES, _STORAGES, _DTYPES = "output ", "sources", "storages", "dtypes"
_NARROW = "bfloat16"


class CaseResults(NamedTuple):
    """The outputs with their types, and by name the gradients, and the inputs that it updates besides its outputs.

    bfloat16 comes as float32, sparse arrays as dense ones. `views` are the passes that return views; `sources` has the
    sizes and magnitudes of the inputs, `storages` how the outputs are stored.
    """

    outputs: list[Array]
    types: tuple[ArrayType, ...]
    gradients: dict[str, Array]
    updated: dict[str, Array]
    views: tuple[PassName, ...] = ()
    sources: tuple[Operand, ...] = ()
    storages: tuple[Storage, ...] = ()


def results_of_case(call: PreparedCall, request: BackwardRequest | None, count: int | None = None) -> CaseResults:
    """Runs both passes once; the heads of the first `count` outputs (or all) are drawn alike. Raises EngineError."""
    if request:
        call.request_gradients(request)
    return _results(call, contents(call.case), count, backward_too=request is not None)


def results_of_draw(call: PreparedCall, request: BackwardRequest | None, drawn: Mapping[str, Array]) -> CaseResults:
    """As `results_of_case`, of these contents; gradients are spoiled before, to find those that no pass writes."""
    call.write_inputs(drawn)
    # The arrays of the gradients are new, and the head gradients are made again; a layer has its own from the start.
    if request or call.gradients:
        call.request_gradients(request or BackwardRequest(()))
    call.spoil_gradients()
    return _results(call, drawn, backward_too=bool(call.gradients), updated_by="backward")


def contents(case: Case, draw: int = 1) -> dict[str, Array]:
    """The contents of a case's arrays; those of further draws have the same properties, and other numbers."""
    return {item.name: contents_of(case, item, draw) for item in case.inputs if item.name != FILE}


def _results(
    call: PreparedCall,
    given: Mapping[str, Array],
    count: int | None = None,
    *,
    backward_too: bool,
    updated_by: PassName = "forward",
) -> CaseResults:
    """The results of both passes; with `updated_by` the backward pass, the inputs that either of them changes."""
    made = forward(call)
    try:
        outputs, types = call.values(made), call.describe(made)
        updated = dict(_updated(call, given)) if updated_by == "forward" else {}
        if backward_too:
            call.make_heads(types[:count], drawn_heads(types[:count], call.case.seed))
            backward(call, made)
        if updated_by == "backward":
            updated = dict(_updated(call, given))
        gradients = call.gradient_values() if backward_too else {}
        sources = sources_of(given[item.name] for item in call.case.arguments)
        views, storages = call.views(made, count), call.storages(made)
        return CaseResults(outputs, types, gradients, updated, views, sources, storages)
    finally:
        release(call, made)


def _updated(call: PreparedCall, given: Mapping[str, Array]) -> Iterator[tuple[str, Array]]:
    left_out = {item.name for item in call.case.inputs if item.tensor.dtype == _NARROW}.union(call.case.in_place)
    for name, array in call.input_values().items():
        is_kept = name in left_out or has_same_bytes(array, given[name])
        if not is_kept and not np.array_equal(array, given[name], equal_nan=array.dtype.kind == "f"):
            yield name, array


def write_results(results: CaseResults, path: Path) -> None:
    """Writes outputs, gradients, updated inputs and sources."""
    arrays = {
        **{f"{_OUTPUT}{number}": values for number, values in enumerate(results.outputs)},
        **{f"{GRADIENT}{name}": values for name, values in results.gradients.items()},
        **{f"{UPDATED}{name}": values for name, values in results.updated.items()},
        _SOURCES: np.array(results.sources).reshape(-1, 2),
        _STORAGES: np.array(results.storages, str),
        _DTYPES: np.array([each.dtype for each in results.types], str),
    }
    with path.open("wb") as file:
        np.savez(file, **arrays)


def read_results(path: Path) -> CaseResults:
    """Reads the results of a case. Raises OSError, KeyError and ValueError for another file."""
    with np.load(path, allow_pickle=False) as stored:
        arrays = {name: stored[name] for name in stored.files}
    dtypes = arrays[_DTYPES].tolist()
    outputs = [arrays[f"{_OUTPUT}{number}"] for number in range(len(dtypes))]
    types = tuple(ArrayType(output.shape, dtype) for output, dtype in zip(outputs, dtypes, strict=True))
    gradients, updated = (
        {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
        for prefix in (GRADIENT, UPDATED)
    )
    sources = tuple(Operand(int(size), float(magnitude)) for size, magnitude in arrays[_SOURCES])
    storages = msgspec.convert(arrays[_STORAGES].tolist(), tuple[Storage, ...])
    return CaseResults(outputs, types, gradients, updated, (), sources, storages)


class NamedResult(NamedTuple):
    """A result with its name, and the dtype of its tensor: that of a bfloat16 one comes as float32."""

    name: str
    values: Array
    dtype: str
    sources: tuple[Operand, ...]
    storage: Storage = "default"


def named_results(results: CaseResults, case: Case) -> Iterator[NamedResult]:
    """The outputs, updated inputs and gradients of a case."""
    dtypes = {item.name: item.tensor.dtype for item in case.inputs}
    heads = [Operand(each.elements, 1.0) for each in results.types if "float" in each.dtype]
    # A gradient is as large as its head gradients make it; the inputs' sizes show how many terms it has.
    of_gradients = (*heads, *(Operand(source.size, 0.0) for source in results.sources))
    outputs = zip(output_names(len(results.outputs)), results.outputs, results.types, results.storages, strict=True)
    for name, values, each, stored in outputs:
        yield NamedResult(name, values, each.dtype, results.sources, stored)
    for name, values in results.updated.items():
        yield NamedResult(f"{UPDATED}{name}", values, dtypes[name], results.sources)
    for name, values in results.gradients.items():
        # That of a layer's parameter has no input.
        yield NamedResult(f"{GRADIENT}{name}", values, dtypes.get(name, values.dtype.name), of_gradients)


def prints_of(results: CaseResults, case: Case, left_open: OpenResults) -> tuple[ResultPrint, ...]:
    """The fingerprints of all results."""
    return tuple(
        ResultPrint(result.name, result.values.shape, result.dtype, 0.0, undefined=True)
        if left_open.leaves(result.name)
        else print_of(
            result.name,
            result.values,
            result.dtype,
            result.sources,
            storage="" if result.storage == "default" else result.storage,
            random=left_open.random,
            rounding=left_open.rounding,
        )
        for result in named_results(results, case)
    )


def sides_difference(
    base: CaseResults, new: CaseResults, case: Case, left_open: OpenResults
) -> ResultDifference | None:
    """The first result of a case that differs between two runs of it by one framework; None without one."""
    expected, actual = ({result.name: result for result in named_results(each, case)} for each in (base, new))
    compared = compared_names(expected, actual, (item.name for item in case.inputs))
    # Sorted by kind: of an input that one side alone changes, the gradients are wrong too.
    names = sorted(expected | actual, key=lambda name: (name.startswith(GRADIENT), name.startswith(UPDATED)))
    pairs = ((name, expected.get(name), actual.get(name)) for name in names if name in compared)
    return next(filter(None, (_result_difference(*pair, left_open) for pair in pairs)), None)


def in_one_form(base: CaseResults, new: CaseResults, names: Mapping[str, str]) -> tuple[CaseResults, CaseResults]:
    """The results of two functions, with names of inputs in base by those in new.

    Outputs get the dtype of lower precision, and numbers become arrays of one element. Where dtypes differ, head
    gradients are other numbers, so that gradients are left out.
    """
    own = {theirs: name for name, theirs in names.items()}
    gradients, updated = ({own[name]: array for name, array in each.items()} for each in (base.gradients, base.updated))
    base = base._replace(gradients=gradients, updated=updated)
    if len(base.outputs) != len(new.outputs):
        return base, new
    types = []
    for theirs, ours in zip(base.types, new.types, strict=False):
        floats = [each.dtype for each in (theirs, ours) if each.dtype in TOLERANCES]
        # That of a float among two, of the wider tolerance, or else the whole one that holds both.
        common = max(floats, key=lambda name: TOLERANCES[name].relative, default="")
        types.append(ArrayType(theirs.shape, common or str(np.promote_types(theirs.dtype, ours.dtype))))
    is_same = [each.dtype for each in base.types] == [each.dtype for each in new.types]

    def formed(results: CaseResults) -> CaseResults:
        pairs = zip(results.outputs, types, strict=True)
        outputs = [array.reshape(array.shape or 1).astype(storage_dtype(each.dtype)) for array, each in pairs]
        return results._replace(outputs=outputs, types=tuple(types), gradients=results.gradients if is_same else {})

    return formed(base), formed(new)


def form_note(base: Sequence[ArrayType], new: Sequence[ArrayType]) -> str:
    """A note on outputs that two functions return in other forms; empty if there are none."""
    pairs = zip(output_names(len(new)), base, new, strict=False)
    name, theirs, own = next((each for each in pairs if each[1] != each[2]), ("", None, None))
    if not (theirs and own):
        return ""
    forms = [f"{each.dtype} {each.shape}" for each in (own, theirs)]
    return f"its {name} is {forms[0]}, and that of the other function {forms[1]}: they are compared as numbers"


def _result_difference(
    name: str, expected: NamedResult | None, actual: NamedResult | None, left_open: OpenResults
) -> ResultDifference | None:
    is_undefined = left_open.leaves(name)
    if expected is None or actual is None:
        base, new = ("none" if result is None else "a result" for result in (expected, actual))
        # Builds differ in whether a gradient that is zero everywhere is computed, or known to be zero.
        given = expected or actual
        is_equal = is_undefined or (given and name.startswith(GRADIENT) and not np.any(given.values))
        return None if is_equal else ResultDifference(name, PRESENCE, base, new)
    if actual.dtype != expected.dtype:
        return ResultDifference(name, DTYPE, expected.dtype, actual.dtype)
    if actual.storage != expected.storage:
        return ResultDifference(name, STORAGE, expected.storage, actual.storage)
    how = HowCompared(
        expected.sources, left_open.random, False, expected.dtype, undefined=is_undefined, rounding=left_open.rounding
    )
    return array_difference(name, expected.values, actual.values, how)


def program_of(found: Implementation, operator: Operator, case: Case) -> Program:
    """The program of a case; auxiliary states have no gradients that mean anything."""
    states = (tensor.name for tensor in operator.tensors if tensor.kind is TensorKind.AUXILIARY)
    constant = tuple(dict.fromkeys((*found.constant, *states)))
    return Program(msgspec.structs.replace(found, constant=constant), arguments(operator, case))


def common_gradients(expected: CaseResults, program: Program) -> BackwardRequest | None:
    """The gradients that both frameworks have: those expected that aren't zero everywhere; None without any."""
    if not program.implementation.differentiable:
        return None
    inputs = meaningful((name for name, gradient in expected.gradients.items() if np.any(gradient)), program)
    return BackwardRequest(inputs) if inputs else None


def meaningful(inputs: Iterable[str], program: Program) -> tuple[str, ...]:
    """The inputs whose gradients mean something to a program."""
    constant = set(program.implementation.constant)
    return tuple(name for name in inputs if not constant & {name, name.partition("[")[0]})


class DifferentResultsError(EngineError):
    """A framework computes something else than the one that it follows, by this expression."""

    def __init__(self, found: ResultDifference, expression: str) -> None:
        super().__init__(f"the results differ: {found.words}; computed by {expression}")
        self.difference = found


def difference(
    expected: CaseResults, actual: CaseResults, case: Case, program: Program, rounding: float = 1.0
) -> ResultDifference | None:
    """The first difference of outputs, updated inputs and gradients, or None; `rounding` as in `OpenResults`."""
    chosen = program.implementation
    inputs = {item.name: contents_of(case, item) for item in case.arguments}
    updated = input_names(chosen.updates, list(inputs))
    forgotten = set(expected.updated) - {*updated, *input_names(chosen.kept, list(inputs))}
    if forgotten and case.in_place:
        return ResultDifference(f"{UPDATED}{min(forgotten)}", PRESENCE, "a result", "none")
    is_narrow = [_NARROW in {each.dtype for each in results.types} for results in (expected, actual)]
    if is_narrow[0] != is_narrow[1]:
        return ResultDifference(OUTPUT, DTYPE, expected.types[0].dtype, actual.types[0].dtype)
    precision = chosen.precision or (_NARROW if is_narrow[0] else "")
    wanted = [*expected.outputs, *(expected.updated.get(name, inputs[name]) for name in updated)]
    before, now = wanted, actual.outputs
    if not chosen.random:
        before, now = (as_compared(chosen, each, inputs, program.parameters(case)) for each in (before, now))
    sources = sources_of(inputs.values())
    how = HowCompared(sources, random=chosen.random, cast=chosen.cast, precision=precision, rounding=rounding)
    outputs = compare_results(before, now, how)
    if outputs or not actual.gradients:
        return outputs
    names, heads = list(actual.gradients), drawn_heads(expected.types, case.digest)
    before, now = ([results.gradients[name] for name in names] for results in (expected, actual))
    how = HowCompared(sources_of(heads), precision=precision, rounding=rounding)
    return compare_results(before, now, how, [f"{GRADIENT}{name}" for name in names])
