"""Coverage of Gluon's layers: every class of blocks that a release has, measured or not and why."""

from __future__ import annotations

import msgspec

from autoperf.core.coverage import Coverage


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
