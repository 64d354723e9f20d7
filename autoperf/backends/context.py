"""Devices as a user names them: `cpu`, `gpu`, `gpu(1)`."""

from __future__ import annotations

import re
from typing import TypeAlias

from autoperf.core.errors import UsageError

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
