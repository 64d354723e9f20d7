"""Calls, and the results of inference and gradients for them: values that don't need MXNet."""

from __future__ import annotations

import msgspec

from autoperf.core.case import NON_ARGUMENTS, Case
from autoperf.core.graph import ExecutionMode, Graph
from autoperf.core.operator import Value
from autoperf.core.tensors import ArrayType

UNKNOWN_DIMENSION = -1


class InferenceCall(msgspec.Struct, frozen=True, omit_defaults=True):
    """A call of an operator, as far as it is known.

    `inputs` maps names (`data`, or `data[0]`, `data[1]`, ... of a list) to types; missing inputs are inferred. A
    dimension of -1 is unknown. `np_shape` switches NumPy shape semantics; None: by the operator's name. A call that
    isn't imperative (`way`) lists all inputs, in the operator's order.
    """

    operator: str
    inputs: dict[str, ArrayType] = {}
    params: dict[str, Value] = {}
    np_shape: bool | None = None
    graphs: dict[str, Graph] = {}
    way: ExecutionMode = "call"

    @property
    def composed(self) -> bool:
        """Whether the operator runs in a graph."""
        return self.way != "call"


class Completion(msgspec.Struct, frozen=True, omit_defaults=True):
    """The result of inference for a call.

    `inputs` are in the operator's order, with inferred shapes and dtypes; the operator updates those in `auxiliary`;
    those in `unknown` have no (complete) shape. `outputs` are the visible outputs; if their shapes depend on the
    contents of the inputs they are empty and `dynamic` is set. `error` is MXNet's message if the call is invalid;
    the rest is empty then, except `malformed`, which is set if a graph has an invalid reference.
    """

    inputs: tuple[tuple[str, ArrayType], ...] = ()
    auxiliary: tuple[str, ...] = ()
    outputs: tuple[ArrayType, ...] = ()
    unknown: tuple[str, ...] = ()
    dynamic: bool = False
    error: str = ""
    malformed: bool = False

    @property
    def valid(self) -> bool:
        """Whether MXNet accepts the call and every input is known."""
        return not self.error and not self.unknown


class Gradient(msgspec.Struct, frozen=True, omit_defaults=True):
    """Whether MXNet can differentiate a call, and the backward kernels.

    `differentiable` is None if unknown; `error` says why. `source` is "graph" (MXNet's gradient pass) or "run" (a
    recorded run in a separate process).
    """

    differentiable: bool | None = None
    kernels: tuple[str, ...] = ()
    source: str = ""
    error: str = ""


def call_of(case: Case) -> InferenceCall:
    """The call of a case, with all inputs known."""
    known = {
        item.name: ArrayType(item.tensor.shape, item.tensor.dtype)
        for item in case.inputs
        if item.name not in NON_ARGUMENTS
    }
    return InferenceCall(case.operator, known, case.params, graphs=dict(case.graphs), way=case.way)


def uses_np_shape(call: InferenceCall) -> bool:
    """Whether the call uses NumPy shape semantics: as it sets, else by the operator's name."""
    return call.operator.startswith("_np") if call.np_shape is None else call.np_shape
