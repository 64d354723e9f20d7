"""Devices, single passes of a prepared call, and which kernels of a pass are the operator's own."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TypeAlias

from autoperf.backends.protocol import KernelRoles, Outputs, PreparedCall
from autoperf.core.errors import UsageError


def forward(call: PreparedCall) -> Outputs:
    """Runs a forward pass, recorded if the call has gradients; returns its outputs, which `release` frees."""
    with call.mode():
        outputs = call.invoke()
        wait(call)
    return outputs


def backward(call: PreparedCall, outputs: Outputs) -> None:
    """Runs a backward pass from recorded outputs with the call's head gradients."""
    call.run_backward(outputs)
    wait(call)


def release(call: PreparedCall, outputs: Outputs) -> None:
    """Frees outputs and waits for their deletion, so that it doesn't overlap with the next call."""
    call.invoke.free(outputs)
    wait(call)


def wait(call: PreparedCall) -> None:
    """Waits until the framework is idle. Raises EngineError if something failed."""
    if call.idle():
        call.check()


def own_forward(names: Iterable[str], operator: str | None, roles: KernelRoles) -> tuple[tuple[str, ...], str]:
    """The operator's own kernels in a forward pass, and a note if they were identified by exclusion.

    A kernel with the operator's name is its own. Without one, all kernels that are not helpers are; else the copies, as
    for `_copyto`; else fills with a constant, as for `_set_value`. A call of the front end, which has no operator, owns
    all kernels but the engine's maintenance.
    """
    seen = dict.fromkeys(names)
    if operator is None:
        return tuple(name for name in seen if name not in roles.maintenance), ""
    if operator in seen:
        return (operator,), ""
    own = own_backward(seen, roles) or tuple(name for name in seen if name == roles.filling)
    is_noted = own and operator and roles.named
    return own, f"no kernel is named {operator}; counted are {', '.join(own)}" if is_noted else ""


def own_backward(names: Iterable[str], roles: KernelRoles) -> tuple[str, ...]:
    """The gradient's kernels in a backward pass: all that are not helpers, or else the copies."""
    seen = dict.fromkeys(names)
    own = tuple(name for name in seen if name not in roles.helpers)
    return own or tuple(name for name in seen if name in roles.copies)


Context: TypeAlias = tuple[str, int]
CPU: Context = ("cpu", 0)
MAX_GPUS = 255


def parse_context(text: str) -> Context:
    """ "cpu", "gpu" or "gpu(1)" as a device and its number; raises UsageError for anything else."""
    match = re.fullmatch(r"(cpu|gpu)(?:\((\d+)\))?", text)
    if match is None:
        raise UsageError(f"invalid --ctx {text!r}: expected cpu, gpu(0), gpu(1), ...")
    device, index = match[1], int(match[2] or 0)
    if index > (0 if device == "cpu" else MAX_GPUS):
        raise UsageError(f"invalid --ctx {text!r}: expected cpu, or a GPU up to gpu({MAX_GPUS})")
    return device, index
