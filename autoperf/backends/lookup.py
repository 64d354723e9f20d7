"""Finds backends by name: the only module outside a backend's folder that imports it."""

from __future__ import annotations

import importlib
import os
import re
from collections.abc import Sequence
from typing import NamedTuple, cast

from autoperf.backends.protocol import Backend
from autoperf.core.errors import UsageError
from autoperf.core.files import expanded_path
from autoperf.implementations.implementation import FRAMEWORKS

MXNET = "mxnet"
BACKENDS = {name: f"autoperf.backends.{name}.backend:BACKEND" for name in (MXNET, *FRAMEWORKS)}
WAYS = {
    f"{each.name}:{way}": f"autoperf.backends.{each.name}.backend:{way.upper()}"
    for each in FRAMEWORKS.values()
    for way in each.ways
}
"""Compiled ways of frameworks; each is a backend of its own."""
_PLACES = {**BACKENDS, **WAYS}
_PLACE = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")


class FrameworkChoice(NamedTuple):
    """A framework or a way of one, and its version or path: `torch`, `torch:compile@2.13.0` or `torch=PATH`."""

    name: str
    hint: str | None = None

    @property
    def names_code(self) -> bool:
        """Whether it imports a module of the user, or runs the user's interpreter."""
        return self.name not in _PLACES or (self.hint is not None and os.sep in self.hint)

    def __str__(self) -> str:
        return f"{self.name}{'=' if os.sep in self.hint else '@'}{self.hint}" if self.hint is not None else self.name


def parse_framework(text: str) -> FrameworkChoice:
    """`NAME`, `NAME@VERSION` or `NAME=PATH`, which becomes absolute. Raises UsageError for an empty part."""
    match = re.fullmatch(r"([^@=]+)(?:([@=])(.+))?", text.strip())
    if match is None:
        raise UsageError(f"invalid framework {text!r}: expected NAME, NAME@VERSION or NAME=PATH")
    name, sign, hint = match.groups()
    return FrameworkChoice(name, str(expanded_path(hint, "--framework").absolute()) if sign == "=" else hint)


def parse_other_framework(text: str) -> FrameworkChoice:
    """As `parse_framework`, of one that follows MXNet. Raises UsageError."""
    choice = parse_framework(text)
    if choice.name == MXNET:
        raise UsageError(f"invalid --against {text}: expected another framework; two builds are --mxnet A --mxnet B")
    if not backend_of(choice.name).follows:
        raise UsageError(f"invalid --against {text}: expected {', '.join(FRAMEWORKS)}")
    return choice


def has_several(frameworks: Sequence[str]) -> bool:
    """Whether these choices are of different frameworks. Raises UsageError."""
    return len({parse_framework(each).name for each in frameworks}) > 1


def framework_of(name: str) -> str:
    """The framework of a way: `torch` of `torch:compile`; another name is unchanged."""
    return name.partition(":")[0] if name in WAYS else name


def backend_of(name: str) -> Backend:
    """The backend of this name, or at this `module:attribute`. Raises UsageError if there is none."""
    place = _PLACES.get(name, name)
    base, colon, way = name.partition(":")
    if place == name and colon and base in BACKENDS:
        raise UsageError(f"unknown way {way!r} of {base}: the compiled ways are {', '.join(WAYS)}")
    if not _PLACE.fullmatch(place):
        raise UsageError(f"unknown framework {name!r}: expected {', '.join(_PLACES)}")
    module, _, attribute = place.partition(":")
    try:
        return cast("Backend", getattr(importlib.import_module(module), attribute))
    except (ImportError, AttributeError) as error:
        raise UsageError(f"the framework {name!r} can't be used: {error}") from error
