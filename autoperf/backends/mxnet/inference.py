"""Completes calls with MXNet's inference: inputs, their shapes and dtypes, and outputs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from autoperf.backends.mxnet.capi.library import Library
from autoperf.backends.mxnet.capi.ndarray import DTYPE_CODES, dtype_name
from autoperf.backends.mxnet.capi.symbol import UNKNOWN_TYPE, Symbol
from autoperf.backends.mxnet.crawl import NodeReader, OutputlessError, composed_node, describe, make_node
from autoperf.core.errors import AutoperfError, EngineError, GraphReferenceError
from autoperf.core.graph import OWN_GRAPH
from autoperf.core.operator import Operator, Value
from autoperf.core.tensors import ArrayType, Shape
from autoperf.registry.calls import UNKNOWN_DIMENSION, Completion, InferenceCall, uses_np_shape

LEGACY_UNKNOWN = 0
DEFAULT_DTYPE = "float32"


class _UnlistedError(EngineError):
    def __init__(self, operator: str, names: tuple[str, ...], known: Iterable[str]) -> None:
        self.names = names
        super().__init__(
            f"invalid input {', '.join(names)} of {operator}: with these parameters, expected "
            f"{', '.join(known) or 'none'}"
        )


class Inference:
    """Inference with one library. It sets the thread's NumPy shape semantics for each call."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self._operators: dict[str, tuple[int, Operator]] = {}
        self._np_shape = library.np_shape() > 0

    def complete(self, call: InferenceCall) -> Completion:
        """Completes a call; MXNet's error is the completion's `error`, never an exception."""
        try:
            return self._complete(call, self.node(call))
        except OutputlessError as error:
            # All inputs are required.
            unknown = tuple(name for name in error.inputs if name not in call.inputs)
            inputs = tuple((name, call.inputs.get(name, ArrayType((), DEFAULT_DTYPE))) for name in error.inputs)
            return Completion(inputs, unknown=unknown)
        except GraphReferenceError as error:
            return Completion(error=str(error), malformed=True)
        except _UnlistedError as error:
            return Completion(error=str(error), unlisted=error.names)
        except EngineError as error:
            return Completion(error=str(error), node=error.node)
        except AutoperfError as error:
            return Completion(error=str(error))

    def node(self, call: InferenceCall) -> NodeReader:
        """The call's operator as a symbol with all inputs; raises EngineError for an invalid call."""
        self.use_np_shape(uses_np_shape(call))
        if call.way in OWN_GRAPH:
            # The operator may be a composite, which MXNet doesn't know.
            return composed_node(self.library, call, call.operator, call.params)
        handle, operator = self._operator(call.operator)
        if call.composed:
            return composed_node(self.library, call, operator.name, with_count(operator, call))
        node = make_node(self.library, handle, operator.tensors, with_count(operator, call), tuple(call.inputs))
        if unknown := tuple(name for name in call.inputs if name not in node.inputs):
            raise _UnlistedError(call.operator, unknown, node.inputs)
        return node

    def params(self, call: InferenceCall) -> Mapping[str, Value]:
        """The call's parameters, with the number of inputs if the operator counts them."""
        return with_count(self._operator(call.operator)[1], call)

    def atomic(self, call: InferenceCall) -> Symbol:
        """The call's operator with its parameters, not composed yet."""
        handle, operator = self._operator(call.operator)
        return Symbol.atomic(self.library, handle, with_count(operator, call))

    def _operator(self, name: str) -> tuple[int, Operator]:
        if name not in self._operators:
            handle = self.library.operator(name)
            self._operators[name] = handle, describe(self.library, handle)
        return self._operators[name]

    def use_np_shape(self, on: bool) -> None:
        """Sets the thread's NumPy shape semantics."""
        if on != self._np_shape:
            self.library.set_np_shape(int(on))
            self._np_shape = on

    def _complete(self, call: InferenceCall, node: NodeReader) -> Completion:
        shapes, outputs, unknown = self._shapes(call, node)
        dtypes, output_dtypes = _dtypes(call, node)
        inputs = tuple((name, ArrayType(shapes[name], dtypes[name])) for name in node.inputs)
        auxiliary = tuple(name for name, variable in node.inputs.items() if variable in node.auxiliary)
        known = [shape for shape in outputs if shape is not None and UNKNOWN_DIMENSION not in shape]
        complete = len(known) == len(outputs)
        types = tuple(map(ArrayType, known, output_dtypes)) if complete else ()
        return Completion(inputs, auxiliary, types, unknown, dynamic=not complete and not unknown)

    def _shapes(
        self, call: InferenceCall, node: NodeReader
    ) -> tuple[dict[str, Shape], list[Shape | None], tuple[str, ...]]:
        """The input shapes by name, the output shapes, and the names of inputs without a known shape."""
        unsized = UNKNOWN_DIMENSION if self._np_shape else LEGACY_UNKNOWN
        known = {
            node.inputs[name]: tuple(unsized if size == UNKNOWN_DIMENSION else size for size in kind.shape)
            for name, kind in call.inputs.items()
        }
        inferred = node.symbol.infer_shape_partial(known)
        by_variable = dict(zip(node.arguments, inferred.arguments, strict=True))
        by_variable |= zip(node.auxiliary, inferred.auxiliary, strict=True)
        shapes, unknown = dict[str, Shape](), list[str]()
        for name, variable in node.inputs.items():
            shape = self.from_mxnet(by_variable[variable])
            if _is_incomplete(shape) and name in call.inputs:
                # MXNet's inference of `_npi_hstack` and `_npi_dstack` loses known shapes.
                shape = call.inputs[name].shape
            if _is_incomplete(shape):
                unknown.append(name)
            shapes[name] = shape or ()
        return shapes, [self.from_mxnet(shape) for shape in inferred.outputs], tuple(unknown)

    def from_mxnet(self, shape: Shape | None) -> Shape | None:
        """A shape with -1 for an unknown dimension; None for an unknown rank."""
        if self._np_shape or shape is None:
            return shape
        return tuple(UNKNOWN_DIMENSION if size == LEGACY_UNKNOWN else size for size in shape) or None


def _is_incomplete(shape: Shape | None) -> bool:
    return shape is None or UNKNOWN_DIMENSION in shape


def with_count(operator: Operator, call: InferenceCall) -> Mapping[str, Value]:
    """The call's parameters, with the number of inputs if the operator counts them and the call omits it."""
    key = operator.variadic_count
    is_omitted = key and key not in call.params and operator.variadic
    return {**call.params, key: len(call.inputs)} if is_omitted else call.params


def _dtypes(call: InferenceCall, node: NodeReader) -> tuple[dict[str, str], list[str]]:
    """The input dtypes by name, and the output dtypes; unknown ones are float32, MXNet's default."""
    known = {node.inputs[name]: DTYPE_CODES[kind.dtype] for name, kind in call.inputs.items() if kind.dtype}
    codes, outputs = _infer_types(node, known)
    if UNKNOWN_TYPE in codes.values():
        default = DTYPE_CODES[DEFAULT_DTYPE]
        known |= {variable: default for variable, code in codes.items() if code == UNKNOWN_TYPE}
        codes, outputs = _infer_types(node, known)
    return {name: _dtype(codes[variable]) for name, variable in node.inputs.items()}, [_dtype(code) for code in outputs]


def _infer_types(node: NodeReader, known: Mapping[str, int]) -> tuple[dict[str, int], tuple[int, ...]]:
    inferred = node.symbol.infer_type_partial(known)
    codes = dict(zip(node.arguments, inferred.arguments, strict=True))
    codes |= zip(node.auxiliary, inferred.auxiliary, strict=True)
    return codes, inferred.outputs


def _dtype(code: int) -> str:
    return DEFAULT_DTYPE if code == UNKNOWN_TYPE else dtype_name(code)
