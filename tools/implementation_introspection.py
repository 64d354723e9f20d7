"""Proposes implementations from the functions that a framework registers: by name, arguments and defaults.

Results decide which of them hold (`tools/implementation_check.py`).
"""

from __future__ import annotations

import importlib
import inspect
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from autoperf.core.operator import Operator, TensorKind
from autoperf.implementations.implementation import FRAMEWORKS, Implementation

SYNONYMS: Mapping[str, tuple[str, ...]] = {
    "lesser": ("less",),
    "equal": ("equal", "eq"),
    "plus": ("add",),
    "minus": ("subtract",),
    "sub": ("subtract",),
    "mul": ("multiply", "mul"),
    "div": ("divide", "true_divide", "div"),
    "mod": ("remainder", "fmod", "mod"),
    "power": ("power", "pow", "float_power"),
    "gamma": ("gamma",),
    "gammaln": ("lgamma", "gammaln"),
    "inverse": ("inv",),
    "swapaxis": ("swapaxes",),
    "cast": ("asarray",),
    "copy": ("copy", "clone", "array"),
    "identity": ("copy", "clone"),
    "reverse": ("flip",),
    "fix": ("trunc", "fix"),
    "rint": ("rint", "round"),
    "potrf": ("cholesky",),
    "norm": ("norm", "vector_norm"),
    "batch_dot": ("matmul", "bmm"),
    "dot": ("dot", "matmul"),
    "broadcast_axis": ("broadcast_to",),
    "elementwisesum": (),
    "make_loss": ("copy", "clone"),
    "blockgrad": ("detach", "stop_gradient"),
    "softmaxactivation": ("softmax",),
    "slicechannel": ("split",),
    # PyTorch's refuses indices of float32, which MXNet's networks have: a line by hand converts them.
    "embedding": (),
    "fullyconnected": ("linear",),
    "amp_cast": ("asarray",),
}
"""Other frameworks' names for MXNet's, without prefixes."""
ARGUMENTS: Mapping[str, tuple[str, ...]] = {
    "dim": ("axis", "axes"),
    "dims": ("axis", "axes", "reps"),
    "axis": ("axis", "axes", "dim"),
    "axes": ("axes", "axis"),
    "keepdim": ("keepdims",),
    "correction": ("ddof",),
    "dim0": ("dim1", "axis1"),
    "dim1": ("dim2", "axis2"),
    "axis1": ("dim1", "axis1"),
    "axis2": ("dim2", "axis2"),
    "min": ("a_min",),
    "max": ("a_max",),
    "other": ("scalar",),
    "exponent": ("scalar",),
    "y": ("scalar",),
    "x2": ("scalar",),
    "diagonal": ("k",),
    "offset": ("offset", "k"),
    "shifts": ("shift",),
    "size": ("shape", "size"),
    "shape": ("shape", "newshape"),
    "num_classes": ("depth",),
    "indices_or_sections": ("num_outputs", "sections"),
    "beta": ("scalar",),
    "equation": ("subscripts",),
    "constant_values": ("constant_value",),
    "decimals": ("decimals",),
}
"""MXNet's names of parameters that a function's argument may be, beside its own name."""
_PREFIXES = (
    "_npi_", "_npx_", "_np_", "_contrib_", "_linalg_", "linalg_", "_image_", "_sparse_", "_random_", "_sample_",
    "broadcast_", "elemwise_", "_scatter_elemwise_", "_scatter_", "_grad_", "_",
)  # fmt: skip
_SUFFIXES = ("_scalar", "_like_rhs", "_axis")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")


class CallArgument(NamedTuple):
    """An argument of a function; `required` has no default."""

    name: str
    required: bool
    positional: bool
    tensors: bool | None = None


class Function(NamedTuple):
    """A function of a framework, as expressions spell it, with one of its signatures."""

    path: str
    arguments: tuple[CallArgument, ...]


def proposals(framework: str, operator: Operator, parameters: Iterable[str]) -> Iterator[Implementation]:
    """The expressions that may compute an operator, the likelier first; each once.

    `parameters` are the names that the cases give or the registry has defaults for.
    """
    seen: set[str] = set()
    for function in functions(framework, names_of(operator)):
        for expression in expressions(function, operator, tuple(parameters)):
            if expression not in seen:
                seen.add(expression)
                yield Implementation(operator.name, expression, "found", framework != "numpy")


def names_of(operator: Operator) -> list[str]:
    """The names under which another framework may have an operator: without prefixes, suffixes and capitals."""
    stems = list(itertools.chain.from_iterable(_stems(name) for name in operator.names))
    if _is_reversed(operator):
        stems = [stem.removeprefix("r") for stem in stems]
    names = itertools.chain.from_iterable((stem, *SYNONYMS.get(stem, ())) for stem in stems)
    return list(dict.fromkeys(names))


def _stems(name: str) -> Iterator[str]:
    bare = next((name.removeprefix(prefix) for prefix in _PREFIXES if name.startswith(prefix)), name)
    snake = _CAMEL.sub("_", bare).lower()
    for stem in dict.fromkeys((bare.lower(), snake, snake.replace("_", ""))):
        yield stem
        for suffix in _SUFFIXES:
            if stem.endswith(suffix):
                yield stem.removesuffix(suffix)
        for prefix in _PREFIXES:
            if stem.startswith(prefix):
                yield stem.removeprefix(prefix)


def functions(framework: str, names: Sequence[str]) -> Iterator[Function]:
    """The functions of these names in a framework's namespaces, with every signature."""
    for path, module in FRAMEWORKS[framework].searched.items():
        for name in names:
            function = getattr(importlib.import_module(module), name, None) if module else _aten(name)
            if callable(function) and not inspect.isclass(function):
                for signature in dict.fromkeys(_signatures(framework, name, function)):
                    yield Function(f"{path}.{name}", signature)


def _aten(name: str) -> Any:
    import torch  # noqa: PLC0415 - only in PyTorch's process

    return getattr(torch.ops.aten, name, None)


def _signatures(framework: str, name: str, function: Any) -> Iterator[tuple[CallArgument, ...]]:
    """The signatures of a function: of an operator of PyTorch, its schemas; of a ufunc, its inputs."""
    if framework == "torch":
        yield from (_of_schema(schema) for schema in _schemas().get(name, ()))
    if hasattr(function, "nin"):
        yield tuple(CallArgument(f"x{place + 1}", True, True) for place in range(function.nin))
        return
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return
    yield tuple(_of_parameter(parameter) for parameter in signature.parameters.values() if parameter.kind in _NAMED)


_NAMED = (
    inspect.Parameter.POSITIONAL_ONLY,
    inspect.Parameter.POSITIONAL_OR_KEYWORD,
    inspect.Parameter.KEYWORD_ONLY,
)
_SCHEMAS: dict[str, list[Any]] = {}


def _schemas() -> Mapping[str, Sequence[Any]]:
    """The schemas of PyTorch's operators by name."""
    import torch  # noqa: PLC0415 - only in PyTorch's process

    if not _SCHEMAS:
        for schema in torch._C._jit_get_all_schemas():  # noqa: SLF001 - the only list of PyTorch's operators
            namespace, _, name = schema.name.partition("::")
            if namespace == "aten":
                for public in {name, *_public(name)}:
                    _SCHEMAS.setdefault(public, []).append(schema)
    return _SCHEMAS


def _public(name: str) -> Iterator[str]:
    """The names without the prefixes of PyTorch's own namespaces: `linalg_inv` is `torch.linalg.inv`."""
    for prefix in ("linalg_", "special_"):
        if name.startswith(prefix):
            yield name.removeprefix(prefix)


def _of_schema(schema: Any) -> tuple[CallArgument, ...]:
    return tuple(
        CallArgument(it.name, not it.has_default_value(), not it.kwarg_only, "Tensor" in str(it.type))
        for it in schema.arguments
        if it.name != "out"
    )


def _of_parameter(parameter: inspect.Parameter) -> CallArgument:
    required = parameter.default is inspect.Parameter.empty
    return CallArgument(parameter.name, required, parameter.kind is not inspect.Parameter.KEYWORD_ONLY)


def expressions(function: Function, operator: Operator, parameters: tuple[str, ...]) -> Iterator[str]:
    """The calls of a function with the operator's inputs in order, and with the parameters that its arguments name.

    An argument that is required and names none gets the parameter `scalar`, before or after the input.
    """
    inputs = [tensor.name for tensor in operator.tensors if tensor.kind is not TensorKind.AUXILIARY]
    orders = [inputs]
    if "scalar" in parameters and len(inputs) == 1:
        orders = [["scalar", *inputs], [*inputs, "scalar"]] if _is_reversed(operator) else [[*inputs, "scalar"]]
    for order in orders:
        text = _call(function, order, [name for name in parameters if name not in order])
        if text:
            yield text


def _is_reversed(operator: Operator) -> bool:
    """Whether the scalar is the first operand: `_rminus_scalar`, `_npi_rpower_scalar`."""
    return any(re.search(r"_r(minus|sub|div|true|pow|mod|arctan2|copysign|ldexp)", name) for name in operator.names)


def _call(function: Function, inputs: Sequence[str], parameters: Sequence[str]) -> str:
    """The call, or an empty text if an input or a required argument is left."""
    words: list[str] = []
    waiting, positional = list(inputs), True
    for argument in function.arguments:
        if waiting and argument.positional and positional and (argument.tensors or argument.required):
            words.append(waiting.pop(0))
            continue
        word = next((name for name in _spelled(argument.name) if name in parameters), None)
        if word is None and argument.required:
            return ""
        if word is None:
            positional = False
        elif argument.positional and positional and argument.required:
            words.append(word)
        else:
            positional = False
            words.append(f"{argument.name}={word}")
    return "" if waiting else f"{function.path}({', '.join(words)})"


def _spelled(name: str) -> tuple[str, ...]:
    return (name, *ARGUMENTS.get(name, ()))
