"""Warm-up of a process before its first case."""

from __future__ import annotations

import contextlib

from autoperf.backends.contents import differentiable_inputs
from autoperf.backends.mxnet.call import Call
from autoperf.backends.mxnet.capi.library import Library
from autoperf.backends.passes import backward, forward, release
from autoperf.backends.protocol import CPU, BackwardRequest
from autoperf.core.case import Case, Input
from autoperf.core.errors import EngineError
from autoperf.core.tensors import TensorSpec, default_content


def _case(operator: str, inputs: dict[str, tuple[int, ...]], **params: int) -> Case:
    content = default_content("float32")
    tensors = tuple(Input(name, TensorSpec(shape, "float32", content)) for name, shape in inputs.items())
    return Case(operator=operator, category="warm_up", profile="warm_up", inputs=tensors, params=dict(params))


TRIAL_WARM_UP = _case("exp", {"data": (2, 2)})
"""A case that needs no workspace."""
_LAYER = _case("FullyConnected", {"data": (2, 2), "weight": (2, 2), "bias": (2,)}, num_hidden=2)


def warm_up_call(library: Library) -> None:
    """Runs a fully connected layer once: oneDNN compiles its matrix kernels then, which takes a tenth of a second.

    It takes no temporary space (checked by a test), so that it doesn't affect the memory of forks.
    """
    with contextlib.suppress(EngineError):
        call = Call(library, _LAYER, CPU)
        call.request_gradients(BackwardRequest(differentiable_inputs(call.case)))
        outputs = forward(call)
        call.make_heads(call.describe(outputs))
        backward(call, outputs)
        release(call, outputs)
        call.free()
