"""The distinct calls of a network with their counts and cases, and the names of networks over several files."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias

import msgspec

from autoperf.cases.deduction import Subject, deduced
from autoperf.cases.handwritten import HandwrittenCase, typed, with_lists
from autoperf.cases.shorthand import Tensors, parse_value
from autoperf.core.case import Calls, Case
from autoperf.core.errors import AutoperfError, CaseFileError, UsageError
from autoperf.core.graph import NETWORK
from autoperf.core.operator import Operator, TensorKind, Value
from autoperf.core.tensors import AnyContent
from autoperf.registry.calls import InferenceCall, InferredGraph, InferredNode
from autoperf.rules.rule import Draft


@dataclass
class _Meaning:
    """The network that a file has under a name: its whole graphs, and the count of each call."""

    path: Path
    graphs: set[str] = field(default_factory=set)
    calls: dict[str, int] = field(default_factory=dict)

    def add(self, case: Case, count: int) -> None:
        """Adds a case of the network."""
        if case.category == NETWORK:
            # What all ways of running one network share.
            shared = msgspec.json.encode((case.inputs, case.graphs, case.training))
            self.graphs.add(hashlib.sha256(shared).hexdigest())
        else:
            self.calls[case.digest] = count

    def is_same(self, other: _Meaning) -> bool:
        """Whether both are the same network: by the whole if both have it, since a file may have only some calls."""
        return self.graphs == other.graphs if self.graphs and other.graphs else self.calls == other.calls


class NetworkLabels:
    """Compares the networks of each file of cases with earlier files."""

    def __init__(self) -> None:
        self._known: dict[str, _Meaning] = {}
        self._latest: dict[str, _Meaning] = {}
        self._calls: dict[str, tuple[Calls, Calls]] = {}

    def add(self, path: Path, case: Case) -> None:
        """Adds a case of the current file."""
        if case.calls:
            calls, network_calls = self._calls.get(case.digest, ({}, {}))
            self._calls[case.digest] = calls | case.calls, network_calls | (case.network_calls or {})
        for label, count in (case.calls or {}).items():
            self._latest.setdefault(label, _Meaning(path)).add(case, count)

    def end_file(self) -> None:
        """Ends a file. Raises CaseFileError for a name of two networks, and for two names of one, in all files."""
        for label, meaning in self._latest.items():
            for name, earlier in self._known.items():
                if name not in self._latest and meaning.graphs and meaning.graphs == earlier.graphs:
                    raise CaseFileError(
                        f"{earlier.path} and {meaning.path} have one network under two names, {name!r} and {label!r}, "
                        "so each of its calls would count twice: give one of the files"
                    )
            known = self._known.setdefault(label, meaning)
            if not known.is_same(meaning):
                raise CaseFileError(
                    f"{known.path} and {meaning.path} have different networks with the name {label!r}, whose times "
                    "would be added up: measure each file alone, or capture all networks by one `autoperf capture`"
                )
        self._latest = {}

    def with_calls(self, case: Case) -> Case:
        """The case with its counts in the networks of all files, since a run measures it once."""
        if case.digest not in self._calls:
            return case
        calls, network_calls = self._calls[case.digest]
        return msgspec.structs.replace(case, calls=calls, network_calls=network_calls or msgspec.UNSET)


CallKey: TypeAlias = tuple[str, tuple[tuple[str, str], ...], tuple[Draft, ...]]
MAX_PROFILE = 100
DEFAULT_DTYPE = "float32"
Places: TypeAlias = Mapping[int, tuple[int, ...]]
"""The positions of each call's inputs that get gradients, by the number of its node."""


@dataclass(frozen=True)
class NetworkCall:
    """An operator with its parameters, as MXNet's texts, and its inputs, in the operator's order.

    Only an input of the network for which the user gave a content has one. `node` is the first node of the network that
    makes this call, `count` the number of such nodes. `is_nested` is whether it holds graphs of its own.
    """

    node: str
    operator: str
    params: dict[str, str]
    inputs: tuple[Draft, ...]
    count: int = 1
    is_nested: bool = False

    @property
    def key(self) -> CallKey:
        """The key that identical calls share."""
        return self.operator, tuple(sorted(self.params.items())), self.inputs


@dataclass(frozen=True)
class NetworkGraph:
    """The nodes of a network, and its inputs and the contents of its parameters by the names of their variables."""

    graph: InferredGraph
    inputs: Mapping[str, Draft]
    contents: Mapping[str, AnyContent] = field(default_factory=dict)

    @property
    def nested(self) -> InferredNode | None:
        """The first node that holds graphs of its own: a loop or a branch."""
        return next((node for node in self.graph.nodes if node.is_nested), None)

    def calls_by_node(self) -> Iterator[tuple[int, NetworkCall]]:
        """The call of each operator node, with the node's number."""
        for number, node in enumerate(self.graph.nodes):
            if node.operator:
                kinds = [(source, self.graph.nodes[source].outputs[output]) for source, output in node.inputs]
                inputs = tuple(Draft(kind.shape, kind.dtype, self.content(source)) for source, kind in kinds)
                yield number, NetworkCall(node.name, node.operator, node.params, inputs, is_nested=node.is_nested)

    def distinct_calls(self) -> list[NetworkCall]:
        """Each call once, in the network's order; a loop counts as the calls of its steps if their number is known."""
        calls: dict[CallKey, NetworkCall] = {}
        for call in self._calls():
            earlier = calls.get(call.key)
            calls[call.key] = replace(earlier, count=earlier.count + call.count) if earlier else call
        return list(calls.values())

    def _calls(self) -> Iterator[NetworkCall]:
        for number, call in self.calls_by_node():
            body = self.graph.nodes[number].body
            if body:
                inner = NetworkGraph(body.graph, {}).distinct_calls()
                yield from (replace(step, count=step.count * body.steps) for step in inner)
            else:
                yield call

    def content(self, number: int) -> AnyContent | None:
        """The content that the user gave for a variable, or that is stored, by the node's number."""
        node = self.graph.nodes[number]
        draft = None if node.operator else self.inputs.get(node.name)
        stored = None if node.operator else self.contents.get(node.name)
        return (draft.content if draft else None) or stored


@dataclass(frozen=True)
class CallRefusal:
    """A call that can't be a case, with the reason."""

    call: NetworkCall
    reason: str


def case_of(call: NetworkCall, subject: Subject, *, training: bool) -> Case | CallRefusal:
    """The case of a call, whose profile is the node's name; a refusal if MXNet rejects it outside of the network."""
    params = typed_params(subject.operator, call.params)
    try:
        names = argument_names(call, subject, params)
        tensors: Mapping[str, Tensors] = with_lists(dict(zip(names, call.inputs, strict=True)))
        # The default dtype of created arrays differs between releases.
        if call.inputs:
            # A symbol states defaults too.
            defaults = {each.name: each.default for each in subject.operator.parameters if each.default}
            usual = typed_params(subject.operator, defaults)
            params = {name: value for name, value in params.items() if name not in usual or usual[name] != value}
        # The dtype of the call's data: the first floating one.
        dtypes = [draft.dtype or DEFAULT_DTYPE for draft in call.inputs]
        dtype = next((dtype for dtype in dtypes if "float" in dtype), dtypes[0] if dtypes else DEFAULT_DTYPE)
        profile = call.node[:MAX_PROFILE]
        written = HandwrittenCase(subject.operator.name, tensors, params, (dtype,), profile, training=training)
        (case,) = deduced(written, subject).cases
    except AutoperfError as error:
        return CallRefusal(call, str(error))
    return msgspec.structs.replace(case, training=training)


def typed_params(operator: Operator, texts: Mapping[str, str]) -> dict[str, Value]:
    """The parameters as values of their types; other texts stay texts."""
    values = {name: _value(text) for name, text in texts.items()}
    return dict(typed(HandwrittenCase(operator.name, {}, values), operator).params)


def _value(text: str) -> Value:
    try:
        return parse_value(text)
    except UsageError:
        return text


def argument_names(call: NetworkCall, subject: Subject, params: Mapping[str, Value]) -> list[str]:
    """The names of the call's inputs, in order. Raises UsageError for a wrong number of inputs."""
    operator, count = subject.operator, len(call.inputs)
    if operator.variadic:
        # The list of tensors takes all inputs but the single ones.
        members = count - sum(tensor.kind is not TensorKind.VARIADIC for tensor in operator.tensors)
        names: list[str] = []
        for tensor in operator.tensors:
            is_list = tensor.kind is TensorKind.VARIADIC
            names += [f"{tensor.name}[{number}]" for number in range(members)] if is_list else [tensor.name]
    else:
        # Those that MXNet lists for these parameters, which determine biases, states and lengths.
        (completion,) = subject.completer.complete([InferenceCall(operator.name, {}, dict(params))])
        names = [name for name, _ in completion.inputs]
        names = names if len(names) == count else [tensor.name for tensor in operator.tensors[:count]]
    if len(names) != count:
        raise UsageError(f"{operator.name} takes {len(names)} inputs with these parameters, not {count}")
    return names


def gradient_places(
    graph: InferredGraph, is_source: Callable[[InferredNode], bool], is_differentiable: Callable[[int], bool]
) -> Places:
    """The calls on the paths from the variables that get gradients (`is_source`) to the network's outputs.

    `is_differentiable` tests whether gradients flow through a call, by its node's number; it is called only for calls
    that such a variable reaches.
    """
    # The differentiable calls that depend on such a variable, in the network's order.
    reached: dict[int, tuple[int, ...]] = {}
    sources = {number for number, node in enumerate(graph.nodes) if not node.operator and is_source(node)}
    for number, node in enumerate(graph.nodes):
        own = tuple(
            place
            for place, (source, output) in enumerate(node.inputs)
            if source in sources and "float" in graph.nodes[source].outputs[output].dtype
        )
        if own and is_differentiable(number):
            reached[number] = own
            sources.add(number)
    used = {number for number, _ in graph.outputs}
    for number in reversed(reached):
        if number in used:
            used |= {graph.nodes[number].inputs[place][0] for place in reached[number]}
    return {number: places for number, places in reached.items() if number in used}
