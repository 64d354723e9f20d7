"""Layers of Gluon as cases: the ways in which they run, and the parameter that says so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from autoperf.core.errors import CaseFileError, UsageError
from autoperf.core.operator import Operator, Value

CATEGORY = "gluon"
PREFIX = "gluon_"
"""Before a layer's class, in the name of its cases: `gluon_Dense`."""
HYBRIDIZE = "hybridize"
"""The parameter of a layer's cases that is no constructor argument: how its block is hybridized."""
IMPERATIVE = "imperative"
STATIC = "static"
WAYS: Mapping[str, Value] = {IMPERATIVE: False, "hybridized": True, STATIC: STATIC}
"""How a layer runs, as its cases' profiles and parameter say; static: with `static_alloc` and `static_shape`."""


def check_hybridize(params: Mapping[str, Value]) -> None:
    """Raises CaseFileError for parameters of a layer that don't say how it runs."""
    way = params.get(HYBRIDIZE, False)
    if way not in WAYS.values():
        raise CaseFileError(f"invalid {HYBRIDIZE} {way!r}: expected False, True or {STATIC!r}")


def missing_arguments(layer: str, names: Sequence[str]) -> UsageError:
    """The error for a layer, as users write it, without arguments that its constructor needs."""
    listed = " and ".join(names)
    example = " ".join(f"--param {name}=VALUE" for name in names)
    them = "it as a parameter" if len(names) == 1 else "them as parameters"
    return UsageError(f"the layer {layer} needs {listed}: give {them} ({example})")


class LayerPlace(msgspec.Struct, frozen=True):
    """Where the class of a user's layer is: in a Python file, or in one of these modules below `mxnet.gluon`."""

    name: str
    modules: tuple[str, ...] = ()
    file: str = ""

    @property
    def path(self) -> str:
        """How users write it: `net.py:GatedDense`, or `gluon.nn.Dense`."""
        if self.file:
            return f"{self.file}:{self.name}"
        return f"gluon.{self.modules[0]}.{self.name}"


class UserLayer(msgspec.Struct, frozen=True):
    """A layer of the user's own: what stands for it in the place of an operator, and where its class is."""

    operator: Operator
    place: LayerPlace
