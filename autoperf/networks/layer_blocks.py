"""Layers of Gluon as networks: the block of a layer's common configuration, and its inputs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from autoperf.core.errors import UnknownNameError, UsageError
from autoperf.generator.literals import content_source
from autoperf.rules.gluon_layers.catalog import gluon_layers_by_name
from autoperf.rules.gluon_layers.layer import COMMON, GluonLayer, LayerInputs, N
from autoperf.rules.rule import Draft


def layer_of(path: str) -> GluonLayer:
    """The layer that Python calls by this path, such as `gluon.nn.Dense`. Raises UnknownNameError."""
    layers = gluon_layers_by_name().values()
    name = path.replace(".", "_")
    layer = next((layer for layer in layers if name in layer.operator.names), None)
    if layer is None:
        raise UnknownNameError("layer", path, (layer.operator.description for layer in layers))
    return layer


def common_block(package: Any, layer: GluonLayer) -> Any:
    """A new block of the common configuration.

    Raises UsageError for a layer without a graph, and for one that this release doesn't have.
    """
    if layer.imperative_only:
        raise UsageError(f"{layer.operator.description} can't be captured: {layer.imperative_only}")
    layer_class = layer.class_in(package)
    if layer_class is None:
        raise UsageError(f"MXNet {package.__version__} has no {layer.operator.description}")
    return layer.build(package, layer_class, dict(layer.configurations[COMMON].arguments))


def input_texts(inputs: LayerInputs) -> dict[str, str]:
    """The arrays of a call by name, as people type them, with N for the batch size."""
    return {name: tensor_text(draft) for name, draft in _members(inputs)}


def _members(inputs: LayerInputs) -> Iterator[tuple[str, Draft]]:
    for name, entry in inputs.arrays.items():
        if isinstance(entry, tuple):
            yield from ((f"{name}[{number}]", draft) for number, draft in enumerate(entry))
        else:
            yield name, entry


def tensor_text(draft: Draft) -> str:
    """A tensor as people type it."""
    shape = "x".join("N" if extent == N else str(extent) for extent in draft.shape)
    content = content_source(draft.content) if draft.content else ""
    return ":".join(filter(None, (shape, draft.dtype, content)))
