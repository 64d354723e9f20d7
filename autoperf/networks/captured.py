"""A captured network: the cases of its calls and of the whole."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

import msgspec

from autoperf.cases.deduction import Subject
from autoperf.core.case import Case
from autoperf.core.errors import UsageError
from autoperf.core.tensors import AnyContent, Uniform
from autoperf.networks.calls import CallKey, CallRefusal, NetworkCall, NetworkGraph, case_of, typed_params
from autoperf.networks.whole_network import weight_content, whole_cases
from autoperf.registry.calls import UNKNOWN_DIMENSION, InferredGraph

_UNKNOWN_STEPS = "its inputs decide which of its graphs run, and how often, so their calls can't be counted"
_UNKNOWN_SHAPES = "MXNet can't deduce the shapes of its inputs, which come from a loop or a branch"
_NO_RESULT = "and the outputs of a case of a whole network are arrays that its operators write"
_HOLDS_GRAPH = "holds a graph of its own, which a case of a whole network can't"


@dataclass(frozen=True)
class CapturedNetwork:
    """A network's cases: its distinct calls by operator, then the whole; `calls` is their number in one pass.

    `no_whole` is the reason why there is no case of the whole, or empty.
    """

    name: str
    parts: tuple[Case, ...]
    whole: tuple[Case, ...]
    refusals: tuple[CallRefusal, ...]
    calls: int
    no_whole: str = ""

    @property
    def cases(self) -> tuple[Case, ...]:
        """All cases."""
        return (*self.parts, *self.whole)


def captured(
    name: str, network: NetworkGraph, subject_of: Callable[[str], Subject], *, training: bool
) -> CapturedNetwork:
    """The cases of a network. Raises UsageError for a shape that MXNet can't deduce."""
    if not network.nested:
        _check_complete(network.graph)
    no_whole = _no_whole(network)
    calls = network.distinct_calls()
    made = {call.key: _case_or_refusal(call, subject_of, training=training) for call in calls}
    whole = () if no_whole else _whole(network, subject_of, made, training=training)
    counted = [(case, call.count) for call in calls if isinstance(case := made[call.key], Case)]
    total = sum(call.count for call in calls)
    return CapturedNetwork(
        name,
        tuple(by_operator(_with_calls(name, total, counted))),
        tuple(_with_calls(name, total, ((case, 1) for case in whole))),
        tuple(case for case in made.values() if isinstance(case, CallRefusal)),
        total,
        no_whole,
    )


def _no_whole(network: NetworkGraph) -> str:
    """The reason why the whole can't be a case; empty if it can."""
    if network.nested:
        return f"{network.nested.name} ({network.nested.operator}) {_HOLDS_GRAPH}"
    returned = (network.graph.nodes[number] for number, _ in network.graph.outputs)
    name = next((node.name for node in returned if not node.operator), "")
    return f"it returns its input {name}, {_NO_RESULT}" if name else ""


def _case_or_refusal(call: NetworkCall, subject_of: Callable[[str], Subject], *, training: bool) -> Case | CallRefusal:
    if call.is_nested:
        return CallRefusal(call, _UNKNOWN_STEPS)
    if any(UNKNOWN_DIMENSION in draft.shape for draft in call.inputs):
        return CallRefusal(call, _UNKNOWN_SHAPES)
    return case_of(call, subject_of(call.operator), training=training)


def _whole(
    network: NetworkGraph,
    subject_of: Callable[[str], Subject],
    made: Mapping[CallKey, Case | CallRefusal],
    *,
    training: bool,
) -> Iterator[Case]:
    params = {
        number: typed_params(subject_of(node.operator).operator, node.params)
        for number, node in enumerate(network.graph.nodes)
        if node.operator
    }
    return whole_cases(network.graph, params, _contents(network, made), training=training)


def _with_calls(name: str, total: int, counted: Iterable[tuple[Case, int]]) -> list[Case]:
    """The distinct cases with their counts in the network, which makes `total` calls."""
    totals = {name: total}
    return merged(msgspec.structs.replace(case, calls={name: count}, network_calls=totals) for case, count in counted)


def merged(cases: Iterable[Case]) -> list[Case]:
    """Each case once, with the counts of all networks that make it."""
    distinct: dict[str, Case] = {}
    for case in cases:
        earlier = distinct.get(case.digest)
        distinct[case.digest] = _together(earlier, case) if earlier else case
    return list(distinct.values())


def _together(first: Case, other: Case) -> Case:
    calls = dict(first.calls or {})
    for name, count in (other.calls or {}).items():
        calls[name] = calls.get(name, 0) + count
    totals = {**(first.network_calls or {}), **(other.network_calls or {})}
    return msgspec.structs.replace(first, calls=calls, network_calls=totals)


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
                f"MXNet can't deduce the shape of {name}: give the shapes of all inputs, --input NAME=SHAPE"
            )


def _contents(network: NetworkGraph, made: Mapping[CallKey, Case | CallRefusal]) -> dict[int, AnyContent]:
    """The content of each variable by its number: as given, or as its first operator needs."""
    contents: dict[int, AnyContent] = {}
    for number, call in network.calls_by_node():
        case = made[call.key]
        if isinstance(case, Case):
            for (source, _), item in zip(network.graph.nodes[number].inputs, case.inputs, strict=False):
                contents.setdefault(source, _whole_content(network, source, item.tensor.content))
    return contents


def _whole_content(network: NetworkGraph, number: int, content: AnyContent) -> AnyContent:
    """The content of a variable in the whole network; weights are scaled."""
    is_weight = network.graph.nodes[number].name not in network.inputs and content == Uniform()
    return weight_content(network.type_of(number)) if is_weight else content
