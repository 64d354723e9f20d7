"""Tensors of more than 2**32 elements: which builds have them, and how they are measured."""

from __future__ import annotations

from collections.abc import Collection

import msgspec

from autoperf.core.errors import UsageError
from autoperf.executor.messages import Build
from autoperf.executor.settings import Settings

FEATURE = "INT64_TENSOR_SIZE"
# A call takes seconds and an array gigabytes, so the defaults of other inputs would take hours.
DEFAULTS = {"timeout": 900.0, "processes": 1, "warmup": 0, "runs": 1}


def settings_for_large(settings: Settings, given: Collection[str]) -> Settings:
    """The settings with the defaults of such tensors, except for the `given` names, which the user has set."""
    free = {name: value for name, value in DEFAULTS.items() if name not in given}
    if {"precision", "max_time"} & set(given):
        free.pop("runs", None)
    return msgspec.structs.replace(settings, **free)


def require_int64_tensors(build: Build) -> None:
    """Raises UsageError if a build has no tensors of 2**31 elements or more."""
    if not build.features.get(FEATURE):
        raise UsageError(
            f"--int64-tensor on needs a build with {FEATURE}, such as MXNet 2.0.0b1: MXNet {build.version} is built "
            "without it, and its tensors have fewer than 2**31 elements"
        )
