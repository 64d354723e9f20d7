"""All layers that have a rule, collected from the modules of this package, and the blocks that are not measured."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache

from autoperf.core.errors import RuleError
from autoperf.core.layers import PREFIX
from autoperf.rules import gluon_layers
from autoperf.rules.gluon_layers.layer import GluonLayer

NOT_LAYERS = frozenset({"layer", "catalog", "user_layers"})
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


@cache
def gluon_layers_by_name() -> dict[str, GluonLayer]:
    """Every layer by the name of its cases, `gluon_Dense`. Raises RuleError for two of one name."""
    by_name: dict[str, GluonLayer] = {}
    for entry in _all():
        if by_name.setdefault(PREFIX + entry.name, entry) is not entry:
            raise RuleError(f"two rules for the layer {entry.name}; keep one")
    return by_name


def _all() -> Iterator[GluonLayer]:
    for info in sorted(pkgutil.iter_modules(gluon_layers.__path__), key=lambda info: info.name):
        if info.name not in NOT_LAYERS:
            module = importlib.import_module(f"{gluon_layers.__name__}.{info.name}")
            tuples = (value for value in vars(module).values() if isinstance(value, tuple))
            layers = (entry for value in tuples for entry in value if isinstance(entry, GluonLayer))
            yield from (replace(entry, source=f"rules/gluon_layers/{info.name}.py") for entry in layers)


def reason_of(module: str, name: str) -> str:
    """Why a class of a module below `mxnet.gluon` is not measured as a layer; empty without a reason."""
    reasons = (reason for prefix, reason in MODULES.items() if f"{module}.".startswith(f"{prefix}."))
    return CLASSES.get(name) or next(reasons, "")
