"""A captured network: the cases of its calls, the calls whose results each of them reads, and the whole."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import msgspec

from autoperf.cases.deduction import Subject
from autoperf.core.case import Case, Input, Upstream
from autoperf.core.errors import UsageError
from autoperf.core.graph import FUSED, IN_TURN, NETWORK, NETWORK_MODES, Graph, Node
from autoperf.core.operator import Value
from autoperf.core.tensors import AnyContent, ArrayType, Patterned, TensorSpec, Uniform, default_content
from autoperf.networks.calls import CallKey, CallRefusal, NetworkCall, NetworkGraph, case_of, typed_params
from autoperf.registry.calls import UNKNOWN_DIMENSION, InferredGraph, InferredNode
from autoperf.rules.categories import MOVING

MAX_DEPTH = 4
"""The number of calls in a row that stand before a call. Most rows are shorter: they begin at a call with weights."""
MATRIX_RANK = 2
MAX_OTHER_BYTES = 48 * 2**20
"""The most bytes that are read between two calls: more than the caches hold."""
_Entry = tuple[int, int]


@dataclass(frozen=True)
class UpstreamCalls:
    """The calls before each call of a network without loops; `cases`, `params` and `contents` are by number of node."""

    network: NetworkGraph
    cases: Mapping[int, Case]
    params: Mapping[int, Mapping[str, Value]]
    contents: Mapping[int, AnyContent]

    @property
    def _nodes(self) -> Sequence[InferredNode]:
        return self.network.graph.nodes

    @cached_property
    def _other_bytes(self) -> int:
        return min(sum(output.nbytes for node in self._nodes for output in node.outputs), MAX_OTHER_BYTES)

    def of(self, number: int) -> Upstream | None:
        """The calls that make inputs of a call; None if none do, or if one of them can't be a case."""
        if number not in self.cases:
            return None
        inputs = zip(self.cases[number].inputs, self._nodes[number].inputs, strict=False)
        made = {item.name: entry for item, entry in inputs if self._is_call(entry[0])}
        # The calls up to MAX_DEPTH before, and none before a call with weights, which chooses its results' layout.
        reached: set[int] = set()
        row = {source for source, _ in made.values()}
        for _ in range(MAX_DEPTH):
            reached |= row
            before = (source for each in row if not self._has_weights(each) for source in self._sources(each))
            row = {source for source in before if self._is_call(source)} - reached
        if not made or not reached <= self.cases.keys():
            return None
        return self._upstream(made, sorted(reached))

    def _upstream(self, made: Mapping[str, _Entry], numbers: list[int]) -> Upstream:
        names = {number: f"call{place}" for place, number in enumerate(numbers)}
        variables: dict[_Entry, Input] = {}
        nodes: list[Node] = []
        for number in numbers:
            used = self._nodes[number].inputs
            for place, entry in enumerate(used):
                if entry[0] not in names and entry not in variables:
                    variables[entry] = Input(f"tensor{len(variables)}", self._tensor(entry[0], number, place))
            references = tuple(_reference(entry, names, variables) for entry in used)
            nodes.append(Node(names[number], self._nodes[number].operator, references, dict(self.params[number])))
        inputs = tuple(variables.values())
        outputs = tuple(_reference(entry, names, variables) for entry in made.values())
        graph = Graph(tuple(item.name for item in inputs), tuple(nodes), outputs)
        return Upstream(tuple(made), graph, inputs, self._other_bytes)

    def _tensor(self, source: int, reader: int, place: int) -> TensorSpec:
        """A variable of the network, or the result of an earlier call, drawn as an input of its reader.

        Within a map of a deep network numbers differ little: their signs decide how long kernels that branch take.
        """
        if not self._is_call(source):
            return _tensor(self._nodes[source], self.contents.get(source))
        tensor = self.cases[reader].inputs[place].tensor
        is_map = len(tensor.shape) > MATRIX_RANK + 1 and tensor.content == Uniform()
        return msgspec.structs.replace(tensor, content=Patterned(Uniform(), "maps")) if is_map else tensor

    def _has_weights(self, number: int) -> bool:
        variables = (self._nodes[source] for source in self._sources(number) if not self._is_call(source))
        parameters = (node for node in variables if node.name not in self.network.inputs)
        return any(len(node.outputs[0].shape) >= MATRIX_RANK for node in parameters)

    def _sources(self, number: int) -> list[int]:
        return [source for source, _ in self._nodes[number].inputs]

    def _is_call(self, number: int) -> bool:
        return bool(self._nodes[number].operator)


def _reference(entry: _Entry, names: Mapping[int, str], variables: Mapping[_Entry, Input]) -> str:
    number, output = entry
    if number not in names:
        return variables[entry].name
    return f"{names[number]}[{output}]" if output else names[number]


OPERATOR = "_CachedOp"
"""MXNet's operator of compiled graphs; run eagerly, its graph alone counts."""
INFERENCE_ONLY = frozenset({FUSED})
_GRAPH = "graph"


def whole_cases(
    graph: InferredGraph,
    params: Mapping[int, Mapping[str, Value]],
    contents: Mapping[int, AnyContent],
    *,
    training: bool,
) -> Iterator[Case]:
    """A case of the network, without nested graphs, in each mode; `params` and `contents` are by number of node."""
    names = _identifiers([node.name for node in graph.nodes])
    plain = _plain_graph(graph, params, names)
    numbers = {name: number for number, name in enumerate(names)}
    inputs = tuple(
        Input(f"data[{place}]", _tensor(graph.nodes[numbers[name]], contents.get(numbers[name])))
        for place, name in enumerate(plain.inputs)
    )
    outputs = tuple(graph.nodes[number].outputs[output] for number, output in _distinct(graph.outputs))
    for name, mode in NETWORK_MODES.items():
        if training and name in INFERENCE_ONLY:
            continue
        yield Case(
            operator=OPERATOR,
            category=NETWORK,
            profile=name,
            inputs=inputs,
            params=dict(mode.flags),
            outputs=outputs,
            training=training,
            graphs={_GRAPH: plain},
            way=mode.way,
        )


def _plain_graph(graph: InferredGraph, params: Mapping[int, Mapping[str, Value]], names: Sequence[str]) -> Graph:
    """The graph by names, with its variables in MXNet's order."""
    nodes = tuple(
        Node(names[number], node.operator, _references(node.inputs, names), dict(params[number]))
        for number, node in enumerate(graph.nodes)
        if node.operator
    )
    variables = tuple(names[number] for number, node in enumerate(graph.nodes) if not node.operator)
    plain = Graph(variables, nodes, _references(_distinct(graph.outputs), names))
    return Graph(plain.input_order(), plain.nodes, plain.outputs)


def _distinct(outputs: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Each output once: a recurrent cell returns one as its output and as its state, which is one array."""
    return tuple(dict.fromkeys(outputs))


def _references(entries: Sequence[tuple[int, int]], names: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"{names[number]}[{output}]" if output else names[number] for number, output in entries)


def _tensor(variable: InferredNode, content: AnyContent | None) -> TensorSpec:
    (kind,) = variable.outputs
    return TensorSpec(kind.shape, kind.dtype, content or default_content(kind.dtype))


def weight_content(kind: ArrayType) -> AnyContent:
    """The content of a parameter: matrices are scaled by their inputs, so that the values of deep networks stay finite.

    The variance of Uniform(-a, a) is a**2 / 3 (Glorot and Bengio, 2010).
    """
    plain = default_content(kind.dtype)
    if plain != Uniform() or len(kind.shape) < 2:
        return plain
    reach = math.sqrt(3 / max(1, math.prod(kind.shape[1:])))
    return Uniform(-reach, reach)


def _identifiers(names: Sequence[str]) -> list[str]:
    """An identifier for each name, as similar as possible and distinct from the others."""
    identifiers: dict[str, None] = {}
    for name in names:
        stem = re.sub(r"[^A-Za-z0-9_]", "_", name)
        stem = stem if re.match(r"[A-Za-z_]", stem) else f"_{stem}"
        candidate, number = stem, 1
        while candidate in identifiers:
            number += 1
            candidate = f"{stem}_{number}"
        identifiers[candidate] = None
    return list(identifiers)


_UNKNOWN_STEPS = "its inputs decide which of its graphs run, and how often, so their calls can't be counted"
_FUSED_BEFORE = (
    "a subgraph backend fused other operators into it (`get_backend_symbol`, `optimize_for`, quantization): capture "
    "the symbol from before, whose whole is measured fused too"
)
_PLACES_OF_INPUTS = "_locs"
"""The end of parameters that only loops and branches have: which of their inputs each of their graphs takes."""
_UNKNOWN_SHAPES = "MXNet can't deduce the shapes of its inputs, which come from a loop or a branch"
_NO_RESULT = "and the outputs of a case of a whole network are arrays that its operators write"
_HOLDS_GRAPH = "holds a graph of its own, which a case of a whole network can't"


@dataclass(frozen=True)
class CapturedNetwork:
    """A network's cases: its distinct calls by operator, and the whole; `calls` is their number in one pass.

    `no_whole` is the reason why there is no case of the whole, or empty. `given` are the variables whose shapes were
    given, as the graph names them. `note` says which parameters a file of them lacks, if any.
    """

    name: str
    parts: tuple[Case, ...]
    whole: tuple[Case, ...]
    refusals: tuple[CallRefusal, ...]
    calls: int
    no_whole: str = ""
    given: frozenset[str] = frozenset()
    note: str = ""


def captured(
    name: str, network: NetworkGraph, subject_of: Callable[[str], Subject], *, training: bool
) -> CapturedNetwork:
    """The cases of a network. Raises UsageError for a shape that MXNet can't deduce."""
    if not network.nested:
        _check_complete(network.graph)
    no_whole = _no_whole(network)
    calls = network.distinct_calls()
    made = {call.key: _case_or_refusal(call, subject_of, training=training) for call in calls}
    whole: Iterable[Case] = ()
    upstream: Mapping[CallKey, Upstream] = {}
    if not network.nested:
        params, contents = _params(network, subject_of), _contents(network, made)
        whole = () if no_whole else whole_cases(network.graph, params, contents, training=training)
        upstream = _upstream(network, made, params, contents)
    counted = [
        (msgspec.structs.replace(case, upstream=upstream.get(call.key, msgspec.UNSET)), call.count)
        for call in calls
        if isinstance(case := made[call.key], Case)
    ]
    total = sum(call.count for call in calls)
    identifiers = _identifiers([node.name for node in network.graph.nodes])
    nodes = zip(identifiers, network.graph.nodes, strict=True)
    return CapturedNetwork(
        name,
        tuple(by_operator(_with_calls(name, total, counted))),
        tuple(_with_calls(name, total, ((case, 1) for case in whole))),
        tuple(case for case in made.values() if isinstance(case, CallRefusal)),
        total,
        no_whole,
        frozenset(name for name, node in nodes if node.name in network.inputs),
    )


def in_turn(name: str, sizes: Sequence[CapturedNetwork]) -> CapturedNetwork:
    """The whole network called with several sizes in turn, in the modes that take any size."""
    total = sum(network.calls for network in sizes)
    no_whole = _not_in_turn(sizes)
    modes = () if no_whole else zip(*(network.whole for network in sizes), strict=True)
    whole = []
    for first, *others in (cases for cases in modes if cases[0].mode not in INFERENCE_ONLY):
        # The case of the first size, with the varying inputs of the others.
        places = _varying([first, *others])
        tensors = [item.tensor for item in first.inputs]
        tensors += (other.inputs[place].tensor for other in others for place in places)
        case = msgspec.structs.replace(
            first,
            inputs=tuple(Input(f"data[{number}]", tensor) for number, tensor in enumerate(tensors)),
            outputs=tuple(output for case in (first, *others) for output in case.outputs),
            params={**first.params, IN_TURN: places},
        )
        whole.append((case, 1))
    return CapturedNetwork(name, (), tuple(_with_calls(name, total, whole)), (), total, no_whole)


def _not_in_turn(sizes: Sequence[CapturedNetwork]) -> str:
    """The reason why one graph can't take these sizes; empty if it can."""
    if reason := next((network.no_whole for network in sizes if network.no_whole), ""):
        return reason
    firsts = [network.whole[0] for network in sizes]
    first, *others = (case.graphs[_GRAPH].unnamed() for case in firsts)
    if any(graph != first for graph in others):
        return "its operators have other parameters at each size"
    names = firsts[0].graphs[_GRAPH].inputs
    varying = [names[place] for place in _varying(firsts)]
    parameter = next((name for name in varying if name not in sizes[0].given), "")
    return f"its parameter {parameter} has another shape at each size" if parameter else ""


def _varying(cases: Sequence[Case]) -> tuple[int, ...]:
    tensors = zip(*((item.tensor for item in case.inputs) for case in cases), strict=True)
    return tuple(place for place, each in enumerate(tensors) if len({tensor.shape for tensor in each}) > 1)


def _no_whole(network: NetworkGraph) -> str:
    """The reason why the whole can't be a case; empty if it can."""
    if network.nested:
        return f"{network.nested.name} ({network.nested.operator}) {_HOLDS_GRAPH}"
    returned = (network.graph.nodes[number] for number, _ in network.graph.outputs)
    name = next((node.name for node in returned if not node.operator), "")
    return f"it returns its input {name}, {_NO_RESULT}" if name else ""


def _case_or_refusal(call: NetworkCall, subject_of: Callable[[str], Subject], *, training: bool) -> Case | CallRefusal:
    if call.is_nested:
        decides = any(name.endswith(_PLACES_OF_INPUTS) for name in call.params)
        return CallRefusal(call, _UNKNOWN_STEPS if decides else _FUSED_BEFORE)
    if any(UNKNOWN_DIMENSION in draft.shape for draft in call.inputs):
        return CallRefusal(call, _UNKNOWN_SHAPES)
    return case_of(call, subject_of(call.operator), training=training)


def _params(network: NetworkGraph, subject_of: Callable[[str], Subject]) -> dict[int, dict[str, Value]]:
    """The parameters of each call by its node's number."""
    return {
        number: typed_params(subject_of(node.operator).operator, node.params)
        for number, node in enumerate(network.graph.nodes)
        if node.operator
    }


def _upstream(
    network: NetworkGraph,
    made: Mapping[CallKey, Case | CallRefusal],
    params: Mapping[int, Mapping[str, Value]],
    contents: Mapping[int, AnyContent],
) -> dict[CallKey, Upstream]:
    """The calls before each call; before one that is made at several places, those that are most frequent."""
    keys = {number: call.key for number, call in network.calls_by_node()}
    cases = {number: case for number, key in keys.items() if isinstance(case := made[key], Case)}
    before = UpstreamCalls(network, cases, params, contents)
    found: dict[CallKey, dict[bytes, list[Upstream]]] = defaultdict(lambda: defaultdict(list))
    for number, key in keys.items():
        if upstream := before.of(number):
            found[key][msgspec.json.encode(upstream)].append(upstream)
    return {key: max(alike.values(), key=len)[0] for key, alike in found.items()}


def _with_calls(name: str, total: int, counted: Iterable[tuple[Case, int]]) -> list[Case]:
    """The distinct cases with their counts in the network, which makes `total` calls."""
    totals = {name: total}
    return merged(msgspec.structs.replace(case, calls={name: count}, network_calls=totals) for case, count in counted)


def merged(cases: Iterable[Case]) -> list[Case]:
    """Each case once, with the counts of all networks that make it."""
    distinct: dict[str, Case] = {}
    for case in cases:
        earlier = distinct.get(case.digest)
        if earlier:
            calls = dict(earlier.calls or {})
            for name, count in (case.calls or {}).items():
                calls[name] = calls.get(name, 0) + count
            totals = {**(earlier.network_calls or {}), **(case.network_calls or {})}
            distinct[case.digest] = msgspec.structs.replace(earlier, calls=calls, network_calls=totals)
        else:
            distinct[case.digest] = case
    return list(distinct.values())


def by_operator(cases: Iterable[Case]) -> list[Case]:
    """The cases grouped by operator, in the order of their first occurrence."""
    groups: dict[str, list[Case]] = {}
    for case in cases:
        groups.setdefault(case.operator, []).append(case)
    return [case for members in groups.values() for case in members]


def _check_complete(graph: InferredGraph) -> None:
    for node in graph.nodes:
        if any(UNKNOWN_DIMENSION in output.shape for output in node.outputs):
            name = f"{node.name} ({node.operator})" if node.operator else node.name
            raise UsageError(
                f"MXNet can't deduce the shape of {name}: give the shapes of all inputs, --input NAME=SHAPE, with "
                "sizes above 0"
            )


def _contents(network: NetworkGraph, made: Mapping[CallKey, Case | CallRefusal]) -> dict[int, AnyContent]:
    """The content of each variable by its number: as given, or as the first operator needs that computes with it.

    Weights are scaled. Operators that only move or convert numbers pass on what the calls after them need.
    """
    needed: dict[int, AnyContent] = {}
    for number, call in reversed([*network.calls_by_node()]):
        case = made[call.key]
        if isinstance(case, Case):
            for (source, _), item in zip(network.graph.nodes[number].inputs, case.inputs, strict=False):
                content = item.tensor.content
                is_plain = content == default_content(item.tensor.dtype)
                if is_plain and case.category in MOVING:
                    content, is_plain = needed.get(number, content), number not in needed
                if source not in needed or not is_plain:
                    needed[source] = content
    for number, content in needed.items():
        is_weight = network.graph.nodes[number].name not in network.inputs and content == Uniform()
        scaled = weight_content(network.graph.nodes[number].outputs[0]) if is_weight else content
        needed[number] = network.content(number) or scaled
    return needed
