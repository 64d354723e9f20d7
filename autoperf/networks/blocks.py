"""The blocks of networks and the classes of blocks, in the process that imports the front end."""

from __future__ import annotations

import contextlib
import importlib
import inspect
import pkgutil
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from autoperf.backends.user_code import ErrorText, errors_in, user_attribute
from autoperf.cases.render import content_source
from autoperf.core.errors import UnknownNameError, UsageError
from autoperf.core.layers import LayerClass
from autoperf.networks.source import NetworkSource
from autoperf.rules.gluon_layers.layer import COMMON, GluonLayer, LayerInputs, N, gluon_layers_by_name
from autoperf.rules.rule import Draft

_RETURNS = "expected a block, or a block and its inputs such as {'data': 'Nx3x224x224'}"
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")


class DeclaredBlock(NamedTuple):
    """A block, and the texts of the inputs that its source declares."""

    block: Any
    inputs: dict[str, str]


def block_of(package: Any, source: NetworkSource, error_text: ErrorText) -> DeclaredBlock:
    """A new block of a source; its parameters are not initialised. Raises AutoperfError."""
    if source.kind == "zoo":
        return DeclaredBlock(_zoo_block(package, source.location), source.default_inputs)
    if source.kind == "layer":
        layer = layer_of(source.location)
        return DeclaredBlock(common_block(package, layer), input_texts(layer.configurations[COMMON]))
    return _file_block(Path(source.location), source.function, error_text)


def _zoo_block(package: Any, name: str) -> Any:
    """A model by its function (`mobilenet_v2_1_0`) or its name in `get_model` (`mobilenetv2_1.0`)."""
    zoo = importlib.import_module(f"{package.__name__}.gluon.model_zoo.vision")
    functions = {key: value for key, value in vars(zoo).items() if _makes_model(key, value)}
    if name in functions:
        return functions[name](pretrained=False)
    try:
        return zoo.get_model(name, pretrained=False)
    except ValueError:
        raise UnknownNameError("model of Gluon's zoo", name, functions) from None


def _makes_model(name: str, value: object) -> bool:
    if name.startswith(("_", "get_")) or not inspect.isfunction(value):
        return False
    return any(parameter.kind is parameter.VAR_KEYWORD for parameter in inspect.signature(value).parameters.values())


def _file_block(path: Path, function: str, error_text: ErrorText) -> DeclaredBlock:
    make = user_attribute(path, function, error_text)
    with errors_in(path, error_text):
        result = make()
    block, inputs = result if isinstance(result, tuple) and len(result) == 2 else (result, {})
    texts = isinstance(inputs, Mapping) and all(isinstance(text, str) for pair in inputs.items() for text in pair)
    if not callable(block) or not texts:
        raise UsageError(f"{path}: invalid result of {function}(): {_RETURNS}")
    return DeclaredBlock(block, dict(inputs))


def layer_of(path: str) -> GluonLayer:
    """The layer with this path in Python, such as `gluon.nn.Dense`. Raises UnknownNameError."""
    layers = gluon_layers_by_name().values()
    name = path.replace(".", "_")
    layer = next((layer for layer in layers if name in layer.operator.names), None)
    if layer is None:
        raise UnknownNameError("layer", path, (layer.operator.description for layer in layers))
    return layer


def common_block(package: Any, layer: GluonLayer) -> Any:
    """A new block of the common configuration.

    Raises UsageError for a layer without a graph, and for a layer that this release lacks.
    """
    if layer.imperative_only:
        raise UsageError(f"{layer.operator.description} can't be captured: {layer.imperative_only}")
    layer_class = layer.class_in(package)
    if layer_class is None:
        raise UsageError(f"MXNet {package.__version__} has no {layer.operator.description}")
    return layer.build(package, layer_class, dict(layer.configurations[COMMON].arguments))


def input_texts(inputs: LayerInputs) -> dict[str, str]:
    """The arrays of a call by name, as texts with N for the batch size."""
    return {name: tensor_text(draft) for name, draft in _members(inputs)}


def _members(inputs: LayerInputs) -> Iterator[tuple[str, Draft]]:
    for name, entry in inputs.arrays.items():
        if isinstance(entry, tuple):
            yield from ((f"{name}[{number}]", draft) for number, draft in enumerate(entry))
        else:
            yield name, entry


def tensor_text(draft: Draft) -> str:
    """The text of a tensor, as `--input` takes it."""
    shape = "x".join("N" if extent == N else str(extent) for extent in draft.shape)
    content = content_source(draft.content) if draft.content else ""
    return ":".join(filter(None, (shape, draft.dtype, content)))


def layer_classes(package: Any) -> tuple[LayerClass, ...]:
    """Every public class of blocks below `mxnet.gluon`, sorted by path; imports all modules of `mxnet.gluon`."""
    gluon = package.gluon
    _import_all(gluon)
    classes = {gluon.Block, *_subclasses(gluon.Block)}
    public = (kind for kind in classes if not kind.__name__.startswith("_"))
    own = (kind for kind in public if kind.__module__.startswith(f"{gluon.__name__}."))
    return tuple(sorted((_described(gluon, kind) for kind in own), key=lambda layer: layer.path))


def _import_all(gluon: Any) -> None:
    """Imports the modules of Gluon; layers of modules that need a missing package can't be used either."""
    for info in pkgutil.walk_packages(gluon.__path__, f"{gluon.__name__}.", onerror=lambda _name: None):
        with contextlib.suppress(Exception):
            importlib.import_module(info.name)


def _subclasses(kind: Any) -> Iterator[Any]:
    for subclass in kind.__subclasses__():
        yield subclass
        yield from _subclasses(subclass)


def _described(gluon: Any, kind: type) -> LayerClass:
    signature = _ADDRESS.sub("", str(inspect.signature(kind)))
    return LayerClass(_public_module(gluon, kind), kind.__name__, signature, issubclass(kind, gluon.HybridBlock))


def _public_module(gluon: Any, kind: type) -> str:
    """The outermost module below `mxnet.gluon` that has the class under its name: `nn` for `nn.basic_layers`."""
    parts = kind.__module__.removeprefix(f"{gluon.__name__}.").split(".")
    while parts and getattr(sys.modules[".".join((gluon.__name__, *parts[:-1]))], kind.__name__, None) is kind:
        parts.pop()
    return ".".join(parts)
