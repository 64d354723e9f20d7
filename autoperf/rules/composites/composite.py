"""A composite: a graph that a function builds by operator calls on values, from a size; and all composites."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import TypeAlias

from hypothesis import strategies as st

from autoperf.core.errors import RuleError
from autoperf.core.graph import STATIC_FLAGS, Graph, Node
from autoperf.core.operator import COMPOSITE_NAMESPACE, Form, Operator, Parameter, ParameterType, Registry, Role, Value
from autoperf.core.tensors import AnyContent, Integers, Shape
from autoperf.rules import composites
from autoperf.rules.rule import Draft, Inputs, InputSpec, Rule, modules_of, rule
from autoperf.rules.table import drawn_size, sized

GRAPH = "graph"
"""The name of a composite's graph among the inputs of its cases."""
_FOLDER = os.path.join(os.path.dirname(__file__), "")  # noqa: PTH118, PTH120 - compared with each node's frame


def _operator(of_values: str, with_number: str) -> Callable[[GraphValue, Operand], GraphValue]:
    def method(self: GraphValue, other: Operand) -> GraphValue:
        if isinstance(other, GraphValue):
            return self.call(of_values, other)
        return self.call(with_number, scalar=float(other))

    return method


def _unary(operator: str) -> Callable[[GraphValue], GraphValue]:
    def method(self: GraphValue) -> GraphValue:
        return self.call(operator)

    return method


@dataclass(frozen=True, eq=False)
class GraphValue:
    """A tensor of a graph: one of its inputs, or an output of an operator.

    Arithmetic with another value broadcasts, as do comparisons and the larger or smaller of both. `name` is a reference
    in the graph: `split`, or `split[1]`.
    """

    builder: GraphBuilder
    name: str

    def call(self, operator: str, *others: GraphValue, **params: Value) -> GraphValue:
        """An operator of MXNet with this value as its first input."""
        return self.builder.call(operator, self, *others, **params)

    def __getitem__(self, output: int) -> GraphValue:
        """Another output of the operator that made this value."""
        return GraphValue(self.builder, f"{self.name}[{output}]" if output else self.name)

    __add__ = __radd__ = _operator("broadcast_add", "_plus_scalar")
    __sub__ = _operator("broadcast_sub", "_minus_scalar")
    __mul__ = __rmul__ = _operator("broadcast_mul", "_mul_scalar")
    __truediv__ = _operator("broadcast_div", "_div_scalar")
    __pow__ = _operator("broadcast_power", "_power_scalar")
    __gt__ = _operator("broadcast_greater", "_greater_scalar")
    __ge__ = _operator("broadcast_greater_equal", "_greater_equal_scalar")
    __lt__ = _operator("broadcast_lesser", "_lesser_scalar")
    __le__ = _operator("broadcast_lesser_equal", "_lesser_equal_scalar")
    maximum = _operator("broadcast_maximum", "_maximum_scalar")
    minimum = _operator("broadcast_minimum", "_minimum_scalar")

    __neg__ = _unary("negative")
    exp = _unary("exp")
    log = _unary("log")
    sqrt = _unary("sqrt")
    square = _unary("square")
    abs = _unary("abs")
    sigmoid = _unary("sigmoid")

    def __rsub__(self, other: float) -> GraphValue:
        return self.call("_rminus_scalar", scalar=other)

    def __rtruediv__(self, other: float) -> GraphValue:
        return self.call("_rdiv_scalar", scalar=other)

    def __rpow__(self, other: float) -> GraphValue:
        return self.call("_rpower_scalar", scalar=other)

    def clip(self, low: float, high: float) -> GraphValue:
        """Each element within these limits."""
        return self.call("clip", a_min=low, a_max=high)

    def sum(self, *axes: int, keepdims: bool = False) -> GraphValue:
        """The sum over these axes, or over all."""
        return self._reduced("sum", axes, keepdims)

    def mean(self, *axes: int, keepdims: bool = False) -> GraphValue:
        """The mean over these axes, or over all."""
        return self._reduced("mean", axes, keepdims)

    def max(self, *axes: int, keepdims: bool = False) -> GraphValue:
        """The maximum over these axes, or over all."""
        return self._reduced("max", axes, keepdims)

    def min(self, *axes: int, keepdims: bool = False) -> GraphValue:
        """The minimum over these axes, or over all."""
        return self._reduced("min", axes, keepdims)

    def reshape(self, *shape: int) -> GraphValue:
        """Another shape, with MXNet's codes: 0 keeps a dimension, -1 is the rest."""
        return self.call("Reshape", shape=shape)

    def transpose(self, *axes: int) -> GraphValue:
        """The axes in this order."""
        return self.call("transpose", axes=axes)

    def expand(self, axis: int) -> GraphValue:
        """A new axis of size 1."""
        return self.call("expand_dims", axis=axis)

    def columns(self, begin: int, end: int) -> GraphValue:
        """A part of the last axis, from `begin` to below `end`."""
        return self.call("slice_axis", axis=-1, begin=begin, end=end)

    def softmax(self, axis: int = -1) -> GraphValue:
        """exp(x) as a share of its sum over an axis."""
        return self.call("softmax", axis=axis)

    def detached(self) -> GraphValue:
        """The value without its gradient: none flows through it."""
        return self.call("BlockGrad")

    def _reduced(self, operator: str, axes: tuple[int, ...], keepdims: bool) -> GraphValue:
        params: dict[str, Value] = {"axis": axes} if axes else {}
        return self.call(operator, **params, **({"keepdims": True} if keepdims else {}))


Operand: TypeAlias = GraphValue | float


class GraphBuilder:
    """Collects the inputs and the operator calls of the composite `name`, whose floating tensors have `dtype`."""

    def __init__(self, name: str, dtype: str = "float32") -> None:
        self.name, self.dtype = name, dtype
        self._tensors: dict[str, Draft] = {}
        self._nodes: list[Node] = []
        self._places: dict[str, str] = {}

    def tensor(self, name: str, *shape: int, content: AnyContent | None = None) -> GraphValue:
        """An input of this shape. Raises RuleError for a name that is taken."""
        if name in self._tensors:
            raise RuleError(f"{self.name}: invalid input {name!r}: expected a name that no other input has")
        self._tensors[name] = Draft(shape, content=content)
        return GraphValue(self, name)

    def indices(self, name: str, *shape: int, below: int) -> GraphValue:
        """An input of whole numbers from 0 to below a number, in the floating dtype, as MXNet takes them."""
        return self.tensor(name, *shape, content=Integers(0, below))

    def call(self, operator: str, *inputs: GraphValue, **params: Value) -> GraphValue:
        """The first output of an operator of MXNet, by the name that is registered."""
        name = f"{operator.strip('_').lower()}_{len(self._nodes)}"
        self._nodes.append(Node(name, operator, tuple(value.name for value in inputs), params))
        # The line of the user's code that calls the builder; none for a composite of autoperf.
        frame = inspect.currentframe()
        while frame and frame.f_code.co_filename == __file__:
            frame = frame.f_back
        if frame and not frame.f_code.co_filename.startswith(_FOLDER):
            self._places[name] = f"{frame.f_code.co_filename}, line {frame.f_lineno}"
        return GraphValue(self, name)

    def arange(self, stop: int) -> GraphValue:
        """0, 1, ... below `stop`."""
        return self.call("_arange", start=0, stop=stop, dtype=self.dtype)

    def concat(self, *values: GraphValue, axis: int = -1) -> GraphValue:
        """The values one after the other along an axis."""
        return self.call("Concat", *values, num_args=len(values), dim=axis)

    def stack(self, *values: GraphValue, axis: int = -1) -> GraphValue:
        """The values along a new axis."""
        return self.call("stack", *values, num_args=len(values), axis=axis)

    def where(self, condition: GraphValue, then: GraphValue, otherwise: GraphValue) -> GraphValue:
        """Elements of `then` where the condition isn't zero, and of `otherwise` elsewhere; all of one shape."""
        return self.call("where", condition, then, otherwise)

    def inputs(self, outputs: Sequence[GraphValue], *, differentiable: bool) -> Inputs:
        """The call of the graph with these outputs, eagerly. Raises RuleError for an unused input, or none at all."""
        variables = tuple(self._tensors)
        if not variables:
            raise RuleError(
                f"{self.name}: invalid graph: expected an input, made by tensor(...): MXNet compiles no other"
            )
        graph = Graph(variables, tuple(self._nodes), tuple(value.name for value in outputs))
        order = graph.input_order()
        unused = [name for name in variables if name not in order]
        if unused:
            raise RuleError(f"{self.name}: invalid input {unused[0]!r}: expected an input that an output needs")
        tensors = {name: self._tensors[name] for name in order}
        graph = Graph(order, graph.nodes, graph.outputs)
        return Inputs(tensors, training=differentiable, graphs={GRAPH: graph}, way="eager", places=self._places)


Sizes: TypeAlias = Mapping[str, Shape]
"""The arguments of a composite by profile: how many boxes, classes, channels, ..."""
BuildGraph: TypeAlias = Callable[..., GraphValue | tuple[GraphValue, ...]]


def composite(sizes: Sizes, *, differentiable: bool = True) -> Callable[[BuildGraph], Rule]:
    """A decorator that makes a function the composite of its name.

    The function gets a GraphBuilder and the numbers of a size, and returns the outputs. `differentiable` says whether
    a backward pass is measured. Drawn sizes lie between the smallest and the largest canonical ones.
    """

    def decorate(build: BuildGraph) -> Rule:
        def inputs(spec: InputSpec, size: Shape) -> Inputs:
            builder = GraphBuilder(build.__name__, spec.dtype)
            try:
                made = build(builder, *size)
                outputs = made if isinstance(made, tuple) else (made,)
                if not outputs or not all(isinstance(output, GraphValue) for output in outputs):
                    raise RuleError(
                        f"{build.__name__}: invalid result {made!r}: expected a value of the graph, or a tuple of such "
                        "values; return the values that operators gave"
                    )
                return builder.inputs(outputs, differentiable=differentiable)
            except RuleError as error:
                code = inspect.unwrap(build).__code__
                raise RuleError(f"{code.co_filename}, line {code.co_firstlineno}: {error}") from error

        def drawn(draw: st.DrawFn, spec: InputSpec) -> Inputs:
            return inputs(spec, drawn_size(draw, sizes.values(), spec.elements))

        drawn.__module__, drawn.__name__, drawn.__doc__ = build.__module__, build.__name__, build.__doc__
        return rule(build.__name__, category=COMPOSITE_NAMESPACE, canonical=sized(inputs, sizes))(drawn)

    return decorate


_FLAGS = tuple(Parameter(name, ParameterType(Form.BOOLEAN, "boolean"), required=False) for name in sorted(STATIC_FLAGS))


def composite_modules() -> Iterator[ModuleType]:
    """The modules of families, in the order of their names."""
    return modules_of(composites, "composite")


def stand_ins(rules: Iterable[Rule], registry: Registry) -> Iterator[Operator]:
    """Operators that stand for the composites among these rules. Raises RuleError for one with an operator's name."""
    registered = {name for operator in registry.operators for name in operator.names}
    names = {name: each for each in rules if each.category == COMPOSITE_NAMESPACE for name in each.names}
    for name, each in names.items():
        if name in registered:
            raise RuleError(
                f"{each.source}: invalid composite {name!r}: expected a name that no operator of MXNet "
                f"{registry.mxnet} has"
            )
        yield Operator(name, Role.FORWARD, COMPOSITE_NAMESPACE, parameters=_FLAGS)
