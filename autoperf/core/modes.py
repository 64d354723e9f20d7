"""The modes in which an input runs side by side: imperative, hybridized, static, fused; `mode_of` finds a case's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from autoperf.core.errors import CaseFileError
from autoperf.core.graph import STATIC_FLAGS, ExecutionMode
from autoperf.core.operator import COMPOSITE_NAMESPACE, Value

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
RANKING_MODES = (HYBRIDIZED, STATIC, IMPERATIVE)
"""The modes of which the first measured one stands for a network. The fused network has kernels of its own."""
MODE_PARAMETERS = frozenset({HYBRIDIZE, *STATIC_FLAGS})
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
