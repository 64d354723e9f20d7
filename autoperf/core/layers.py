"""Layers of Gluon: the names of their cases, and where their classes are."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from autoperf.core.errors import UsageError
from autoperf.core.operator import Operator

PREFIX = "gluon_"
"""Before a layer's class, in the name of its cases: `gluon_Dense`."""


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
        """The spelling of users: `net.py:GatedDense`, or `gluon.nn.Dense`."""
        if self.file:
            return f"{self.file}:{self.name}"
        return f"gluon.{self.modules[0]}.{self.name}"


class UserLayer(msgspec.Struct, frozen=True):
    """A layer of the user's own: the operator that stands for it, and the place of its class."""

    operator: Operator
    place: LayerPlace
