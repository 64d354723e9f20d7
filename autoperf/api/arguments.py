"""The arguments of one call of a function, as a handwritten case of its operator."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from autoperf.api import values
from autoperf.cases.handwritten import USER_PROFILE, HandwrittenCase
from autoperf.cases.shorthand import Tensors
from autoperf.core.case import OUT
from autoperf.core.errors import UnknownNameError, UsageError, nearest
from autoperf.core.operator import Operator, TensorKind, Value
from autoperf.core.tensors import distinct_dtypes
from autoperf.registry.names import Means, Names, OtherInputs
from autoperf.registry.spellings import front_end_paths
from autoperf.rules.front_end_arguments import own_names, with_operators_names
from autoperf.rules.rule import Draft

Arguments: TypeAlias = Mapping[str, Any]
"""The arguments of a call by name, with `initializer`, `dtype` and `run_backward` beside them."""

Calls: TypeAlias = Arguments | Sequence[Arguments]
"""The arguments of one call, or of several."""

_INITIALIZER = "initializer"
_BACKWARD = "run_backward"
_LIST = ("args", "arg")
_BESIDE = ("dtype", "ctx")
_SCALAR = "scalar"
_PAIRS = (("x1", "x2"), ("base", "exp"), ("left", "right"), ("data", _SCALAR))
"""Names of the two tensors in mx.np, powers and mx.sym, where they differ from the operators'."""
_TENSOR_LEFT, _NUMBER_LEFT = ("a tensor and a number", "a number"), ("a number and a tensor", "a number")


def calls_of(inputs: Calls) -> tuple[Arguments, ...]:
    """The arguments of each call. Raises UsageError for a value that is no mapping by name, and without a call."""
    calls = (inputs,) if isinstance(inputs, Mapping) or not isinstance(inputs, Iterable) else tuple(inputs)
    for call in calls:
        if not isinstance(call, Mapping) or not all(isinstance(name, str) for name in call):
            # A shape, a text or an array has members too, which say nothing about the mistake.
            wrong = call if isinstance(inputs, list | tuple) and not values.is_number(call) else inputs
            shape = wrong if _is_shape(wrong) else (128, 128)
            raise UsageError(
                f"invalid inputs {wrong!r}: expected the arguments of a call by name, such as {{'data': {shape}}}, "
                "or a list of them"
            )
    if not calls:
        raise UsageError(
            "invalid inputs: the list is empty; give the arguments of a call, such as {'data': (128, 128)}"
        )
    return calls


def _is_shape(value: object) -> bool:
    return isinstance(value, tuple) and bool(value) and all(type(size) is int for size in value)


@dataclass(frozen=True)
class ArgumentOptions:
    """The options of all calls: the dtypes of tensors without one, and the profile."""

    dtypes: tuple[str, ...] = ()
    profile: str = USER_PROFILE


@dataclass
class _Split:
    """Tensors and parameters of a call, while its arguments are sorted."""

    tensors: dict[str, Tensors] = field(default_factory=dict)
    params: dict[str, Value] = field(default_factory=dict)
    absent: list[str] = field(default_factory=list)


def handwritten_call(
    names: Names, function: values.Function, arguments: Arguments, options: ArgumentOptions
) -> HandwrittenCase:
    """The case of a call, by the operator that the function calls for these arguments.

    Raises UsageError and UnknownNameError.
    """
    path = values.operator_path(function)
    given: Arguments = {name: value for name, value in arguments.items() if not is_argument_option(name)}
    operator = names.resolve(path).operator
    given = with_operators_names((front_end_paths(path) or [path])[-1], given, argument_names(operator))
    dtypes = (str(arguments["dtype"]),) if _is_dtype_option(arguments, operator) else options.dtypes
    scalar = _scalar_operator(names, path, operator, given)
    if scalar:
        operator, given = scalar
    else:
        operator = next(
            (each for each in _operators(operator, names, path) if set(given) <= argument_names(each)), operator
        )
    split = _split(operator, given, arguments)
    return HandwrittenCase(
        operator.name, split.tensors, split.params, distinct_dtypes(dtypes), options.profile, absent=tuple(split.absent)
    )


def runs_backward(arguments: Arguments, default: bool) -> bool:
    """Whether a call has a backward pass: as its `run_backward` says, else by default."""
    return bool(arguments.get(_BACKWARD, default))


def is_argument_option(name: str) -> bool:
    """Whether it stands beside the arguments of a call, such as `initializer`."""
    return name in (_INITIALIZER, _BACKWARD) or name.endswith(f"_{_INITIALIZER}")


def _is_dtype_option(arguments: Arguments, operator: Operator) -> bool:
    """Whether `dtype` is the dtype of the tensors; operators with such a parameter get it as a parameter."""
    return "dtype" in arguments and operator.parameter("dtype") is None


def _scalar_operator(
    names: Names, path: str, operator: Operator, given: Arguments
) -> tuple[Operator, dict[str, Any]] | None:
    """The operator for a tensor and a number with its arguments, if a function of two tensors is given a number.

    Raises UnknownNameError if these two are not the arguments of such a function.
    """
    meaning = names.meaning(path)
    pair = [name for name, value in given.items() if values.is_number(value) or values.may_be_tensor(value)]
    numbers = [name for name in pair if values.is_number(given[name])]
    others = {name: value for name, value in given.items() if name not in pair}
    if not (isinstance(meaning, Means) and len(operator.tensors) == len(pair) == 2 and set(_BESIDE).issuperset(others)):
        return None
    wanted = _NUMBER_LEFT if numbers and _is_first(numbers[0], pair, operator) else _TENSOR_LEFT
    registered = [name for other in _in_order(meaning.others, wanted) for name in names.registered(other.names)]
    if not registered or len(numbers) == 2:
        return None
    scalar = names.resolve(registered[0]).operator
    if scalar.parameter(_SCALAR) is None:
        # The number has the name of a parameter, as `rcond` of np.linalg.pinv.
        return (scalar, dict(given)) if numbers else None
    _check_pair(path, operator, pair, numbers)
    if not numbers:
        return None
    (tensor,) = (name for name in pair if name not in numbers)
    return scalar, {"data": given[tensor], _SCALAR: given[numbers[0]], **others}


def takes(names: Names, path: str, operator: Operator, given: Arguments) -> bool:
    """Whether one of a function's operators has these arguments, by its own names or by the function's."""
    path = (front_end_paths(path) or [path])[-1]
    renamed = set(with_operators_names(path, given, argument_names(operator))) - {*_BESIDE, OUT, *own_names(path)}
    known = [argument_names(each) for each in _operators(operator, names, path)]
    return any({name.partition("[")[0] for name in renamed} <= each for each in known)


def _operators(operator: Operator, names: Names, path: str) -> list[Operator]:
    """The operators of a function, the one for most inputs first."""
    meaning = names.meaning(path)
    others = meaning.others if isinstance(meaning, Means) else ()
    return [operator, *(names.resolve(name).operator for other in others for name in names.registered(other.names))]


def argument_names(operator: Operator) -> set[str]:
    """The names of an operator's tensors and parameters."""
    return {tensor.name for tensor in operator.tensors} | {parameter.name for parameter in operator.parameters}


def _check_pair(path: str, operator: Operator, pair: Sequence[str], numbers: Sequence[str]) -> None:
    """Raises UnknownNameError if two arguments aren't named as those of one function.

    Two tensors may both have names of their own, which then count by their position.
    """
    own = tuple(tensor.name for tensor in operator.tensors)
    known = next((names for names in (own, *_PAIRS) if any(name in names for name in pair)), own if numbers else pair)
    for name in pair:
        if name not in known:
            raise UnknownNameError(f"input of {path}", name, known)


def _is_first(name: str, pair: Sequence[str], operator: Operator) -> bool:
    order = [tensor.name for tensor in operator.tensors]
    return (order if name in order else sorted(pair)).index(name) == 0


def _in_order(others: Sequence[OtherInputs], wanted: Sequence[str]) -> Iterator[OtherInputs]:
    for text in wanted:
        yield from (other for other in others if other.given == text)


def _split(operator: Operator, given: Arguments, arguments: Arguments) -> _Split:
    """Sorts arguments into tensors and parameters by the operator's signature; unknown names by their position."""
    split = _Split()
    known = {tensor.name for tensor in operator.tensors} | {OUT}
    renamed = _by_position(operator, given)
    members: dict[str, Tensors] = {}
    for name, value in given.items():
        target = renamed.get(name, name)
        if name in ("ctx", "device"):
            values.device_text(value)
        elif value is None and target in known:
            split.absent.append(target)
        elif target.partition("[")[0] in known or (
            _is_tensor(value, name, operator) and operator.parameter(name) is None
        ):
            members[target] = values.tensors_of(name, value, _content_of(name, arguments))
        elif not (name == "dtype" and operator.parameter("dtype") is None):
            split.params[name] = values.parameter_of(name, value)
    split.tensors = dict(_with_lists(members, operator))
    return split


def _is_tensor(value: object, name: str, operator: Operator) -> bool:
    """Whether an argument of an unknown name is meant as a tensor; a tuple of numbers may be a parameter as well."""
    return values.may_be_tensor(value) and (not isinstance(value, tuple) or _is_like_tensor(operator, name))


def _content_of(name: str, arguments: Arguments) -> Any:
    initializer = arguments.get(f"{name}_{_INITIALIZER}", arguments.get(_INITIALIZER))
    return None if initializer is None else values.initializer_content(initializer)


def _by_position(operator: Operator, given: Arguments) -> dict[str, str]:
    """The operator's names for tensors that the function calls otherwise: x1 and x2, args, args0 and args1."""
    lists = [tensor.name for tensor in operator.tensors if tensor.kind is TensorKind.VARIADIC]
    taken = {*given, *(parameter.name for parameter in operator.parameters)}
    free = [tensor.name for tensor in operator.tensors if tensor.name not in taken]
    others = [
        name
        for name, value in given.items()
        if values.may_be_tensor(value)
        and name != OUT
        and not operator.parameter(name)
        and not _is_like_tensor(operator, name)
    ]
    if lists and lists[0] in free:
        return {name: lists[0] if name in _LIST else f"{lists[0]}[{others.index(name)}]" for name in others}
    return dict(zip(others, free, strict=False))


def _is_like_tensor(operator: Operator, name: str) -> bool:
    """Whether the name is one of the operator's tensors, or similar to one: that is a misspelling, not another name."""
    numbered = operator.variadic and name.rstrip("0123456789") in _LIST
    return not numbered and bool(nearest(name, (tensor.name for tensor in operator.tensors)))


def _with_lists(members: Mapping[str, Tensors], operator: Operator) -> Iterator[tuple[str, Tensors]]:
    """The tensors, members of a list together; a list's single tensor is a list of one."""
    lists = {tensor.name for tensor in operator.tensors if tensor.kind is TensorKind.VARIADIC}
    collected: dict[str, list[Any]] = {}
    for name, tensors in members.items():
        stem, member, _ = name.partition("[")
        if member:
            collected.setdefault(stem, []).append(tensors)
        else:
            yield name, (tensors,) if name in lists and isinstance(tensors, Draft) else tensors
    for stem, drafts in collected.items():
        if any(isinstance(draft, tuple) for draft in drafts):
            raise UsageError(f"invalid {stem}: expected a list of tensors")
        yield stem, tuple(drafts)
