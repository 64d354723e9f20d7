"""The arguments of a Python call: shapes, numbers, arrays and functions as the handwritten case of an operator."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from numbers import Integral
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from autoperf.backends.passes import parse_context
from autoperf.backends.releases import FILE_NAME
from autoperf.cases.handwritten import USER_PROFILE, HandwrittenCase, with_lists
from autoperf.cases.shorthand import Tensors, check_shape, check_value, parse_tensor, parse_tensors
from autoperf.core import tensors
from autoperf.core.case import OUT
from autoperf.core.errors import UnknownNameError, UsageError, nearest
from autoperf.core.graph import PREFIX as LAYER_PREFIX
from autoperf.core.operator import Operator, TensorKind, Value
from autoperf.registry.names import Means, Names, front_end_paths
from autoperf.rules.front_end import own_names, with_operators_names
from autoperf.rules.rule import Draft

Function: TypeAlias = str | Callable[..., Any]
"""A function of MXNet's front end, or the name of one or of an operator."""
_LAYERS = "mxnet.gluon."
_ROOTS = {"ndarray": "nd", "numpy": "np", "numpy_extension": "npx", "symbol": "sym"}
# The modules of a front end that are namespaces; the others only hold the code.
_SPACES = frozenset({"contrib", "linalg", "random", "sparse", "image", "control_flow", "numpy", "numpy_extension"})
MAX_VALUES = 4096
"""The elements of an array up to which its values are measured as they are; of a larger one, their range is."""
_INITIALIZERS: dict[str, tensors.AnyContent] = {
    **dict.fromkeys(("normal", "random_normal", "randn"), tensors.Normal()),
    **dict.fromkeys(("uniform", "random_uniform", "rand"), tensors.Uniform(0.0, 1.0)),
    **dict.fromkeys(("zeros", "empty"), tensors.Constant(0.0)),
    "ones": tensors.Constant(1.0),
}
Arguments: TypeAlias = Mapping[str, Any]
"""The arguments of a call by name, with `initializer`, `dtype` and `run_backward` beside them."""
Calls: TypeAlias = Arguments | Sequence[Arguments]
"""The arguments of one call, or of several."""
_INITIALIZER = "initializer"
_BACKWARD = "run_backward"
_LIST = ("args", "arg")
_MEMBER = re.compile(r"(?:args?|\w+\[)(\d{1,4})\]?")
_BESIDE = ("dtype", "ctx")
_DEVICES = ("ctx", "device")
_SCALAR = "scalar"
_PAIRS = (("x1", "x2"), ("base", "exp"), ("left", "right"), ("data", _SCALAR))
"""Names of the two tensors in mx.np, powers and mx.sym, where they differ from the operators'."""
_TENSOR_LEFT, _NUMBER_LEFT = ("a tensor and a number", "a number"), ("a number and a tensor", "a number")


def operator_path(function: Function) -> str:
    """The path of a function or a layer's class, as `nd.linalg.gemm`; a name is unchanged. Raises UsageError."""
    if isinstance(function, str):
        return function
    name, module = getattr(function, "__name__", ""), str(getattr(function, "__module__", ""))
    if isinstance(function, type) and module.startswith(_LAYERS):
        return f"{LAYER_PREFIX}{name}"
    if isinstance(function, type) or not name:
        raise _not_a_function(function)
    first, *rest = module.removeprefix("mxnet.").split(".")
    # Generated functions have the front end's module without the package; that of NumPy itself is `numpy`.
    if first not in _ROOTS or module == "numpy":
        raise _not_a_function(function)
    spaces = [part for part in rest if part in _SPACES] or (["_internal"] if name.startswith("_") else [])
    return ".".join((_ROOTS[first], *spaces, name))


def functions_of(operators: Function | Iterable[Function]) -> tuple[Function, ...]:
    """The functions of one, or of several. Raises UsageError for any other value, and for an empty list."""
    if isinstance(operators, str) or callable(operators):
        return (operators,)
    if not isinstance(operators, Iterable):
        raise _not_a_function(operators)
    functions = tuple(operators)
    if not functions:
        raise UsageError("invalid list of functions: it is empty; name at least one, such as 'nd.add'")
    return functions


def operator_label(function: Function) -> str:
    """The own name of a function or a class: `add` for mx.nd.add and for "nd.add"."""
    return operator_path(function).rpartition(".")[2].removeprefix(LAYER_PREFIX)


def library_of(functions: Iterable[Function]) -> str | None:
    """The library of the imported mxnet package that the functions come from; None if there are only names."""
    package = sys.modules.get("mxnet") if any(callable(function) for function in functions) else None
    source = getattr(package, "__file__", None)
    library = Path(source).parent / FILE_NAME if source else None
    return str(library) if library and library.is_file() else None


def device_text(ctx: object) -> str:
    """`cpu` or `gpu(1)` for a text or an mx.Context. Raises UsageError for anything else."""
    if isinstance(ctx, str):
        return ctx
    kind = getattr(ctx, "device_type", None)
    if kind not in ("cpu", "gpu"):
        raise UsageError(f"invalid ctx {ctx!r}: expected mx.cpu(), mx.gpu(0), 'cpu' or 'gpu(0)'")
    return f"gpu({getattr(ctx, 'device_id', 0)})" if kind == "gpu" else "cpu"


def _not_a_function(function: object) -> UsageError:
    return UsageError(
        f"invalid function {function!r}: expected a function of mx.nd, mx.np, mx.npx or mx.sym, a layer's class of "
        "mx.gluon, or a name such as 'nd.add'"
    )


def is_number(value: object) -> bool:
    """Whether it is a Python or NumPy number, and no truth value."""
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)


def is_array(value: object) -> bool:
    """Whether it is an array of NumPy or MXNet."""
    return isinstance(value, np.ndarray) or callable(getattr(value, "asnumpy", None))


def may_be_tensor(value: object) -> bool:
    """Whether an argument may stand for a tensor: an array, a shape, or a list."""
    return is_array(value) or isinstance(value, list | tuple | Draft)


def tensors_of(name: str, value: object, content: tensors.AnyContent | None = None) -> Tensors:
    """The tensor, or list of tensors, that an argument of this name stands for.

    A tuple of whole numbers is a shape, a list of numbers (or of such lists) the values of a vector or a matrix, a
    text as on the command line. `content` fills what is given by its shape. Raises UsageError and UnknownNameError.
    """
    if isinstance(value, str):
        return parse_tensors(value)
    if isinstance(value, list) and value and all(isinstance(row, list) for row in value):
        return replace(array_draft(name, _matrix(name, value)), dtype=None)
    if isinstance(value, list | tuple) and value and all(isinstance(row, str) or may_be_tensor(row) for row in value):
        return tuple(_single(f"{name}[{number}]", member, content) for number, member in enumerate(value))
    return _single(name, value, content)


def parameter_of(name: str, value: object) -> Value:
    """The value of a parameter. Raises UsageError for one that MXNet has no text for."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, type | np.dtype):
        return dtype_name(f"dtype of {name}", value)
    if isinstance(value, list | tuple):
        return check_value(tuple(parameter_of(name, member) for member in value))
    if value is None or isinstance(value, bool | int | float | str):
        return check_value(value)
    raise UsageError(f"invalid {name} {value!r}: expected a number, a text, a tuple of them, None, True or False")


def initializer_content(initializer: str | tensors.Content | Callable[..., Any]) -> tensors.AnyContent:
    """The content for a function such as mx.nd.normal, a content such as `integers(0, 10)`, or its text.

    Raises UnknownNameError for a function without one, UsageError for a bad text.
    """
    if isinstance(initializer, tensors.Content):
        return initializer  # type: ignore[return-value]
    if isinstance(initializer, str) and initializer not in _INITIALIZERS:
        content = parse_tensor(f"1:{initializer}").content
        if content is None:
            raise UsageError(f"invalid initializer {initializer!r}: expected a content, such as integers(0, 10)")
        return content
    name = initializer if isinstance(initializer, str) else getattr(initializer, "__name__", repr(initializer))
    if name not in _INITIALIZERS:
        raise UnknownNameError("initializer", name, _INITIALIZERS)
    return _INITIALIZERS[name]


def dtype_name(kind: str, dtype: Any) -> str:
    """The name of a dtype: of a text as it is, of one of NumPy's. Raises UnknownNameError for one that MXNet lacks."""
    try:
        # Without a dtype, NumPy means float64.
        text = dtype if isinstance(dtype, str) else "None" if dtype is None else np.dtype(dtype).name
    except TypeError:
        text = str(dtype)
    if text not in tensors.DTYPES:
        raise UnknownNameError(kind, text, tensors.DTYPES)
    return text


def array_draft(name: str, array: Any) -> Draft:
    """A tensor of an array's shape, dtype, storage and values, of many their range. Raises AutoperfError."""
    values = np.asarray(array.asnumpy() if hasattr(array, "asnumpy") else array)
    shape = check_shape(tuple(int(size) for size in values.shape))
    dtype = dtype_name(f"dtype of {name}", values.dtype)
    _check_finite(name, values)
    storage: tensors.Storage = getattr(array, "stype", "default")
    if storage != "default":
        # The share of stored elements, or of stored rows.
        by_element = storage == "csr" or not values.size
        stored = values != 0 if by_element else (values != 0).reshape(len(values), -1).any(axis=1)
        return Draft(shape, dtype, None, storage, float(np.mean(stored)) if values.size else 0.0)
    return Draft(shape, dtype, _content(values))


def _single(name: str, value: Any, content: tensors.AnyContent | None) -> Draft:
    if isinstance(value, Draft):
        return value
    if is_array(value):
        return array_draft(name, value)
    if isinstance(value, str):
        return parse_tensor(value)
    if _is_shape(value):
        return Draft(check_shape(tuple(map(int, value))), None, content)
    if isinstance(value, list) and value and all(map(is_number, value)):
        values = _matrix(name, value)
        _check_finite(name, values)
        return Draft(values.shape, None, tensors.Literal_(tuple(values.tolist())))
    raise UsageError(f"invalid {name} {value!r}: expected a shape such as (1024, 1024), an array, or a list of numbers")


def _matrix(name: str, rows: list[Any]) -> np.ndarray[Any, Any]:
    try:
        return np.array(rows, dtype=np.float64)
    except (TypeError, ValueError):
        raise UsageError(f"invalid {name} {rows!r}: expected rows of numbers, of one length") from None
    except OverflowError:
        raise UsageError(f"invalid {name}: a value is out of the range of float64; expected finite values") from None


def _check_finite(name: str, values: np.ndarray[Any, Any]) -> None:
    """Raises UsageError for values of which one is infinite or no number, and names the first."""
    wrong = np.argwhere(~np.isfinite(values))
    if len(wrong):
        first = [int(index) for index in wrong[0]]
        raise UsageError(
            f"invalid {name}: expected finite values, got {values[tuple(first)]} at {first}; give a number, or the "
            f"shape {values.shape} instead of values"
        )


def _content(values: np.ndarray[Any, Any]) -> tensors.AnyContent | None:
    if not values.size:
        return None
    if values.size <= MAX_VALUES:
        return tensors.Literal_(tuple(float(value) for value in values.ravel()))
    if values.dtype == np.bool_:
        return tensors.Mask(float(values.mean()))
    if np.issubdtype(values.dtype, np.integer):
        return tensors.Integers(int(values.min()), int(values.max()) + 1)
    low, high = float(values.min()), float(values.max())
    return tensors.Uniform(low, high) if low < high else tensors.Constant(low)


def calls_of(inputs: Calls) -> tuple[Arguments, ...]:
    """The arguments of each call. Raises UsageError for a value that is no mapping by name, and without a call."""
    calls = (inputs,) if isinstance(inputs, Mapping) or not isinstance(inputs, Iterable) else tuple(inputs)
    for call in calls:
        if not isinstance(call, Mapping) or not all(isinstance(name, str) for name in call):
            # A shape, a text or an array has members too, which say nothing about the mistake.
            wrong = call if isinstance(inputs, list | tuple) and not is_number(call) else inputs
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
    return isinstance(value, tuple) and all(isinstance(size, Integral) and not isinstance(size, bool) for size in value)


def handwritten_call(
    names: Names, function: Function, arguments: Arguments, dtypes: tuple[str, ...] = (), profile: str = USER_PROFILE
) -> HandwrittenCase:
    """The case of a call, named by `profile`; `dtypes` are of tensors without one. Raises AutoperfError."""
    path = operator_path(function)
    given = _filled(arguments)
    operator = names.resolve(path).operator
    given = with_operators_names((front_end_paths(path) or [path])[-1], given, argument_names(operator))
    if "dtype" in arguments and operator.parameter("dtype") is None:
        dtypes = (dtype_name("dtype", arguments["dtype"]),)
    scalar = _scalar_operator(names, path, operator, given)
    if scalar:
        operator, given = scalar
    else:
        operator = next(
            (each for each in _operators(operator, names, path) if set(given) <= argument_names(each)), operator
        )
    return replace(_sorted(operator, given, arguments), dtypes=tensors.distinct_dtypes(dtypes), profile=profile)


def runs_backward(arguments: Arguments, default: bool) -> bool:
    """Whether a call has a backward pass: as its `run_backward` says, else by default. Raises UsageError."""
    wanted = arguments.get(_BACKWARD, default)
    if not isinstance(wanted, bool):
        raise UsageError(f"invalid {_BACKWARD} {wanted!r}: expected True or False")
    return wanted


def check_device(arguments: Arguments, ctx: str) -> None:
    """Raises UsageError for a call on another device than that of the run."""
    for name in _DEVICES:
        if name in arguments and parse_context(device_text(arguments[name])) != parse_context(ctx):
            raise UsageError(f"invalid {name} {arguments[name]} of a call: the run is on {ctx}; give ctx beside inputs")


def is_argument_option(name: str) -> bool:
    """Whether it stands beside the arguments of a call, such as `initializer`."""
    return name in (_INITIALIZER, _BACKWARD) or name.endswith(f"_{_INITIALIZER}")


def _scalar_operator(
    names: Names, path: str, operator: Operator, given: Arguments
) -> tuple[Operator, dict[str, Any]] | None:
    """The operator for a tensor and a number with its arguments, where both may be tensors. Raises UnknownNameError."""
    meaning = names.meaning(path)
    pair = [name for name, value in given.items() if is_number(value) or may_be_tensor(value)]
    numbers = [name for name in pair if is_number(given[name])]
    others = {name: value for name, value in given.items() if name not in pair}
    if not (isinstance(meaning, Means) and len(operator.tensors) == len(pair) == 2 and set(_BESIDE).issuperset(others)):
        return None
    order = [tensor.name for tensor in operator.tensors]
    is_left = numbers and (order if numbers[0] in order else sorted(pair)).index(numbers[0]) == 0
    wanted = _NUMBER_LEFT if is_left else _TENSOR_LEFT
    others_in_order = (other for text in wanted for other in meaning.others if other.given == text)
    registered = [name for other in others_in_order for name in names.registered(other.names)]
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
    """Raises UnknownNameError unless both are named as one function's; two unknown tensors count by their position."""
    own = tuple(tensor.name for tensor in operator.tensors)
    known = next((names for names in (own, *_PAIRS) if any(name in names for name in pair)), own if numbers else pair)
    for name in pair:
        if name not in known:
            raise UnknownNameError(f"input of {path}", name, known)


def _sorted(operator: Operator, given: Arguments, arguments: Arguments) -> HandwrittenCase:
    """The arguments as tensors and parameters by the operator's signature; unknown names by their position."""
    known = {tensor.name for tensor in operator.tensors} | {OUT}
    # The members of a list (`data[1]`, `args1`) by their numbers.
    numbers = {name: int(match[1]) for name in given if (match := _MEMBER.fullmatch(name))}
    members_in_order = iter(sorted(numbers, key=lambda name: numbers[name]))
    given = {name: given[name] for name in (next(members_in_order) if each in numbers else each for each in given)}
    renamed = _by_position(operator, given)
    initializer = arguments.get(_INITIALIZER)
    content = None if initializer is None else initializer_content(initializer)
    members: dict[str, Tensors] = {}
    params: dict[str, Value] = {}
    absent = []
    for name, value in given.items():
        target = renamed.get(name, name)
        if name in _DEVICES:
            continue
        if value is None and target in known:
            absent.append(target)
        elif target.partition("[")[0] in known or (
            (may_be_tensor(value) and (not isinstance(value, tuple) or _is_like_tensor(operator, name)))
            and operator.parameter(name) is None
        ):
            members[target] = tensors_of(name, value, content)
        elif not (name == "dtype" and operator.parameter("dtype") is None):
            params[name] = parameter_of(name, value)
    return HandwrittenCase(operator.name, with_lists(members), params, absent=tuple(absent))


def _filled(arguments: Arguments) -> Arguments:
    """The arguments, tensors with the contents of their own initializers. Raises UnknownNameError and UsageError."""
    given = {name: value for name, value in arguments.items() if not is_argument_option(name)}
    for name, initializer in arguments.items():
        tensor = name.removesuffix(f"_{_INITIALIZER}")
        if tensor == name or initializer is None:
            continue
        if tensor not in given:
            raise UnknownNameError("input of an initializer", tensor, given)
        if not _has_shapes(given[tensor]):
            raise UsageError(f"invalid {name}: {tensor} isn't given by a shape, which it could fill")
        given[tensor] = tensors_of(tensor, given[tensor], initializer_content(initializer))
    return given


def _has_shapes(value: object) -> bool:
    return _is_shape(value) or (isinstance(value, list | tuple) and any(map(_has_shapes, value)))


def _by_position(operator: Operator, given: Arguments) -> dict[str, str]:
    """The operator's names for tensors that the function calls otherwise: x1 and x2, args, args0 and args1."""
    lists = [tensor.name for tensor in operator.tensors if tensor.kind is TensorKind.VARIADIC]
    taken = {*given, *(parameter.name for parameter in operator.parameters)}
    free = [tensor.name for tensor in operator.tensors if tensor.name not in taken]
    others = [
        name
        for name, value in given.items()
        if may_be_tensor(value) and name != OUT and not operator.parameter(name) and not _is_like_tensor(operator, name)
    ]
    if lists and lists[0] in free:
        return {name: lists[0] if name in _LIST else f"{lists[0]}[{others.index(name)}]" for name in others}
    return dict(zip(others, free, strict=False))


def _is_like_tensor(operator: Operator, name: str) -> bool:
    """Whether the name is one of the operator's tensors, or similar to one: that is a misspelling, not another name."""
    numbered = operator.variadic and name.rstrip("0123456789") in _LIST
    return not numbered and bool(nearest(name, (tensor.name for tensor in operator.tensors)))
