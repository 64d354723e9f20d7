"""How composites run side by side: eagerly, as a graph, and as a graph with static memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from autoperf.core.case import WAY_SEPARATOR
from autoperf.core.graph import GRAPH_WAYS
from autoperf.rules.rule import Inputs


def ways_of(profile: str, call: Inputs) -> Mapping[str, Inputs]:
    """The call in each way to run it, by profile: `common:static`; a call of an operator alone is itself."""
    if call.way != "eager":
        return {profile: call}
    return {
        f"{profile}{WAY_SEPARATOR}{name}": replace(call, way=way, params=flags)
        for name, (way, flags) in GRAPH_WAYS.items()
    }
