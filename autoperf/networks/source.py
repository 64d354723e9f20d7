"""Sources of networks (the zoo, layers, symbol and Python files), and the client of the process that traces them."""

from __future__ import annotations

import keyword
import re
import time
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Annotated, Literal, TypeAlias, TypeVar

import msgspec
from msgspec.msgpack import Decoder

from autoperf.cases.shorthand import parse_tensor
from autoperf.core.case import Case
from autoperf.core.errors import CaseFileError, UnknownNameError, UsageError
from autoperf.core.files import Closable, expanded_path, read_input
from autoperf.core.graph import LayerClass, LayerPlace
from autoperf.processes.channel import ChannelError
from autoperf.processes.child_process import ChildProcess
from autoperf.rules.rule import Draft

_EXPECTED = (
    "expected a model of Gluon's zoo (resnet50_v1), a layer (gluon.nn.Dense), a symbol file (model-symbol.json), or "
    "net.py:function"
)
_ZOO = re.compile(r"[A-Za-z][A-Za-z0-9_.]*")
_LAYER = re.compile(r"(?:mx\.|mxnet\.)?(gluon(?:\.\w+)+)")
_SYMBOL_SUFFIX = "-symbol"
_LARGE_IMAGES = ("inception",)
_BATCH = re.compile(r"(?:^|(?<=[\s(,x]))N(?=$|[\s),x])")
_OF_BATCH = re.compile(r"[\s(]*(?:(?!1\s*[,x])\d+\s*[,x]\s*)?N(?=$|[\s),x])")
_EXAMPLE = "data=Nx3x224x224"
_VARIABLE = "null"


class NetworkSource(msgspec.Struct, frozen=True):
    """The source of a network: a model or layer by name, or a file by path; for a Python file, also the function."""

    kind: Literal["zoo", "layer", "symbol", "python"]
    location: str
    function: str = ""

    @property
    def name(self) -> str:
        """The network's name in results: the model's, the file's, or `net.function`."""
        if self.kind in ("zoo", "layer"):
            return self.location
        stem = Path(self.location).stem
        return f"{stem}.{self.function}" if self.function else stem.removesuffix(_SYMBOL_SUFFIX)

    @property
    def default_inputs(self) -> dict[str, str]:
        """The input of a model of the zoo, which is an image; none for other sources."""
        if self.kind != "zoo":
            return {}
        edge = 299 if self.location.startswith(_LARGE_IMAGES) else 224
        return {"data": f"Nx3x{edge}x{edge}"}


def parse_source(text: str) -> NetworkSource:
    """The source that a command line names. Raises UsageError."""
    path, colon, function = text.rpartition(":")
    if colon and path.endswith(".py"):
        # Python normalises names this way.
        function = unicodedata.normalize("NFKC", function)
        if not function.isidentifier() or keyword.iskeyword(function):
            raise UsageError(f"invalid network {text!r}: expected the name of a function after the colon")
        return NetworkSource("python", str(expanded_path(path, "network").absolute()), function)
    if text.endswith(".py"):
        raise UsageError(f"invalid network {text!r}: expected {text}:FUNCTION, whose function returns the block")
    if text.endswith(".json"):
        return NetworkSource("symbol", str(expanded_path(text, "network").absolute()))
    if layer := _LAYER.fullmatch(text):
        return NetworkSource("layer", layer[1])
    if not _ZOO.fullmatch(text):
        raise UsageError(f"invalid network {text!r}: {_EXPECTED}")
    return NetworkSource("zoo", text)


def distinct_names(sources: Iterable[NetworkSource]) -> Mapping[NetworkSource, str]:
    """The name of each source; files with equal names get as many parent folders as distinguish them."""
    sources = tuple(dict.fromkeys(sources))
    names = {source: source.name for source in sources}
    folders = 0
    while True:
        counts = Counter(names.values())
        # Models and layers have only one name.
        shared = [each for each, name in names.items() if counts[name] > 1 and each.kind in ("symbol", "python")]
        if not shared:
            return names
        for source in shared:
            path = str(Path(*Path(source.location).parts[-1 - folders :]))
            names[source] = f"{path}:{source.function}" if source.function else path
        folders += 1


def parse_inputs(words: Sequence[str]) -> dict[str, str]:
    """The texts of tensors by name, from `NAME=SHAPE`. Raises UsageError."""
    texts: dict[str, str] = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not (equals and name.strip() and text.strip()):
            raise UsageError(f"invalid --input {word!r}: expected NAME=SHAPE, such as {_EXAMPLE}")
        if name.strip() in texts:
            raise UsageError(f"invalid --input: {name.strip()} is given twice; each input of a network has one shape")
        texts[name.strip()] = text.strip()
    return texts


def size_label(texts: Mapping[str, str], size: int | str) -> str:
    """`batch 32`, or `N=32` where N is no input's first dimension (nor second after that of time); empty without N."""
    shapes = [_parts(text)[0] for text in texts.values()]
    if not any(map(_BATCH.search, shapes)):
        return ""
    return f"batch {size}" if any(map(_OF_BATCH.match, shapes)) else f"N={size}"


def drafts(texts: Mapping[str, str], batch: int) -> dict[str, Draft]:
    """The tensors at a batch size. Raises UsageError and UnknownNameError."""
    made = {}
    for name, text in texts.items():
        shape, rest = _parts(text)
        try:
            draft = parse_tensor(_BATCH.sub(str(batch), shape) + rest)
        except UsageError as error:
            raise UsageError(f"input {name}={text}: {error}") from error
        if draft.storage != Draft(()).storage:
            raise UsageError(
                f"input {name}={text}: invalid storage {draft.storage}: expected a dense tensor of a network"
            )
        made[name] = draft
    return made


def check_names(network: str, names: Iterable[str], declared: Mapping[str, str]) -> None:
    """Raises UnknownNameError for an undeclared input, if the network declares any."""
    for name in names:
        if declared and name not in declared:
            raise UnknownNameError(f"input of {network}", name, declared)


def _parts(text: str) -> tuple[str, str]:
    shape, colon, rest = text.partition(":")
    return shape, colon + rest


_Count = Annotated[int, msgspec.Meta(ge=0)]
_Entry = Annotated[list[_Count], msgspec.Meta(min_length=2, max_length=3)]
"""A node's number and its output's; files by MXNet 0.9 and newer add a version."""


class _FileNode(msgspec.Struct):
    op: str
    name: str
    inputs: list[_Entry]
    attrs: dict[str, str] = {}


class _FileGraph(msgspec.Struct):
    nodes: list[_FileNode]
    arg_nodes: list[_Count]
    heads: Annotated[list[_Entry], msgspec.Meta(min_length=1)]

    def __post_init__(self) -> None:
        """Raises ValueError for a reference to a node that isn't there, and for a cycle: MXNet's words name no node."""
        ends = [(number, f"its node {node.name!r}") for node in self.nodes for number, *_ in node.inputs]
        ends += [(number, "one of its heads") for number, *_ in self.heads]
        for number, reader in ends:
            if number >= len(self.nodes):
                raise ValueError(f"{reader} reads node {number}, but the last of its nodes is {len(self.nodes) - 1}")
        variables = {number for number, node in enumerate(self.nodes) if node.op == _VARIABLE}
        if others := set(self.arg_nodes) - variables:
            raise ValueError(f"its arg_nodes name node {min(others)}, which is no variable")
        try:
            TopologicalSorter({n: [entry[0] for entry in node.inputs] for n, node in enumerate(self.nodes)}).prepare()
        except CycleError as error:
            names = " -> ".join(repr(self.nodes[number].name) for number in error.args[1])
            raise ValueError(f"its nodes read each other in a cycle: {names}") from None


def read_symbol(path: Path) -> str:
    """The text of a symbol file, as `HybridBlock.export` and `Symbol.save` write it. Raises CaseFileError."""
    try:
        text = read_input(path).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise CaseFileError(f"invalid symbol file {path}: expected UTF-8 text") from None
    try:
        variables_of(text)
    except msgspec.MsgspecError as error:
        raise CaseFileError(f"invalid symbol file {path}: expected MXNet's JSON of a symbol: {error}") from None
    return text


def check_distinct(sources: Iterable[NetworkSource]) -> None:
    """Raises UsageError for a symbol file with the contents of another one, and CaseFileError for an invalid file."""
    known: dict[str, str] = {}
    for source in dict.fromkeys(source for source in sources if source.kind == "symbol"):
        first = known.setdefault(read_symbol(Path(source.location)), source.location)
        if first != source.location:
            raise UsageError(
                f"{first} and {source.location} have the same contents, so each call would count twice: name one of "
                "them"
            )


def variables_of(text: str) -> list[str]:
    """The names of the variables of a graph as MXNet's JSON."""
    graph = msgspec.json.decode(text, type=_FileGraph)
    return [node.name for node in graph.nodes if node.op == _VARIABLE]


class TraceRequest(msgspec.Struct, frozen=True, tag="trace"):
    """Requests a network's graph; `inputs` are texts of tensors by name, empty for those that the network declares."""

    source: NetworkSource
    inputs: dict[str, str]
    batch: int


class LayerTraceRequest(msgspec.Struct, frozen=True, tag="layer"):
    """Requests the graph of a layer's case; `layers` are the user's own."""

    case: Case
    layers: dict[str, LayerPlace]


class TracedNetwork(msgspec.Struct, frozen=True, tag="traced"):
    """The graph as MXNet's JSON, the texts of its inputs by name, and the graph's variable of each."""

    text: str
    inputs: dict[str, str]
    variables: dict[str, str]


class TraceFailure(msgspec.Struct, frozen=True, tag="failed"):
    """The network can't be traced; the reason is for the user."""

    reason: str


class LayersRequest(msgspec.Struct, frozen=True, tag="layers"):
    """Requests the classes of all blocks."""


class LayersAnswer(msgspec.Struct, frozen=True, tag="classes"):
    """The classes of all blocks."""

    classes: tuple[LayerClass, ...]


FrontEndRequest: TypeAlias = TraceRequest | LayerTraceRequest | LayersRequest
TraceAnswer: TypeAlias = TracedNetwork | LayersAnswer | TraceFailure
trace_requests: Decoder[tuple[int, FrontEndRequest]] = Decoder(tuple[int, FrontEndRequest])
trace_answers: Decoder[tuple[int, TraceAnswer]] = Decoder(tuple[int, TraceAnswer])
A = TypeVar("A", TracedNetwork, LayersAnswer)


class TracingClient(Closable):
    """Traces networks in a process of its own, which starts at the first request; use it as a context manager."""

    def __init__(self, library: Path, seconds: float, memory: int) -> None:
        """`seconds` is the time limit of one network, `memory` the bytes that the process may take."""
        self._library, self._seconds, self._memory = library, seconds, memory
        self._process: ChildProcess[FrontEndRequest, TraceAnswer] | None = None

    def close(self) -> None:
        """Ends the process if it runs."""
        if self._process is not None:
            self._process.kill()

    def trace(self, source: NetworkSource, inputs: dict[str, str], batch: int) -> TracedNetwork:
        """The network's graph at a batch size. Raises UsageError with the reason if it can't be traced."""
        return self._ask(TraceRequest(source, inputs, batch), TracedNetwork, f"{source.name} can't be traced")

    def trace_layer(self, case: Case, layers: dict[str, LayerPlace]) -> TracedNetwork:
        """The graph of a layer's case; `layers` are the user's own. Raises UsageError with the reason."""
        return self._ask(LayerTraceRequest(case, layers), TracedNetwork, f"{case.id} can't be traced")

    def layer_classes(self) -> tuple[LayerClass, ...]:
        """The classes of all blocks, sorted by path. Raises UsageError with the reason if they can't be listed."""
        return self._ask(LayersRequest(), LayersAnswer, "the layers can't be listed").classes

    def _ask(self, request: FrontEndRequest, kind: type[A], problem: str) -> A:
        """The answer to a request. Raises UsageError, with the problem if the process gave no such answer."""
        if self._process is None:
            arguments = [str(self._library), str(self._memory)]
            self._process = ChildProcess("autoperf.networks.tracing", arguments, trace_answers, {})
        process = self._process
        try:
            answer = process.channel.ask(request, time.monotonic() + self._seconds)
        except ChannelError as error:
            raise UsageError(f"{problem}: {process.no_answer(error, self._seconds)}") from None
        if isinstance(answer, kind):
            return answer
        raise UsageError(
            answer.reason if isinstance(answer, TraceFailure) else f"{problem}: its process gave another answer"
        )
