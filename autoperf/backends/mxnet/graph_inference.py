"""Infers the shapes and dtypes of every node of a network that is given as MXNet's JSON."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from autoperf.backends.mxnet.capi.library import Library
from autoperf.backends.mxnet.capi.ndarray import DTYPE_CODES, dtype_name
from autoperf.backends.mxnet.capi.symbol import UNKNOWN_TYPE, Symbol
from autoperf.backends.mxnet.inference import DEFAULT_DTYPE, LEGACY_UNKNOWN, Inference
from autoperf.core.errors import EngineError
from autoperf.core.tensors import ArrayType, Shape
from autoperf.registry.calls import UNKNOWN_DIMENSION, InferredGraph, InferredNode, LoopBody

VARIABLE = "null"
_PLACE = re.compile(r"n(\d+)(?:_|$)")
_FAILED = re.compile(r"Error in operator n(\d+):")
_DECLARED_SHAPE = "__shape__"
_SHAPE = "shape"
_SUBGRAPHS = "subgraphs"
_SLICED = "in_data_locs"
"""The attribute of a loop over the first axis of arrays, whose length is the number of steps: no other node has it."""


def inferred_graph(inference: Inference, text: str, inputs: Mapping[str, ArrayType]) -> InferredGraph:
    """The nodes of a network; `inputs` are the known variables by name, further ones are ignored.

    Raises EngineError with MXNet's words, and the node's name, if the network or the inputs are invalid.
    """
    library = inference.library
    # Loading and saving it brings the format of an older release up to date.
    document = json.loads(Symbol.from_json(library, text).to_json())
    nodes = document["nodes"]
    is_numpy = any(node["op"].startswith("_np") for node in nodes)
    inference.use_np_shape(is_numpy)
    numbered = Symbol.from_json(library, json.dumps(_numbered(document, is_numpy)))
    known = {f"n{place}": inputs[node["name"]] for place, node in enumerate(nodes) if node["name"] in inputs}
    try:
        types = _output_types(numbered, known, is_numpy)
    except EngineError as error:
        raise _located(error, library, nodes) from None
    return InferredGraph(
        tuple(
            _node(node, types.get(place, ()), _body(inference, document, node, types))
            for place, node in enumerate(nodes)
        ),
        tuple((head[0], head[1]) for head in document["heads"]),
    )


def _numbered(document: Mapping[str, Any], is_numpy: bool) -> dict[str, Any]:
    """The network with the nodes' numbers as their names, from which the names of their outputs begin."""
    nodes = [{**node, "name": f"n{place}"} for place, node in enumerate(document["nodes"])]
    for node in nodes:
        declared = node.get("attrs", {}).get(_DECLARED_SHAPE)
        if declared and not is_numpy:
            # A dimension that a release with NumPy shape semantics wrote as unknown.
            shape = declared.replace(str(UNKNOWN_DIMENSION), str(LEGACY_UNKNOWN))
            node["attrs"] = {**node["attrs"], _DECLARED_SHAPE: shape}
    return {**document, "nodes": nodes}


def _output_types(symbol: Symbol, known: Mapping[str, ArrayType], is_numpy: bool) -> dict[int, tuple[ArrayType, ...]]:
    """The types of each node's visible outputs, by the node's number."""
    internals = symbol.internals()
    names = internals.list_outputs()
    shapes = internals.infer_shape_partial({name: kind.shape for name, kind in known.items()}).outputs
    dtypes = _dtypes(internals, {name: kind.dtype for name, kind in known.items() if kind.dtype})
    types = [ArrayType(_from_mxnet(shape, is_numpy), dtype) for shape, dtype in zip(shapes, dtypes, strict=True)]
    places = map(_place, names)
    return {
        place: tuple(kind for _, kind in members)
        for place, members in groupby(zip(places, types, strict=True), key=lambda pair: pair[0])
    }


def _place(name: str) -> int:
    """The number of the node to which an output of this name belongs."""
    match = _PLACE.match(name)
    if match is None:
        raise EngineError(f"MXNet names an output {name!r}: expected the name of its node")
    return int(match[1])


def _dtypes(internals: Symbol, known: Mapping[str, str]) -> list[str]:
    """The dtypes of all outputs; unknown ones are float32, MXNet's default."""
    codes = {name: DTYPE_CODES[dtype] for name, dtype in known.items()}
    inferred = internals.infer_type_partial(codes)
    if UNKNOWN_TYPE in inferred.outputs:
        states = frozenset(internals.list_auxiliary_states())
        arguments = [name for name in internals.list_inputs() if name not in states]
        unknown = (name for name, code in zip(arguments, inferred.arguments, strict=True) if code == UNKNOWN_TYPE)
        inferred = internals.infer_type_partial(codes | dict.fromkeys(unknown, DTYPE_CODES[DEFAULT_DTYPE]))
    return [DEFAULT_DTYPE if code == UNKNOWN_TYPE else dtype_name(code) for code in inferred.outputs]


def _from_mxnet(shape: Shape | None, is_numpy: bool) -> Shape:
    """A shape with -1 for an unknown dimension; one of an unknown rank is (-1,)."""
    if shape is None or (not shape and not is_numpy):
        return (UNKNOWN_DIMENSION,)
    return shape if is_numpy else tuple(UNKNOWN_DIMENSION if size == LEGACY_UNKNOWN else size for size in shape)


def _body(
    inference: Inference,
    document: Mapping[str, Any],
    node: Mapping[str, Any],
    types: Mapping[int, tuple[ArrayType, ...]],
) -> LoopBody | None:
    """The graph of a loop over an axis, with the types of one step; None for any other node."""
    if _SLICED not in node.get("attrs", {}):
        return None
    (subgraph,) = node[_SUBGRAPHS]
    arrays = [types[number][output] for number, output, *_ in node["inputs"]]
    inputs = _step_inputs(node, [inner["name"] for inner in subgraph["nodes"] if inner["op"] == VARIABLE], arrays)
    # The version keeps MXNet from upgrading the graph from an old release's format.
    text = json.dumps({**subgraph, "attrs": document["attrs"]})
    return LoopBody(inferred_graph(inference, text, inputs), arrays[0].shape[0])


def _step_inputs(
    node: Mapping[str, Any], variables: Sequence[str], arrays: Sequence[ArrayType]
) -> dict[str, ArrayType]:
    """The types of a step's variables by name: slices of the arrays that are looped over, states, and others."""
    sliced, states, others = (_places(node["attrs"][f"{kind}_locs"]) for kind in ("in_data", "in_state", "remain"))
    # Outside of mx.np a step of a vector is an array of one element.
    scalar = () if node["op"].startswith("_np") else (1,)
    slices = [ArrayType(kind.shape[1:] or scalar, kind.dtype) for kind in arrays[: len(sliced)]]
    types = [*slices, *arrays[len(sliced) :]]
    return {variables[place]: kind for place, kind in zip((*sliced, *states, *others), types, strict=True)}


def _places(text: str) -> tuple[int, ...]:
    """Numbers in MXNet's text of a tuple, `[0,2]`."""
    return tuple(ast.literal_eval(text))


def _node(node: Mapping[str, Any], outputs: tuple[ArrayType, ...], body: LoopBody | None) -> InferredNode:
    is_variable = node["op"] == VARIABLE
    return InferredNode(
        name=node["name"],
        operator="" if is_variable else node["op"],
        params={} if is_variable else dict(_parameters(node)) if node["inputs"] else _created(node, outputs),
        inputs=tuple((entry[0], entry[1]) for entry in node["inputs"]),
        outputs=outputs,
        is_nested=bool(node.get(_SUBGRAPHS)),
        body=body,
    )


def _created(node: Mapping[str, Any], outputs: tuple[ArrayType, ...]) -> dict[str, str]:
    """The parameters of an operator without inputs, with the shape that MXNet deduced for its array.

    Recurrent layers create their first states with an unknown dimension, for any batch size; only a graph can run that.
    """
    params = dict(_parameters(node))
    if _SHAPE in params and len(outputs) == 1:
        return {**params, _SHAPE: str(outputs[0].shape)}
    return params


def _parameters(node: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The operator's parameters, without the attributes of front ends (`__ctx_group__`, `__shape__`, ...)."""
    for name, value in node.get("attrs", {}).items():
        if not name.startswith("__"):
            yield name, value


def _located(error: EngineError, library: Library, nodes: Sequence[Mapping[str, Any]]) -> EngineError:
    """The error with the name of the node that it is about."""
    match = _FAILED.search(library.last_error())
    if match is None or int(match[1]) >= len(nodes):
        return error
    node = nodes[int(match[1])]
    return EngineError(f"{node['name']} ({node['op']}): {error}")
