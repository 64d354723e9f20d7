"""Finds backends by name: the only module outside a backend's folder that imports it."""

from __future__ import annotations

import importlib
import re
from typing import cast

from autoperf.backends.protocol import Backend
from autoperf.core.errors import UsageError

MXNET = "mxnet"
BACKENDS = {MXNET: "autoperf.backends.mxnet.backend:BACKEND"}
_PLACE = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")


def names_code(name: str) -> bool:
    """Whether a framework's name is `module:attribute`, which imports a module of the user."""
    return name not in BACKENDS


def backend_of(name: str) -> Backend:
    """The backend of this name, or at this `module:attribute`. Raises UsageError if there is none."""
    place = BACKENDS.get(name, name)
    if not _PLACE.fullmatch(place):
        raise UsageError(f"unknown framework {name!r}: expected {' or '.join(BACKENDS)}")
    module, _, attribute = place.partition(":")
    try:
        return cast("Backend", getattr(importlib.import_module(module), attribute))
    except (ImportError, AttributeError) as error:
        raise UsageError(f"the framework {name!r} can't be used: {error}") from error
