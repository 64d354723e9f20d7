"""Warm-up of a process before its first case."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from autoperf.backends.mxnet.capi.dtypes import CPU
from autoperf.backends.mxnet.capi.library import Library
from autoperf.core.case import Case
from autoperf.core.errors import EngineError
from autoperf.executor.call import Call, describe, differentiable_inputs
from autoperf.executor.messages import BackwardRequest
from autoperf.executor.runner import Runner
from autoperf.executor.suite import SuiteFile

# Written like any suite file, so that loading it imports what these import.
_FILE = """\
from autoperf.bench import *
SUITE = Suite(operator={operator!r}, category="warm_up")
@case()
def warm_up():
    return dict({arguments})
"""


def warm_up_case(operator: str, arguments: str) -> Case:
    """A case that is loaded from a suite file in memory."""
    descriptor = os.memfd_create("autoperf-warm-up")
    try:
        os.write(descriptor, _FILE.format(operator=operator, arguments=arguments).encode())
        return SuiteFile(Path(f"/proc/self/fd/{descriptor}")).build("warm_up")
    finally:
        os.close(descriptor)


def warm_up_call(library: Library) -> None:
    """Runs a fully connected layer once: oneDNN compiles its matrix kernels then, which takes a tenth of a second.

    It takes no temporary space (checked by a test), so that it doesn't affect the memory of forks.
    """
    arguments = "data=tensor((2, 2)), weight=tensor((2, 2)), bias=tensor((2,)), num_hidden=2"
    with contextlib.suppress(EngineError):
        call = Call(library, warm_up_case("FullyConnected", arguments), CPU)
        call.request_gradients(BackwardRequest(differentiable_inputs(call.case)))
        runner = Runner(call)
        outputs = runner.forward()
        call.make_heads([describe(library, handle) for handle in outputs])
        runner.backward(outputs)
        runner.release(outputs)
        call.free()
