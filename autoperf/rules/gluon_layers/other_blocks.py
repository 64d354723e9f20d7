"""Blocks of Gluon that are not measured as layers, and why."""

from __future__ import annotations

from collections.abc import Mapping

_BASE = "a base class, which computes nothing by itself"

CLASSES: Mapping[str, str] = {
    "Block": _BASE,
    "HybridBlock": _BASE,
    "Loss": _BASE,
    "RecurrentCell": _BASE,
    "HybridRecurrentCell": _BASE,
    "ModifierCell": _BASE,
    "StochasticBlock": _BASE,
    "TransformBlock": _BASE,
    "StochasticSequential": "a container of blocks that sample, which adds no operator",
    "SymbolBlock": "a network in a symbol file: `autoperf capture FILE-symbol.json`",
    "ModulatedDeformableConvolution": "its operator is only implemented for GPUs",
}
"""By the name of the class."""

MODULES: Mapping[str, str] = {
    "model_zoo": "a network, or a block of one: `autoperf capture resnet50_v1`",
    "data.vision.transforms": "prepares data: `autoperf run --operator 'transforms_*'`",
    "contrib.data": "prepares data",
}
"""By the module below `mxnet.gluon`, and those in it."""


def reason_of(module: str, name: str) -> str:
    """Why a class of a module below `mxnet.gluon` is not measured as a layer; empty if nothing says so."""
    reasons = (reason for prefix, reason in MODULES.items() if f"{module}.".startswith(f"{prefix}."))
    return CLASSES.get(name) or next(reasons, "")
