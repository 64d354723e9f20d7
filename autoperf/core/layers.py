"""Layers of Gluon (cases, classes, coverage), and the modes in which one input runs side by side.

Stored cases state their mode in the terms of their kind: a layer of Gluon by a parameter, a composite by the end of
its profile, a network by its profile. `mode_of` reads all three; nothing else does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec

from autoperf.core.coverage import Coverage
from autoperf.core.errors import CaseFileError, UsageError
from autoperf.core.graph import STATIC_FLAGS, ExecutionMode
from autoperf.core.operator import COMPOSITE_NAMESPACE, Operator, Value

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


LAYERS = "gluon"
"""The category of the cases of layers, whose parameter HYBRIDIZE states the mode."""
NETWORK = "network"
"""The category of the cases of a whole network, whose profiles are modes."""
HYBRIDIZE = "hybridize"
"""The parameter of a layer's cases that is no constructor argument: how its block is hybridized."""
IMPERATIVE, HYBRIDIZED, STATIC, FUSED = "imperative", "hybridized", "static", "fused"
_SEPARATOR = ":"
"""Between the size and the mode in the profile of a composite: `common:static`."""


class Mode(NamedTuple):
    """The execution mode of a graph, CachedOp's flags, and the value of a layer's parameter."""

    way: ExecutionMode
    flags: Mapping[str, Value]
    hybridize: Value


MODES: Mapping[str, Mode] = {
    IMPERATIVE: Mode("eager", {}, False),
    HYBRIDIZED: Mode("compiled", {}, True),
    STATIC: Mode("compiled", STATIC_FLAGS, STATIC),
}
"""The modes of layers and composites, in the order of reports."""
NETWORK_MODES: Mapping[str, Mode] = {**MODES, FUSED: Mode("fused", STATIC_FLAGS, None)}
"""The modes of a whole network."""
RANKING_MODES = (HYBRIDIZED, STATIC, IMPERATIVE)
"""The modes of which the first measured one stands for a network. The fused network has kernels of its own."""
MODE_PARAMETERS = frozenset({HYBRIDIZE, *STATIC_FLAGS})
"""The parameters that differ between the modes of one input."""
_LAYER_MODES = {mode.hybridize: name for name, mode in MODES.items()}


def mode_of(category: str, profile: str, params: Mapping[str, Value]) -> str:
    """The mode in which a case runs; empty for a case that runs in one alone."""
    if category == LAYERS:
        return _LAYER_MODES.get(params.get(HYBRIDIZE, False), "")
    if category == COMPOSITE_NAMESPACE:
        return profile.partition(_SEPARATOR)[2]
    return profile if category == NETWORK and profile in NETWORK_MODES else ""


def profile_in_mode(size: str, mode: str) -> str:
    """The profile of a composite's input in a mode: `common:static`."""
    return f"{size}{_SEPARATOR}{mode}"


def size_of(profile: str) -> str:
    """The profile of an input without its mode: `common` of `common:static`."""
    return profile.partition(_SEPARATOR)[0]


def profile_names(profile: str) -> frozenset[str]:
    """The names that select a profile: its own, and its size without the mode."""
    return frozenset({profile, size_of(profile)})


def check_hybridize(params: Mapping[str, Value]) -> None:
    """Raises CaseFileError for parameters of a layer that don't state a mode."""
    value = params.get(HYBRIDIZE, False)
    if value not in [mode.hybridize for mode in MODES.values()]:
        raise CaseFileError(f"invalid {HYBRIDIZE} {value!r}: expected False, True or {STATIC!r}")
