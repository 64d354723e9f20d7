"""The blocks of networks, in the process that imports the front end: of the zoo, of layers, of a file's functions."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from autoperf.backends.user_file import ErrorText, errors_in, user_attribute
from autoperf.core.errors import UnknownNameError, UsageError
from autoperf.networks.layer_blocks import common_block, input_texts, layer_of
from autoperf.networks.source import NetworkSource
from autoperf.rules.gluon_layers.layer import COMMON

_RETURNS = "expected a block, or a block and its inputs such as {'data': 'Nx3x224x224'}"


class DeclaredBlock(NamedTuple):
    """A block, and the texts of the inputs that its file declares."""

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
