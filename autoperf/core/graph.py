"""Graphs as values, and the modes in which they run; the names of Gluon's layers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias, TypeVar

import msgspec

from autoperf.core.coverage import Coverage
from autoperf.core.errors import CaseFileError, UsageError
from autoperf.core.operator import COMPOSITE_NAMESPACE, Operator, Value
from autoperf.core.texts import IDENTIFIER, NAME, is_name

ExecutionMode: TypeAlias = Literal[
    "call", "graph", "compiled", "thread_safe", "fused", "eager", "executor", "front_end", "layer"
]  # fmt: skip
"""How an operator runs: called imperatively; in a graph; as its own subgraph, compiled (CachedOp), for one thread,
thread-safe, or with its nodes fused by oneDNN, or eagerly, one node after the other; in a graph by the executor of
MXNet 1.x; or in the Python front end: as a call that is no operator, or as a layer of Gluon."""
COMPILED: frozenset[ExecutionMode] = frozenset({"compiled", "thread_safe", "fused"})
OWN_GRAPH: frozenset[ExecutionMode] = COMPILED | {"eager"}
"""The modes in which the case's one graph runs itself, and no operator that holds it."""
FRONT_END: frozenset[ExecutionMode] = frozenset({"front_end", "layer"})
"""The modes of calls of the Python front end, which processes that import it run."""
STATIC_FLAGS: Mapping[str, Value] = {"static_alloc": True, "static_shape": True}
"""CachedOp's flags for a graph that plans its memory once."""
IN_TURN = "in_turn"
"""The parameter of a network that is called with several sizes in turn: the places of the inputs that vary. Their
arrays of the further sizes follow the inputs of the graph."""
Item = TypeVar("Item")

_REFERENCE = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(?:\[(\d+)\])?")


class Node(msgspec.Struct, frozen=True):
    """One operator of a graph. Inputs are named after variables or earlier nodes; `split[1]` is a second output."""

    name: str
    operator: str
    inputs: tuple[str, ...]
    params: dict[str, Value] = {}


class Graph(msgspec.Struct, frozen=True):
    """Variables, nodes in topological order, and the names of the outputs."""

    inputs: tuple[str, ...]
    nodes: tuple[Node, ...]
    outputs: tuple[str, ...]

    def input_order(self) -> tuple[str, ...]:
        """The variables in MXNet's order: depth first from the outputs, without unused ones; of a valid graph alone."""
        nodes = {node.name: node for node in self.nodes}
        inputs = frozenset(self.inputs)
        variables: dict[str, None] = {}
        seen: set[str] = set()
        # A stack: the next name is last.
        stack = [split_reference(used)[0] for used in reversed(self.outputs)]
        while stack:
            name = stack.pop()
            if name in inputs:
                variables[name] = None
            elif name not in seen:
                seen.add(name)
                stack += [split_reference(used)[0] for used in reversed(nodes[name].inputs)]
        return tuple(variables)

    def unnamed(self) -> Graph:
        """The graph with variables and nodes named by their places: equal for graphs that differ by names alone."""
        names = [*self.input_order(), *(node.name for node in self.nodes)]
        places = {name: f"x{place}" for place, name in enumerate(names)}

        def placed(references: Iterable[str]) -> tuple[str, ...]:
            return tuple(f"{places[name]}[{output}]" for name, output in map(split_reference, references))

        nodes = (Node(places[node.name], node.operator, placed(node.inputs), node.params) for node in self.nodes)
        return Graph(tuple(map(places.__getitem__, self.input_order())), tuple(nodes), placed(self.outputs))

    def by_size(self, arguments: Sequence[Item], params: Mapping[str, Value]) -> list[list[Item]]:
        """The arguments by size, in the order of inputs. Raises CaseFileError for another number than IN_TURN needs."""
        places = params.get(IN_TURN, ())
        count = len(self.input_order())
        if not places:
            return [list(arguments)]
        if not isinstance(places, tuple) or not all(type(place) is int and 0 <= place < count for place in places):
            raise CaseFileError(f"invalid {IN_TURN} {places!r}: expected places of the {count} inputs of the graph")
        first, rest = list(arguments[:count]), list(arguments[count:])
        if not rest or len(rest) % len(places):
            raise CaseFileError(f"invalid {IN_TURN}: expected {len(places)} more inputs for each size, not {len(rest)}")
        sizes = [first]
        for start in range(0, len(rest), len(places)):
            given = dict(zip(places, rest[start : start + len(places)], strict=True))
            sizes.append([given.get(place, item) for place, item in enumerate(first)])
        return sizes


def operators_of(operator: str, graphs: Iterable[Graph]) -> Iterator[str]:
    """The operator, and the operators of its graphs' nodes."""
    yield operator
    yield from (node.operator for graph in graphs for node in graph.nodes)


def split_reference(text: str) -> tuple[str, int]:
    """ "split[1]" as a name and an output index. Raises CaseFileError if it is not a reference."""
    match = _REFERENCE.fullmatch(text)
    if match is None:
        raise CaseFileError(
            f"invalid reference {text!r}: expected a variable or node of the graph, such as 'split' or 'split[1]'"
        )
    return match[1], int(match[2] or 0)


def short_reference(text: str) -> str:
    """The shortest form of a reference: `split` for `split[0]`."""
    name, output = split_reference(text)
    return f"{name}[{output}]" if output else name


def check_graph(graph: Graph) -> None:
    """Raises CaseFileError if a name is invalid, used before its definition or defined twice, or without outputs.

    A variable is one tensor. Only MXNet knows a node's number of outputs: the backend checks it.
    """
    known: set[str] = set()
    for name in graph.inputs:
        _add(known, name)
    variables = frozenset(known)
    for node in graph.nodes:
        for used in node.inputs:
            _require(known, variables, used, f"node {node.name!r}")
        _add(known, node.name)
        if not isinstance(node.operator, str) or not NAME.fullmatch(node.operator):
            raise CaseFileError(f"node {node.name!r}: invalid operator {node.operator!r}: expected {IDENTIFIER}")
        for name in node.params:
            if not is_name(name):
                raise CaseFileError(f"node {node.name!r}: invalid parameter {name!r}: expected {IDENTIFIER}")
    for used in graph.outputs:
        _require(known, variables, used, "its outputs")
    if not graph.outputs:
        raise CaseFileError("invalid graph: expected at least one output")


def _add(known: set[str], name: str) -> None:
    if split_reference(name) != (name, 0):
        raise CaseFileError(f"invalid name {name!r}: expected {IDENTIFIER} for a variable or node of a graph")
    if name in known:
        raise CaseFileError(f"invalid graph: {name!r} is defined twice")
    known.add(name)


def _require(known: set[str], variables: frozenset[str], used: str, user: str) -> None:
    name, output = split_reference(used)
    if name not in known:
        raise CaseFileError(
            f"invalid graph: {name!r} is used by {user} but not defined; defined are {', '.join(sorted(known))}"
        )
    if output and name in variables:
        raise CaseFileError(f"invalid graph: {used!r} is used by {user}, but the variable {name!r} has one output")


PREFIX = "gluon_"
"""Before a layer's class, in the name of its cases: `gluon_Dense`."""


def missing_arguments(layer: str, names: Sequence[str]) -> UsageError:
    """The error for a layer, as users write it, without arguments that its constructor needs."""
    listed = " and ".join(names)
    example = " ".join(f"--param {name}=VALUE" for name in names)
    them = "it as a parameter" if len(names) == 1 else "them as parameters"
    return UsageError(f"the layer {layer} needs {listed}: give {them} ({example})")


class LayerPlace(msgspec.Struct, frozen=True):
    """Where the class of a user's layer is: in a Python file, or in one of these modules below `mxnet.gluon`."""

    name: str
    modules: tuple[str, ...] = ()
    file: str = ""

    @property
    def path(self) -> str:
        """The spelling of users: `net.py:GatedDense`, or `gluon.nn.Dense`."""
        return f"{self.file}:{self.name}" if self.file else f"gluon.{self.modules[0]}.{self.name}"


class UserLayer(msgspec.Struct, frozen=True):
    """A layer of the user's own: the operator that stands for it, and the place of its class."""

    operator: Operator
    place: LayerPlace


class LayerClass(msgspec.Struct, frozen=True):
    """A public class of blocks: its module below `mxnet.gluon`, its signature; only a `hybrid` one can have a graph."""

    module: str
    name: str
    signature: str
    hybrid: bool

    @property
    def path(self) -> str:
        """The spelling of users: `gluon.nn.Dense`."""
        return ".".join(filter(None, ("gluon", self.module, self.name)))


class LayerConfiguration(msgspec.Struct, frozen=True):
    """One configuration of a covered layer, and its arrays and the constructor's arguments in words."""

    name: str
    call: str


class LayerCoverage(msgspec.Struct, frozen=True):
    """A layer class: its cases' name if a rule covers it, its `ways` (imperative, ...), the `reason` of the rest."""

    layer: LayerClass
    status: Coverage
    operator: str = ""
    rule: str = ""
    reason: str = ""
    ways: tuple[str, ...] = ()
    configurations: tuple[LayerConfiguration, ...] = ()


class LayerReport(msgspec.Struct, frozen=True):
    """A release's layer classes by path; those `absent` have a rule. `problem`: why they aren't known, or empty."""

    mxnet: str
    layers: tuple[LayerCoverage, ...] = ()
    absent: tuple[str, ...] = ()
    problem: str = ""

    def count(self, status: Coverage) -> int:
        """The number of classes with this status."""
        return sum(layer.status is status for layer in self.layers)


LAYERS = "gluon"
"""The category of the cases of layers, whose parameter HYBRIDIZE states the mode."""
NETWORK = "network"
"""The category of the cases of a whole network, whose profiles are modes."""
HYBRIDIZE = "hybridize"
"""The parameter of a layer's cases that is no constructor argument: how its block is hybridized."""
IMPERATIVE, HYBRIDIZED, STATIC, FUSED = "imperative", "hybridized", "static", "fused"
_SEPARATOR = ":"
"""Between the size and the mode in the profile of a composite: `common:static`."""


class Mode(NamedTuple):
    """The execution mode of a graph, CachedOp's flags, and the value of a layer's parameter."""

    way: ExecutionMode
    flags: Mapping[str, Value]
    hybridize: Value


MODES: Mapping[str, Mode] = {
    IMPERATIVE: Mode("eager", {}, False),
    HYBRIDIZED: Mode("compiled", {}, True),
    STATIC: Mode("compiled", STATIC_FLAGS, STATIC),
}
"""The modes of layers and composites, in the order of reports."""
NETWORK_MODES: Mapping[str, Mode] = {**MODES, FUSED: Mode("fused", STATIC_FLAGS, None)}
RANKING_MODES = (HYBRIDIZED, STATIC, IMPERATIVE)
"""The modes of which the first measured one stands for a network. The fused network has kernels of its own."""
MODE_PARAMETERS = frozenset({HYBRIDIZE, *STATIC_FLAGS})
_LAYER_MODES = {mode.hybridize: name for name, mode in MODES.items()}


def mode_of(category: str, profile: str, params: Mapping[str, Value]) -> str:
    """The mode in which a case runs; empty for a case that runs in one alone."""
    if category == LAYERS:
        return _LAYER_MODES.get(params.get(HYBRIDIZE, False), "")
    if category == COMPOSITE_NAMESPACE:
        return profile.partition(_SEPARATOR)[2]
    return profile if category == NETWORK and profile in NETWORK_MODES else ""


def profile_in_mode(size: str, mode: str) -> str:
    """The profile of a composite's input in a mode: `common:static`."""
    return f"{size}{_SEPARATOR}{mode}"


def size_of(profile: str) -> str:
    """The profile of an input without its mode: `common` of `common:static`."""
    return profile.partition(_SEPARATOR)[0]


def profile_names(profile: str) -> frozenset[str]:
    """The names that select a profile: its own, and its size without the mode."""
    return frozenset({profile, size_of(profile)})


def check_hybridize(params: Mapping[str, Value]) -> None:
    """Raises CaseFileError for parameters of a layer that don't state a mode."""
    value = params.get(HYBRIDIZE, False)
    if value not in [mode.hybridize for mode in MODES.values()]:
        raise CaseFileError(f"invalid {HYBRIDIZE} {value!r}: expected False, True or {STATIC!r}")
