"""Which builds have tensors of more than 2**32 elements."""

from __future__ import annotations

from autoperf.core.errors import UsageError
from autoperf.executor.messages import Build

FEATURE = "INT64_TENSOR_SIZE"


def require_int64_tensors(build: Build) -> None:
    """Raises UsageError if a build has no tensors of 2**31 elements or more."""
    if not build.features.get(FEATURE):
        raise UsageError(
            f"--int64-tensor on needs a build with {FEATURE}, such as MXNet 2.0.0b1: MXNet {build.version} is built "
            "without it, and its tensors have fewer than 2**31 elements"
        )
