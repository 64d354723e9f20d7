"""Kernels that MXNet's engine runs around an operator, by their names in traces of releases 1.6.0 to 2.0.0b1."""

from __future__ import annotations

from autoperf.backends.protocol import KernelRoles

COPIES = frozenset(
    {
        "CopyCPU2CPU",
        "CopyCPU2GPU",
        "CopyGPU2CPU",
        "CopyGPU2GPU",
        "_copyto_GPU2GPU",
        "SyncCopyCPU2GPU",
        "SyncCopyGPU2CPU",
        "SyncCopyFromNDArrayCPU2CPU",
        "SyncCopyFromNDArrayCPU2GPU",
        "SyncCopyFromNDArrayGPU2CPU",
    }
)
FILLING = "SetValueOp"
MAINTENANCE = frozenset(
    {
        "CheckFormat",
        "CustomOperatorWait",
        "DeleteVariable",
        "Reorder",
        "Reorder2Default",
        "ResourceNativeRandomSetSeed",
        "ResourceParallelRandomSetSeed",
        "ResourceRandomSetSeed",
        "SetupExec",
        "WaitForVar",
    }
)
ENGINE_KERNELS = COPIES | MAINTENANCE | {FILLING}
ZERO_GRADIENTS = frozenset({"_zeros", "_zeros_without_dtype", "zeros_like"})
"""Kernels that fill gradients that are zero by definition."""
DEFAULT_HEAD_GRADIENT = "_ones"
HELPERS = ENGINE_KERNELS | ZERO_GRADIENTS | {DEFAULT_HEAD_GRADIENT}
ROLES = KernelRoles(HELPERS, MAINTENANCE, COPIES, FILLING, bulk="ImperativeBulk")
