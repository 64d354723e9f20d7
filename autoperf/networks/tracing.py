"""Traces blocks to graphs, in a process that imports the front end and may run a file of the user.

python -m autoperf.networks.tracing READING WRITING LIBRARY BYTES
"""

from __future__ import annotations

import contextlib
import importlib
import inspect
import os
import pkgutil
import re
import reprlib
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from autoperf.backends.contents import materialise
from autoperf.backends.lookup import MXNET, backend_of
from autoperf.backends.protocol import Engine, FrontEnd
from autoperf.backends.user_code import ErrorText, error_place, errors_in, user_attribute
from autoperf.cases.build import flat_tensors
from autoperf.cases.render import content_source
from autoperf.core.case import with_lists
from autoperf.core.errors import AutoperfError, UnknownNameError, UsageError
from autoperf.core.graph import LayerClass
from autoperf.core.tensors import TensorSpec, default_content
from autoperf.core.texts import escape_controls
from autoperf.networks import source
from autoperf.processes.channel import Channel, ChannelClosed
from autoperf.processes.forks import limit_memory, parent_channel
from autoperf.rules.gluon_layers.layer import COMMON, GluonLayer, LayerInputs, N, gluon_layers_by_name
from autoperf.rules.rule import Draft, Inputs

_RETURNS = (
    "expected a block, or a block and its inputs such as {'data': 'Nx3x224x224'}; a symbol is captured from its file"
)
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")


class DeclaredBlock(NamedTuple):
    """A block, and the texts of the inputs that its source declares."""

    block: Any
    inputs: dict[str, str]


def block_of(package: Any, origin: source.NetworkSource, error_text: ErrorText) -> DeclaredBlock:
    """A new block of a source; its parameters are not initialised. Raises AutoperfError."""
    if origin.kind == "zoo":
        return DeclaredBlock(_zoo_block(package, origin.location), origin.default_inputs)
    if origin.kind == "layer":
        layer = layer_of(origin.location)
        return DeclaredBlock(common_block(package, layer), input_texts(layer.configurations[COMMON]))
    path, function = Path(origin.location), origin.function
    make = user_attribute(path, function, error_text)
    with errors_in(path, error_text):
        result = make()
    block, inputs = result if isinstance(result, tuple) and len(result) == 2 else (result, {})
    texts = isinstance(inputs, Mapping) and all(isinstance(text, str) for pair in inputs.items() for text in pair)
    # A symbol can be called too, but computes nothing.
    if not callable(block) or hasattr(block, "tojson") or not texts:
        raise UsageError(f"{path}: invalid result of {function}(): {_RETURNS}")
    return DeclaredBlock(block, dict(inputs))


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


def layer_of(path: str) -> GluonLayer:
    """The layer with this path in Python, such as `gluon.nn.Dense`. Raises UnknownNameError."""
    layers = gluon_layers_by_name().values()
    name = path.replace(".", "_")
    layer = next((layer for layer in layers if name in layer.operator.names), None)
    if layer is None:
        raise UnknownNameError("layer", path, (layer.operator.description for layer in layers))
    return layer


def common_block(package: Any, layer: GluonLayer) -> Any:
    """A new block of the common configuration. Raises UsageError for one without a graph, or absent in this release."""
    if layer.imperative_only:
        raise UsageError(f"{layer.operator.description} can't be captured: {layer.imperative_only}")
    layer_class = layer.class_in(package)
    if layer_class is None:
        raise UsageError(f"MXNet {package.__version__} has no {layer.operator.description}")
    return layer.build(package, layer_class, dict(layer.configurations[COMMON].arguments))


def input_texts(inputs: LayerInputs) -> dict[str, str]:
    """The arrays of a call by name, as texts with N for the batch size."""
    return {name: tensor_text(draft) for name, draft in flat_tensors(Inputs(inputs.arrays)).items()}


def tensor_text(draft: Draft) -> str:
    """The text of a tensor, as `--input` takes it."""
    shape = "x".join("N" if extent == N else str(extent) for extent in draft.shape)
    content = content_source(draft.content) if draft.content else ""
    return ":".join(filter(None, (shape, draft.dtype, content)))


def layer_classes(package: Any) -> tuple[LayerClass, ...]:
    """Every public class of blocks below `mxnet.gluon`, sorted by path; imports all modules of `mxnet.gluon`."""
    gluon = package.gluon
    # Layers of modules that need a missing package can't be used either.
    for info in pkgutil.walk_packages(gluon.__path__, f"{gluon.__name__}.", onerror=lambda _name: None):
        with contextlib.suppress(Exception):
            importlib.import_module(info.name)
    classes = {gluon.Block, *_subclasses(gluon.Block)}
    public = (kind for kind in classes if not kind.__name__.startswith("_"))
    own = (kind for kind in public if kind.__module__.startswith(f"{gluon.__name__}."))
    layers = []
    for kind in own:
        signature = _ADDRESS.sub("", str(inspect.signature(kind)))
        is_hybrid = issubclass(kind, gluon.HybridBlock)
        layers.append(LayerClass(_public_module(gluon, kind), kind.__name__, signature, is_hybrid))
    return tuple(sorted(layers, key=lambda layer: layer.path))


def _subclasses(kind: Any) -> Iterator[Any]:
    for subclass in kind.__subclasses__():
        yield subclass
        yield from _subclasses(subclass)


def _public_module(gluon: Any, kind: type) -> str:
    """The outermost module below `mxnet.gluon` that has the class under its name: `nn` for `nn.basic_layers`."""
    parts = kind.__module__.removeprefix(f"{gluon.__name__}.").split(".")
    while parts and getattr(sys.modules[".".join((gluon.__name__, *parts[:-1]))], kind.__name__, None) is kind:
        parts.pop()
    return ".".join(parts)


_FIRST_WITHOUT_SYMBOLS = 2


class InvalidOutputError(UsageError):
    """A block's result isn't arrays; the message gets the block's name from the request."""


class Tracer:
    """Traces networks with the front end of one library."""

    def __init__(self, library: Path) -> None:
        self._library = library

    @cached_property
    def _engine(self) -> Engine:
        """The framework. Its user's own operators are loaded with it, so that the front end has functions for them."""
        return backend_of(MXNET).open(self._library)

    @property
    def _front_end(self) -> FrontEnd:
        """The package beside the library, which every build of MXNet may have."""
        assert self._engine.front_end
        return self._engine.front_end

    def answer(self, request: source.FrontEndRequest) -> source.TraceAnswer:
        """The graph of the network, or the classes of blocks; or why there are none."""
        try:
            if isinstance(request, source.LayersRequest):
                return source.LayersAnswer(layer_classes(self._front_end.package()))
            if isinstance(request, source.LayerTraceRequest):
                case, package = request.case, self._front_end.package()
                texts = {item.name: tensor_text(Draft(item.tensor.shape, item.tensor.dtype)) for item in case.inputs}
                block = self._front_end.layer_block(case, request.layers)
                return _trace(package, DeclaredBlock(block, texts), texts, source.drafts(texts, 1))
            return self._traced(request)
        except InvalidOutputError as error:
            return source.TraceFailure(escape_controls(f"{_problem(request, error)}: {error}"))
        except AutoperfError as error:
            return source.TraceFailure(escape_controls(str(error)))
        except Exception as error:  # noqa: BLE001 - a user's block may raise anything
            return source.TraceFailure(escape_controls(f"{_problem(request, error)}: {self._engine.error_text(error)}"))

    def _traced(self, request: source.TraceRequest) -> source.TracedNetwork:
        package = self._front_end.package()
        declared = block_of(package, request.source, self._engine.error_text)
        texts = in_order(declared.block, {**declared.inputs, **request.inputs})
        if not texts:
            raise UsageError(f"the inputs of {request.source.name} aren't known: give --input data=SHAPE")
        tensors = source.drafts(texts, request.batch)
        try:
            traced = _trace(package, declared, texts, tensors)
        except TypeError:
            source.check_names(request.source.name, request.inputs, declared.inputs)
            raise
        unused = [name for name in request.inputs if name not in traced.variables]
        source.check_names(request.source.name, unused, declared.inputs)
        return traced


def in_order(block: Any, texts: dict[str, str]) -> dict[str, str]:
    """The inputs in the order of the block's arguments, if known. Raises UsageError if an unshaped one is before."""
    names = {text: text.partition("[")[0] for text in texts}
    for method, before in (("hybrid_forward", 1), ("forward", 0)):
        arguments = list(inspect.signature(getattr(block, method, lambda: None)).parameters)[before:]
        if set(names.values()) <= set(arguments):
            ordered = dict(sorted(texts.items(), key=lambda pair: arguments.index(names[pair[0]])))
            given = list(dict.fromkeys(names[text] for text in ordered))
            for argument, name in zip(arguments, given, strict=False):
                if argument != name:
                    raise UsageError(f"{argument} stands before {name}: give its shape too, --input {argument}=SHAPE")
            return ordered
    return texts


def _problem(request: source.FrontEndRequest, error: Exception) -> str:
    """The failed task, and the line of the user's file where it failed."""
    if isinstance(request, source.LayersRequest):
        return "the layers can't be listed"
    if isinstance(request, source.LayerTraceRequest):
        return f"{request.case.id} can't be traced"
    origin = request.source
    place = f": {error_place(Path(origin.location), error)}" if origin.kind == "python" else ""
    return f"{origin.name} can't be traced{place}"


def _trace(
    package: Any, declared: DeclaredBlock, texts: dict[str, str], tensors: Mapping[str, Draft]
) -> source.TracedNetwork:
    """The graph of a block, with its used inputs. Blocks take symbols until 2.0, which records one run instead."""
    block = declared.block
    if int(package.__version__.partition(".")[0]) < _FIRST_WITHOUT_SYMBOLS:
        names = list(texts)
        graph = _composed(package, block, tensors)
        # It runs only if it has parameters that its layers alone can deduce.
        if not _is_deducible(package, graph, tensors):
            block.initialize()
            namespace = package.np if package.util.is_np_array() else package.nd
            block(*_arguments({name: _array(namespace, name, draft) for name, draft in tensors.items()}))
            for parameter in block.collect_params().values():
                # It keeps its first symbol, which states the shape as it was.
                parameter._var = None  # noqa: SLF001
            graph = _composed(package, block, tensors)
    else:
        package.npx.set_np()
        arrays = {name: _array(package.np, name, draft) for name, draft in tensors.items()}
        block.initialize()
        graph = _exported(package, block, _arguments(arrays))
        # The front end's own names, for one input and for several; states that a layer creates follow.
        names = ["data"] if "data" in graph.list_inputs() else [f"data{number}" for number in range(len(arrays))]
    used = frozenset(graph.list_inputs())
    variables = {text: name for text, name in zip(texts, names, strict=True) if name in used}
    return source.TracedNetwork(graph.tojson(), texts, variables)


def _composed(package: Any, block: Any, tensors: Mapping[str, Draft]) -> Any:
    variables = {name: package.sym.var(name, shape=draft.shape, dtype=draft.dtype) for name, draft in tensors.items()}
    if package.util.is_np_array():
        variables = {name: variable.as_np_ndarray() for name, variable in variables.items()}
    outputs = list(_flat(block(*_arguments(variables)), package.sym.Symbol))
    return outputs[0] if len(outputs) == 1 else package.sym.Group(outputs)


def _is_deducible(package: Any, graph: Any, tensors: Mapping[str, Draft]) -> bool:
    """Whether MXNet deduces all shapes from those of the inputs; not for parameters of a recurrent layer."""
    try:
        shapes, _, _ = graph.infer_shape(**{name: draft.shape for name, draft in tensors.items()})
    except package.base.MXNetError:
        return False
    return shapes is not None


def _exported(package: Any, block: Any, arguments: Sequence[Any]) -> Any:
    """The graph of a block that has run hybridized."""
    block.hybridize()
    block(*arguments)
    try:
        return block.export(None)[0]
    except RuntimeError:
        # A recurrent cell calls its operators one by one, unless another block's graph has them.
        outer = type("Outer", (package.gluon.HybridBlock,), {"forward": lambda self, *inputs: self.inner(*inputs)})()
        outer.inner = block
        outer.hybridize()
        outer(*arguments)
        return outer.export(None)[0]


def _array(namespace: Any, name: str, draft: Draft) -> Any:
    dtype = draft.dtype or "float32"
    spec = TensorSpec(draft.shape, dtype, draft.content or default_content(dtype))
    return namespace.array(materialise(spec, name, name), dtype=dtype)


def _flat(result: object, kind: type) -> Iterator[Any]:
    """The symbols of nested lists. Raises InvalidOutputError for any other result."""
    if isinstance(result, kind):
        yield result
    elif isinstance(result, Iterable) and not isinstance(result, str | Mapping):
        for item in result:
            yield from _flat(item, kind)
    else:
        raise InvalidOutputError(f"invalid output {reprlib.repr(result)}: expected arrays, or lists of them")


def _arguments(arrays: Mapping[str, Any]) -> list[Any]:
    """The arrays as arguments of a block; the members of a list, such as a cell's states, are one."""
    return list(with_lists(arrays.items()).values())


def main(*arguments: str) -> None:
    """Answers requests until the channel is closed."""
    *descriptors, library, memory = arguments
    channel: Channel[source.TraceAnswer, source.FrontEndRequest] = parent_channel(descriptors, source.trace_requests)
    limit_memory(int(memory))
    tracer = Tracer(Path(library))
    with contextlib.suppress(ChannelClosed):
        while True:
            number, request = channel.receive()
            channel.send(tracer.answer(request), number)
    # MXNet's engine can hang or crash at exit, and there is nothing to save.
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
