"""Operators without a rule of their own: excluded ones with MXNet's error, and rules by signature."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from hypothesis import strategies as st

from autoperf.core.operator import Form, Operator, Parameter, TensorKind, Value
from autoperf.core.tensors import Shape
from autoperf.rules.rule import Draft, Exclusion, Inputs, InputSpec, Reason, rule
from autoperf.rules.table import MATRIX_SHAPES, sized
from autoperf.strategies import axes, shapes

misc_rule = partial(rule, category="misc")

GPU_ONLY = tuple(
    Exclusion((name,), Reason.GPU_ONLY, f'MXNet: "{kernel} is only available for GPU."')
    for name, kernel in (("_contrib_fft", "fft"), ("_contrib_ifft", "ifft"), ("_contrib_count_sketch", "CountSketch"))
)

NO_GRADIENT = Exclusion(
    ("_NoGradient",),
    Reason.NO_KERNEL,
    'A marker in gradient graphs; MXNet: "Operator _NoGradient is missing FInferType attribute".',
)

PYTHON_FUNCTIONS = Exclusion(
    ("_CustomFunction",),
    Reason.FRONT_END_POINTER,
    'Holds the callbacks of an autograd.Function; MXNet: "Check failed: type_ != nullptr: The any container is empty '
    'requested=...CustomFunctionParam".',
)

ARRAY_CALLBACKS = Exclusion(
    ("_NDArray",),
    Reason.CORRUPTS,
    "Since 2.0, which has no front end for it any more, it ends the process after a few calls, even where its "
    'callback does nothing: "free(): invalid pointer", or a segmentation fault.',
    since=(2, 0),
)

SHORT_PIVOTS = Exclusion(
    ("_npi_tensorsolve",),
    Reason.CORRUPTS,
    "Since 2.0 it asks for pivots of 4 bytes each, and LAPACK writes 8 (TensorsolveForwardWorkspaceSize in "
    "np_tensorsolve-inl.h): with N unknowns it writes 4 N bytes beyond its workspace, and ends the process at some "
    "orders, such as 71, 98 and 137.",
    since=(2, 0),
)

DEVICE_COPY = Exclusion(
    ("_CrossDeviceCopy",),
    Reason.NO_KERNEL,
    "The executor of 1.x copied in its place; 2.0 has none, and in a compiled graph MXNet says "
    '"Check failed: exec_type == ExecType::kAsync".',
    since=(2, 0),
)

DECODING = Exclusion(
    ("_imdecode",),
    Reason.FRONT_END_POINTER,
    "The encoded image travels as a C string beside the listed arguments, so it ends at its first zero byte; MXNet: "
    '"Check failed: num_params == 1 (0 vs. 1)".',
)

ANY_NUMBERS = frozenset(
    ("data", "x", "x1", "x2", "a", "b", "lhs", "mhs", "rhs", "input", "array", "arr", "args", "arys")
)
"""Names of tensors that may have any numbers; others (indices, labels, boxes, matrices A) need suitable contents."""
SEVERAL = 3


def _kinds(operator: Operator) -> list[TensorKind]:
    return [tensor.kind for tensor in operator.tensors]


SPECIAL = ("_contrib_", "_image_", "_cv", "_sg_", "quantize", "_copyto", "_sample_", "bitwise", "cross")
"""Parts of the names of operators that need boxes, images, graphs or an output, however they name their tensors."""


def _plain(operator: Operator) -> bool:
    if any(part in operator.name for part in SPECIAL):
        return False
    pointers = any(parameter.type.form is Form.POINTER for parameter in operator.parameters)
    return not pointers and all(tensor.name in ANY_NUMBERS for tensor in operator.tensors)


def _demands(operator: Operator) -> list[Parameter]:
    """The required parameters, but for the count of a list, which is filled in."""
    return [parameter for parameter in operator.required if parameter.name != operator.variadic_count]


def single_tensors(operator: Operator) -> bool:
    """One or several single tensors of any numbers, and nothing else to decide."""
    kinds = _kinds(operator)
    return _plain(operator) and bool(kinds) and set(kinds) == {TensorKind.SINGLE} and not _demands(operator)


def reduces(operator: Operator) -> bool:
    """One tensor, an axis, and whether to keep the reduced dimensions."""
    has_parameters = all(operator.parameter(name) for name in ("axis", "keepdims"))
    return has_parameters and single_tensors(operator) and len(operator.tensors) == 1


def lists(operator: Operator) -> bool:
    """One list of tensors with a parameter for their number, and nothing else to decide."""
    counted = bool(operator.variadic_count)
    return _plain(operator) and counted and _kinds(operator) == [TensorKind.VARIADIC] and not _demands(operator)


def settled_by_type(operator: Operator) -> bool:
    """One tensor of any numbers, and required switches and enums, which have no illegal value."""
    is_harmless = all(item.type.form in (Form.BOOLEAN, Form.ENUM) for item in _demands(operator))
    return _plain(operator) and _kinds(operator) == [TensorKind.SINGLE] and is_harmless


def _call(spec: InputSpec, shape: Shape, params: Mapping[str, Value] | None = None) -> Inputs:
    tensors: dict[str, Draft | tuple[Draft, ...]] = {
        item.name: (Draft(shape),) * SEVERAL if item.kind is TensorKind.VARIADIC else Draft(shape)
        for item in spec.operator.tensors
    }
    required = {item.name: _simplest(item) for item in _demands(spec.operator)}
    return Inputs(tensors, {**required, **(params or {})})


def _simplest(parameter: Parameter) -> Value:
    kind = parameter.type
    if kind.form is Form.ENUM and kind.choices:
        return "float32" if "float32" in kind.choices else kind.choices[0]
    values: dict[Form, Value] = {Form.BOOLEAN: False, Form.INTEGER: 1, Form.FLOAT: 1.0}
    return values.get(kind.form)


def _axis(spec: InputSpec, axis: int) -> dict[str, Value]:
    parameter = spec.operator.parameter("axis")
    tuple_ = parameter is not None and parameter.type.form in (Form.SHAPE, Form.TUPLE)
    return {"axis": (axis,) if tuple_ else axis}


@rule(
    category="reduction",
    canonical=sized(lambda spec, shape: _call(spec, shape, _axis(spec, 1)), MATRIX_SHAPES),
    matches=reduces,
    rank=10,
)
def reduction(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """One tensor, one of its axes, and whether to keep the reduced dimension."""
    shape = draw(shapes(1, 4, spec.elements))
    return _call(spec, shape, {**_axis(spec, draw(axes(len(shape)))), "keepdims": draw(st.booleans())})


@misc_rule(canonical=sized(_call, MATRIX_SHAPES), matches=single_tensors, rank=20)
def same_shape(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """One tensor, or several of one shape, and every parameter at its default."""
    return _call(spec, draw(shapes(1, 4, spec.elements)))


@misc_rule(canonical=sized(_call, MATRIX_SHAPES), matches=lists, rank=30)
def list_of_same_shape(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Three tensors of one shape."""
    return _call(spec, draw(shapes(1, 4, max(1, spec.elements // SEVERAL))))


@misc_rule(canonical=sized(_call, MATRIX_SHAPES), matches=settled_by_type, rank=40)
def plainest_parameters(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """One tensor, and the plainest value of each switch and enum that must be given."""
    return _call(spec, draw(shapes(1, 4, spec.elements)))
