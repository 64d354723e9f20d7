"""What is asked of inference and gradients, and what is answered: plain values, without MXNet."""

from __future__ import annotations

import msgspec

from autoperf.core.case import NON_ARGUMENTS, Case
from autoperf.core.graph import ExecutionMode, Graph
from autoperf.core.operator import Value
from autoperf.core.tensors import ArrayType

UNKNOWN_DIMENSION = -1


class InferenceCall(msgspec.Struct, frozen=True, omit_defaults=True):
    """An operator with what is known of a call of it.

    `inputs` maps names (`data`, or `data[0]`, `data[1]`, ... of a list) to types; what is missing is inferred. A
    dimension of -1 is unknown. `np_shape` says whether NumPy shape semantics are on; None: by the operator's name.
    One that is no plain call (`way`) names all of its inputs, in the operator's order.
    """

    operator: str
    inputs: dict[str, ArrayType] = {}
    params: dict[str, Value] = {}
    np_shape: bool | None = None
    graphs: dict[str, Graph] = {}
    way: ExecutionMode = "call"

    @property
    def composed(self) -> bool:
        """Whether the call is one of a graph."""
        return self.way != "call"


class Completion(msgspec.Struct, frozen=True, omit_defaults=True):
    """What inference makes of a call.

    `inputs` are in the operator's order, with every shape and dtype that could be inferred; those in `auxiliary` the
    operator updates; of those in `unknown` the shape is not (fully) known. `outputs` are the visible outputs; if
    inference can't tell their shapes (they depend on the contents of the inputs) they are empty and `dynamic` is
    set. `error` is MXNet's reason why there is no such call; then all else is empty, but
    that it is `malformed` where a graph refers to what isn't there.
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
    """Whether a call can be differentiated, and by which kernels, as MXNet itself says.

    `differentiable` is None where it could not be found out; `error` says why. `source` is "graph" (MXNet's gradient
    pass) or "run" (a recorded run in a process of its own).
    """

    differentiable: bool | None = None
    kernels: tuple[str, ...] = ()
    source: str = ""
    error: str = ""


def call_of(case: Case) -> InferenceCall:
    """The call that a case is, with all of its inputs known."""
    known = {
        item.name: ArrayType(item.tensor.shape, item.tensor.dtype)
        for item in case.inputs
        if item.name not in NON_ARGUMENTS
    }
    return InferenceCall(case.operator, known, case.params, graphs=dict(case.graphs), way=case.way)


def uses_np_shape(call: InferenceCall) -> bool:
    """Whether the call runs under NumPy shape semantics: as it says, else if its name is one of NumPy's."""
    return call.operator.startswith("_np") if call.np_shape is None else call.np_shape
