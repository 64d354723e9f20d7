"""Layers of Gluon: the names of their cases, where their classes are, and their coverage."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from autoperf.core.coverage import Coverage
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


class LayerClass(msgspec.Struct, frozen=True):
    """A public class of blocks: the module below `mxnet.gluon`, its name, its constructor's signature.

    `hybrid` is whether it is a HybridBlock, which can have a graph.
    """

    module: str
    name: str
    signature: str
    hybrid: bool

    @property
    def path(self) -> str:
        """The spelling of users: `gluon.nn.Dense`."""
        return ".".join(filter(None, ("gluon", self.module, self.name)))


class LayerConfiguration(msgspec.Struct, frozen=True):
    """One configuration of a covered layer, and its arrays and the constructor's arguments in words."""

    name: str
    call: str


class LayerCoverage(msgspec.Struct, frozen=True):
    """A layer class: the name of its cases if a rule covers it, and why it isn't covered, or not in every way.

    `ways` are those in which it runs: imperative, hybridized, static.
    """

    layer: LayerClass
    status: Coverage
    operator: str = ""
    rule: str = ""
    reason: str = ""
    ways: tuple[str, ...] = ()
    configurations: tuple[LayerConfiguration, ...] = ()


class LayerReport(msgspec.Struct, frozen=True):
    """All layer classes of one release, sorted by path; `absent` are layers that have a rule but no class in it.

    `problem` says why the classes aren't known; empty if they are.
    """

    mxnet: str
    layers: tuple[LayerCoverage, ...] = ()
    absent: tuple[str, ...] = ()
    problem: str = ""

    def count(self, status: Coverage) -> int:
        """The number of classes with this status."""
        return sum(layer.status is status for layer in self.layers)
