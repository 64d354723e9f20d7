"""A Gluon layer: arguments and arrays by configuration, how its block is built; all by name, and a user's own."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from math import prod
from pathlib import Path
from typing import Any, TypeAlias

from hypothesis import strategies as st

from autoperf.core.errors import RuleError, UnknownNameError
from autoperf.core.files import read_input
from autoperf.core.graph import HYBRIDIZE, IMPERATIVE, LAYERS, MODES, PREFIX, LayerPlace, UserLayer
from autoperf.core.operator import (
    FRONT_END_NAMESPACE,
    Form,
    Operator,
    Parameter,
    ParameterType,
    Role,
    TensorArgument,
    TensorKind,
    Value,
)
from autoperf.rules import gluon_layers
from autoperf.rules.rule import Draft, Inputs, InputSpec, Rule, modules_of, top_level
from autoperf.strategies.shapes import extents

N = -1
"""The batch size, in the shapes of a layer's arrays."""
MIN_BATCH = 2
_UNTYPED = ParameterType(Form.UNTYPED, "a value")
COMMON = "common"
_NEEDED = frozenset(
    {
        *("activation", "alpha", "channels", "factor", "function", "h2h_kernel", "hidden_channels", "hidden_size"),
        *("i2h_kernel", "input_dim", "input_shape", "kernel_size", "layers", "output_dim", "projection_size"),
        *("rate", "units"),
    }
)
"""Arguments for which constructors have no default, where all configurations of a layer state them."""

Arrays: TypeAlias = Mapping[str, Draft | tuple[Draft, ...]]
Build: TypeAlias = Callable[[Any, type, dict[str, Any]], Any]
"""Makes a block from the package `mxnet`, the layer's class, and the arguments."""


@dataclass(frozen=True)
class LayerInputs:
    """One configuration: arguments of the constructor, and the arrays of a call, in order, for `batch` samples."""

    arrays: Arrays
    arguments: Mapping[str, Value]
    batch: int = 32

    def call(self, batch: int, hybridize: Value) -> Inputs:
        """The call with this batch size."""

        def at(draft: Draft) -> Draft:
            return replace(draft, shape=tuple(batch if extent == N else extent for extent in draft.shape))

        arrays = {
            name: tuple(map(at, entry)) if isinstance(entry, tuple) else at(entry)
            for name, entry in self.arrays.items()
        }
        return Inputs(arrays, {**self.arguments, HYBRIDIZE: hybridize}, way="layer")

    def largest_batch(self, elements: int) -> int:
        """The largest batch size to draw: arrays have at most `elements` elements where possible."""
        each = max((abs(prod(draft.shape)) for draft in _drafts(self.arrays.values())), default=1)
        return max(MIN_BATCH, min(2 * self.batch, elements // each))


@dataclass(frozen=True)
class GluonLayer:
    """A class of layers with its configurations by name, the common one first.

    `modules` are the places below `mxnet.gluon` where releases have it. `takes` are further arguments of the
    constructor, which users may give. `needed` are arguments without a default, as far as known without the package.
    `imperative_only` is the reason why it can't be hybridized; empty if it can. `source` is the file of its rule.
    `file` is the Python file of a user's class.
    """

    name: str
    modules: tuple[str, ...]
    configurations: Mapping[str, LayerInputs]
    build: Build
    takes: tuple[str, ...] = ()
    imperative_only: str = ""
    source: str = ""
    file: str = ""
    needed: frozenset[str] = frozenset()

    @property
    def place(self) -> LayerPlace:
        """Where its class is."""
        return LayerPlace(self.name, self.modules, self.file)

    @property
    def operator(self) -> Operator:
        """The operator that stands for the layer in selections, measurements and reports."""
        paths = tuple(f"gluon.{module}.{self.name}" for module in self.modules)
        arrays = {name: entry for inputs in self.configurations.values() for name, entry in inputs.arrays.items()}
        arguments = (name for inputs in self.configurations.values() for name in inputs.arguments)
        parameters = dict.fromkeys((*arguments, *self.takes, HYBRIDIZE))
        tensors = tuple(
            TensorArgument(name, TensorKind.VARIADIC if isinstance(entry, tuple) else TensorKind.SINGLE)
            for name, entry in arrays.items()
        )
        return Operator(
            PREFIX + self.name,
            Role.FORWARD,
            FRONT_END_NAMESPACE,
            aliases=tuple(path.replace(".", "_") for path in paths),
            description=self.place.path,
            tensors=tensors,
            parameters=tuple(Parameter(name, _UNTYPED, required=name in self.needed) for name in parameters),
        )

    @property
    def ways(self) -> Mapping[str, Value]:
        """The modes in which it runs, with the values of its parameter."""
        return {name: mode.hybridize for name, mode in MODES.items() if name == IMPERATIVE or not self.imperative_only}

    def profile(self, configuration: str, way: str) -> str:
        """The profile of a configuration's case: the way, with the configuration's name unless it is the common one."""
        return way if configuration == COMMON else f"{configuration}_{way}"

    def class_in(self, package: Any) -> type | None:
        """The layer's class in the package `mxnet`; None if this release has none."""
        return class_at(package, self.place)

    def rule(self) -> Rule:
        """The rule that makes its cases."""
        names = (PREFIX + self.name,)
        return Rule(names, LAYERS, self._canonical, self._draw, f"{self.source}:{self.name}", inferable=False)

    def _canonical(self, _spec: InputSpec) -> Mapping[str, Inputs]:
        return {
            self.profile(name, way): inputs.call(inputs.batch, hybridize)
            for name, inputs in self.configurations.items()
            for way, hybridize in self.ways.items()
        }

    def _draw(self, draw: st.DrawFn, spec: InputSpec) -> Inputs:
        """A configuration with another batch size, run in one of the ways."""
        inputs = draw(st.sampled_from(list(self.configurations.values())))
        batch = draw(extents(MIN_BATCH, inputs.largest_batch(spec.elements)))
        return inputs.call(batch, draw(st.sampled_from(list(self.ways.values()))))


def class_at(package: Any, place: LayerPlace) -> type | None:
    """The class in the first of its modules that has it; None if this release has none."""
    for module in place.modules:
        value = package.gluon
        for part in (*module.split("."), place.name):
            value = getattr(value, part, None)
        if value is not None:
            found: type = value
            return found
    return None


def constructed(_package: Any, layer_class: type, arguments: dict[str, Any]) -> Any:
    """The block that the constructor makes."""
    return layer_class(**arguments)


def layer(
    name: str,
    modules: str,
    common: LayerInputs,
    *,
    build: Build = constructed,
    takes: str = "",
    optional: str = "",
    imperative_only: str = "",
    **further: LayerInputs,
) -> GluonLayer:
    """A layer with its common configuration and further ones; `modules`, `takes` and `optional` are words.

    `optional` are arguments of all configurations that have a default, although other layers need them.
    """
    configurations = {COMMON: common, **further}
    stated = (inputs.arguments.keys() for inputs in configurations.values())
    return GluonLayer(
        name,
        tuple(modules.split()),
        configurations,
        build,
        tuple(takes.split()),
        imperative_only,
        needed=_NEEDED.intersection(*stated) - {*optional.split()},
    )


def of(arrays: Arrays, /, *, batch: int = LayerInputs.batch, **arguments: Value) -> LayerInputs:
    """A configuration of a layer: the arrays of its call, and the arguments of its constructor. Raises RuleError."""
    if type(batch) is not int or batch < 1:
        raise RuleError(f"invalid batch {batch!r} of a layer: expected a whole number from 1")
    return LayerInputs(arrays, arguments, batch)


def _drafts(entries: Iterable[Draft | tuple[Draft, ...]]) -> Iterator[Draft]:
    for entry in entries:
        yield from entry if isinstance(entry, tuple) else (entry,)


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
"""The reasons why classes are not measured, by the name of the class."""

MODULES: Mapping[str, str] = {
    "model_zoo": "a network, or a block of one: `autoperf capture resnet50_v1`",
    "data.vision.transforms": "prepares data: `autoperf run --operator 'transforms_*'`",
    "contrib.data": "prepares data",
}
"""The same reasons by the module below `mxnet.gluon`; they hold for the modules in it too."""


@cache
def gluon_layers_by_name() -> dict[str, GluonLayer]:
    """Every layer by the name of its cases, `gluon_Dense`. Raises RuleError for two of one name."""
    by_name: dict[str, GluonLayer] = {}
    for module in modules_of(gluon_layers, "layer"):
        source = f"rules/gluon_layers/{module.__name__.rpartition('.')[2]}.py"
        for entry in top_level(module):
            if not isinstance(entry, GluonLayer):
                continue
            if PREFIX + entry.name in by_name:
                raise RuleError(f"two rules for the layer {entry.name}; keep one")
            by_name[PREFIX + entry.name] = replace(entry, source=source)
    return by_name


def reason_of(module: str, name: str) -> str:
    """Why a class of a module below `mxnet.gluon` is not measured as a layer; empty without a reason."""
    reasons = (reason for prefix, reason in MODULES.items() if f"{module}.".startswith(f"{prefix}."))
    return CLASSES.get(name) or next(reasons, "")


_FILE = re.compile(r"(?P<file>.+\.py):(?P<name>[A-Za-z_]\w*)")
_GLUON = re.compile(r"(?:mx\.|mxnet\.)?gluon\.(?P<module>\w+(?:\.\w+)*)\.(?P<name>[A-Za-z_]\w*)")


def user_layer(
    place: str, common: LayerInputs, *, takes: str = "", imperative_only: str = "", **further: LayerInputs
) -> GluonLayer:
    """A layer with its common configuration and further ones; the file is beside the file of rules.

    `takes` are words: further arguments of the constructor. `imperative_only` is the reason why the layer can't be
    hybridized. Raises RuleError.
    """
    configurations = {COMMON: common, **further}
    for name, inputs in configurations.items():
        arrays = inputs.arrays if isinstance(inputs, LayerInputs) else ()
        drafts = list(_drafts(arrays.values() if isinstance(arrays, Mapping) else (arrays,)))
        if not drafts or not all(isinstance(draft, Draft) for draft in drafts):
            raise RuleError(f"invalid configuration {name!r} of {place}: expected of({{'data': tensor(N, 64)}}, ...)")
    in_file, in_gluon = _FILE.fullmatch(place), _GLUON.fullmatch(place)
    match = in_file or in_gluon
    if match is None:
        raise RuleError(
            f"invalid layer {place!r}: expected FILE.py:CLASS, or a class of Gluon such as "
            "gluon.contrib.nn.PixelShuffle2D"
        )
    modules, file = ((), match["file"]) if in_file else ((match["module"],), "")
    words = tuple(takes.split())
    return GluonLayer(match["name"], modules, configurations, constructed, words, imperative_only, file=file)


def layer_rule(layer: GluonLayer, folder: Path, source: str) -> Rule:
    """The rule of a user's layer, in a file of rules of this folder and name. Raises RuleError and UnknownNameError."""
    file = str((folder / layer.file).absolute()) if layer.file else ""
    if file:
        # Looked up in the file's text: this process has no MXNet, which the file imports.
        try:
            tree = ast.parse(read_input(Path(file)))
        except SyntaxError as error:
            raise RuleError(f"{file}, line {error.lineno}: SyntaxError: {error.msg}") from None
        except ValueError as error:
            raise RuleError(f"invalid file {file}: expected Python: {error}") from None
        known: list[str] = []
        for node in tree.body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef):
                known.append(node.name)
            elif isinstance(node, ast.Import | ast.ImportFrom):
                known += (alias.asname or alias.name for alias in node.names)
            elif isinstance(node, ast.Assign):
                known += (target.id for target in node.targets if isinstance(target, ast.Name))
        if layer.name not in known:
            raise UnknownNameError(f"class of {file}", layer.name, known)
    placed = replace(layer, source=source, file=file)
    return replace(placed.rule(), layer=UserLayer(placed.operator, placed.place))
