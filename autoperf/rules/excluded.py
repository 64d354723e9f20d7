"""Operators that can't be called with tensors and parameters on a CPU, each with what MXNet says when it is tried."""

from __future__ import annotations

from autoperf.rules.rule import Exclusion, Reason

GPU_ONLY = tuple(
    Exclusion((name,), Reason.GPU_ONLY, f'MXNet: "{said} is only available for GPU."')
    for name, said in (
        ("_contrib_fft", "fft"),
        ("_contrib_ifft", "ifft"),
        ("_contrib_count_sketch", "CountSketch"),
    )
)

NO_GRADIENT = Exclusion(
    ("_NoGradient",),
    Reason.NO_KERNEL,
    'A marker in gradient graphs; MXNet: "Operator _NoGradient is missing FInferType attribute".',
)

FUSED = Exclusion(
    ("_sg_mkldnn_conv", "_sg_mkldnn_fully_connected"),
    Reason.NEEDS_GRAPH,
    "Holds the graph that it fuses, made by a graph pass; its inputs are known to that graph alone "
    "(MXNet: \"Cannot find argument 'num_args'\").",
)

FUSED_ATTENTION = Exclusion(
    ("_sg_mkldnn_selfatt_qk", "_sg_mkldnn_selfatt_valatt"),
    Reason.NEEDS_GRAPH,
    "Made by a graph pass for quantized attention; called by itself it ends the process with a segmentation fault.",
)

CACHED_GRAPHS = Exclusion(
    ("_CachedOp", "_CachedOpThreadSafe"),
    Reason.FRONT_END_POINTER,
    'Holds a compiled graph that CreateCachedOp makes; MXNet: "Check failed: type_ != nullptr: The any container is '
    'empty requested=...CachedOp".',
)

PYTHON_FUNCTIONS = Exclusion(
    ("_CustomFunction",),
    Reason.FRONT_END_POINTER,
    'Holds the callbacks of an autograd.Function; MXNet: "Check failed: type_ != nullptr: The any container is empty '
    'requested=...CustomFunctionParam".',
)

CALLBACKS = Exclusion(
    ("_Native", "_NDArray"),
    Reason.FRONT_END_POINTER,
    'The parameter `info` is the address of callbacks; MXNet: "Required parameter info of ptr is not presented", and '
    "with any other number the process ends.",
)

CUSTOM = Exclusion(
    ("Custom",),
    Reason.FRONT_END_POINTER,
    'Calls an operator that a program registered as callbacks; MXNet: "Cannot find custom operator".',
)

DEVICE_COPY = Exclusion(
    ("_CrossDeviceCopy",),
    Reason.SEVERAL_DEVICES,
    "Placed by the executor between two devices; called by itself MXNet says "
    '"Check failed: exec_type == ExecType::kAsync".',
)

DECODING = Exclusion(
    ("_imdecode",),
    Reason.FRONT_END_POINTER,
    "The encoded image travels as a C string beside the listed arguments, so it ends at its first zero byte; MXNet: "
    '"Check failed: num_params == 1 (0 vs. 1)".',
)

COPIES_INTO = Exclusion(
    ("_copyto", "_set_value"),
    Reason.NEEDS_OUTPUT,
    'Writes into an array that the caller brings; without one MXNet says "Set value target must not be empty" and '
    '"Operator _copyto is missing FInferType attribute".',
)
