"""Layers of the user's own in a file of rules: a class of a Python file, or one of Gluon that has no rule."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from autoperf.core.errors import RuleError, UnknownNameError
from autoperf.core.files import read_input
from autoperf.core.layers import LayerPlace, UserLayer
from autoperf.rules.gluon_layers.layer import COMMON, GluonLayer, LayerInputs, constructed
from autoperf.rules.rule import Draft, Rule

_FILE = re.compile(r"(?P<file>.+\.py):(?P<name>[A-Za-z_]\w*)")
_GLUON = re.compile(r"(?:mx\.|mxnet\.)?gluon\.(?P<module>\w+(?:\.\w+)*)\.(?P<name>[A-Za-z_]\w*)")
_EXPECTED = "expected FILE.py:CLASS, or a class of Gluon such as gluon.contrib.nn.PixelShuffle2D"


def user_layer(
    place: str, common: LayerInputs, *, takes: str = "", imperative_only: str = "", **further: LayerInputs
) -> GluonLayer:
    """A layer with its common configuration and further ones; the file is beside the file of rules.

    `takes` are words: further arguments of the constructor. `imperative_only` is the reason why the layer can't be
    hybridized. Raises RuleError.
    """
    configurations = {COMMON: common, **further}
    for name, inputs in configurations.items():
        if not isinstance(inputs, LayerInputs) or not _has_arrays(inputs):
            raise RuleError(f"invalid configuration {name!r} of {place}: expected of({{'data': tensor(N, 64)}}, ...)")
    parsed = _parsed(place)
    words = tuple(takes.split())
    return GluonLayer(
        parsed.name, parsed.modules, configurations, constructed, words, imperative_only, file=parsed.file
    )


def _parsed(place: str) -> LayerPlace:
    if match := _FILE.fullmatch(place):
        return LayerPlace(match["name"], file=match["file"])
    if match := _GLUON.fullmatch(place):
        return LayerPlace(match["name"], (match["module"],))
    raise RuleError(f"invalid layer {place!r}: {_EXPECTED}")


def _has_arrays(inputs: LayerInputs) -> bool:
    entries = inputs.arrays.values() if isinstance(inputs.arrays, Mapping) else (inputs.arrays,)
    drafts = [draft for entry in entries for draft in (entry if isinstance(entry, tuple) else (entry,))]
    return bool(drafts) and all(isinstance(draft, Draft) for draft in drafts)


def layer_rule(layer: GluonLayer, folder: Path, source: str) -> Rule:
    """The rule of a user's layer, in a file of rules of this folder and name.

    Raises RuleError for a class whose file can't be read, and UnknownNameError if the file doesn't have it.
    """
    file = str((folder / layer.file).absolute()) if layer.file else ""
    if file:
        _check_class(Path(file), layer.name)
    placed = replace(layer, source=source, file=file)
    return replace(placed.rule(), layer=UserLayer(placed.operator, placed.place))


def _check_class(file: Path, name: str) -> None:
    """Looks the class up in the file's text: this process has no MXNet, which the file imports."""
    try:
        tree = ast.parse(read_input(file))
    except SyntaxError as error:
        raise RuleError(f"{file}, line {error.lineno}: SyntaxError: {error.msg}") from None
    except ValueError as error:
        raise RuleError(f"invalid file {file}: expected Python: {error}") from None
    known = list(_top_level_names(tree))
    if name not in known:
        raise UnknownNameError(f"class of {file}", name, known)


def _top_level_names(tree: ast.Module) -> Iterator[str]:
    """The names of classes and functions, of imports and assignments."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            yield node.name
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from (alias.asname or alias.name for alias in node.names)
        elif isinstance(node, ast.Assign):
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))
