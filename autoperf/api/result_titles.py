"""The names of results in the design of MXNet's operator benchmarks, such as MX_Add_Forward_Backward_Time."""

from __future__ import annotations

import sys
from collections.abc import Mapping

from autoperf.core.layers import IMPERATIVE, PREFIX
from autoperf.core.outcome import Outcome
from autoperf.registry.spellings import layer_name
from autoperf.rules.design_operations import LAYER_TITLES, TITLES

_PREFIXES = ("NDArray_", "nd_")
"""Before the method or the function, in the names of front-end benchmarks."""


def title_of(name: str) -> str:
    """The title of a function, an operator or a layer: `Batch_Dot` for `nd.batch_dot`."""
    last = name.rpartition(".")[2]
    if layer_name(name).startswith(PREFIX):
        layer = last.removeprefix(PREFIX)
        return f"Gluon_Imperative_{LAYER_TITLES.get(layer, layer)}"
    for prefix in _PREFIXES:
        last = last.removeprefix(prefix)
    words = last.strip("_").split("_")
    return TITLES.get(last, "_".join(f"{word[:1].upper()}{word[1:]}" for word in words))


def configured_title(title: str, profile: str) -> str:
    """The title of a layer's configuration: `Gluon_Imperative_Tanh` for Activation in the profile tanh_imperative."""
    configuration, separator, _ = profile.rpartition(f"_{IMPERATIVE}")
    layer, _, _ = title.rpartition("_")
    return f"{layer}_{configuration.capitalize()}" if separator else title


def result_of(outcome: Outcome, title: str) -> tuple[str, float] | None:
    """The name of a result, and the mean wall time of its passes together in seconds; None if it wasn't measured."""
    passes = [timed.wall_us.mean for timed in (outcome.forward, outcome.backward) if timed and timed.wall_us]
    if not passes:
        return None
    direction = "Forward_Backward" if outcome.backward else "Forward"
    return f"MX_{title}_{direction}_Time", sum(passes) / 1e6


def print_results(results: Mapping[str, float]) -> None:
    """Prints a line for each result, in seconds."""
    for name, seconds in results.items():
        sys.stdout.write(f"{name} - {seconds:.6f} seconds\n")
