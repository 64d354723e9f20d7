"""All layers that have a rule, collected from the modules of this package."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from autoperf.core.errors import RuleError
from autoperf.core.layers import PREFIX
from autoperf.rules import gluon_layers
from autoperf.rules.gluon_layers.layer import GluonLayer

NOT_LAYERS = frozenset({"layer", "blocks", "catalog", "other_blocks", "user_layers"})


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
            layers = importlib.import_module(f"{gluon_layers.__name__}.{info.name}").LAYERS
            yield from (replace(entry, source=f"rules/gluon_layers/{info.name}.py") for entry in layers)
