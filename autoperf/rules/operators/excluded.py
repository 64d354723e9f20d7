"""Operators that can't be called with tensors and parameters on a CPU, each with the error that MXNet raises."""

from __future__ import annotations

from autoperf.rules.rule import Exclusion, Reason

GPU_ONLY = tuple(
    Exclusion((name,), Reason.GPU_ONLY, f'MXNet: "{kernel} is only available for GPU."')
    for name, kernel in (
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
