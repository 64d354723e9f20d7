"""Completes calls: which inputs they take, of which shapes and dtypes, and what comes out, by MXNet's own inference."""

from __future__ import annotations

from collections.abc import Mapping

from autoperf.capi.dtypes import DTYPE_CODES, dtype_name
from autoperf.capi.library import Library
from autoperf.capi.symbol import UNKNOWN_TYPE, Symbol
from autoperf.core.errors import AutoperfError, EngineError, GraphReferenceError
from autoperf.core.operator import Operator, Value
from autoperf.core.tensors import ArrayType, Shape
from autoperf.registry.calls import UNKNOWN_DIMENSION, Completion, InferenceCall, uses_np_shape
from autoperf.registry.crawl import describe
from autoperf.registry.nodes import NodeReader, OutputlessError, composed_node, make_node

LEGACY_UNKNOWN = 0
DEFAULT_DTYPE = "float32"


class Inference:
    """Inference over one library. It changes the thread's NumPy shape semantics to what each call wants."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self._operators: dict[str, tuple[int, Operator]] = {}
        self._np_shape = library.np_shape() > 0

    def complete(self, call: InferenceCall) -> Completion:
        """Complete a call; MXNet's refusal is the completion's `error`, never an exception."""
        try:
            node = self.node(call)
            return self._complete(call, node)
        except OutputlessError as error:
            return _outputless(call, error)
        except GraphReferenceError as error:
            return Completion(error=str(error), malformed=True)
        except AutoperfError as error:
            return Completion(error=str(error))

    def node(self, call: InferenceCall) -> NodeReader:
        """The call's operator as a symbol with all its inputs; raises EngineError if there is no such call."""
        handle, operator = self._operator(call.operator)
        self._use_np_shape(uses_np_shape(call))
        if call.composed:
            return composed_node(self.library, call, operator.name, counted(operator, call))
        node = make_node(self.library, handle, operator.tensors, counted(operator, call), tuple(call.inputs))
        strangers = [name for name in call.inputs if name not in node.inputs]
        if strangers:
            raise EngineError(
                f"{call.operator} takes no input {', '.join(strangers)} with these parameters, "
                f"only {', '.join(node.inputs) or 'none'}"
            )
        return node

    def params(self, call: InferenceCall) -> Mapping[str, Value]:
        """The call's parameters, with the number of its inputs where MXNet wants it."""
        return counted(self._operator(call.operator)[1], call)

    def atomic(self, call: InferenceCall) -> Symbol:
        """The call's operator with its parameters, not composed yet."""
        handle, operator = self._operator(call.operator)
        return Symbol.atomic(self.library, handle, counted(operator, call))

    def _operator(self, name: str) -> tuple[int, Operator]:
        """The handle and the description of an operator, by any of its names."""
        found = self._operators.get(name)
        if found is None:
            handle = self.library.operator(name)
            found = self._operators[name] = handle, describe(self.library, handle)
        return found

    def _use_np_shape(self, on: bool) -> None:
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
        """The shapes by the inputs' names, those of the outputs, and the names of the inputs that are not known."""
        wanted = {node.inputs[name]: self._to_mxnet(kind.shape) for name, kind in call.inputs.items()}
        found = node.symbol.infer_shape_partial(wanted)
        by_variable = dict(zip(node.arguments, found.arguments, strict=True))
        by_variable |= zip(node.auxiliary, found.auxiliary, strict=True)
        shapes, unknown = dict[str, Shape](), list[str]()
        for name, variable in node.inputs.items():
            shape = self._from_mxnet(by_variable[variable])
            if _open(shape) and name in call.inputs:
                # MXNet's inference of `_npi_hstack` and `_npi_dstack` loses what it was given.
                shape = call.inputs[name].shape
            if _open(shape):
                unknown.append(name)
            shapes[name] = shape or ()
        return shapes, [self._from_mxnet(shape) for shape in found.outputs], tuple(unknown)

    def _to_mxnet(self, shape: Shape) -> Shape:
        if self._np_shape:
            return shape
        return tuple(LEGACY_UNKNOWN if size == UNKNOWN_DIMENSION else size for size in shape)

    def _from_mxnet(self, shape: Shape | None) -> Shape | None:
        """A shape with -1 for an unknown dimension; None if not even its rank is known."""
        if self._np_shape or shape is None:
            return shape
        return tuple(UNKNOWN_DIMENSION if size == LEGACY_UNKNOWN else size for size in shape) or None


def _open(shape: Shape | None) -> bool:
    """Whether the rank or a dimension is not known."""
    return shape is None or UNKNOWN_DIMENSION in shape


def _outputless(call: InferenceCall, error: OutputlessError) -> Completion:
    """A call without outputs: the inputs as they were given, all of them needed."""
    unknown = tuple(name for name in error.inputs if name not in call.inputs)
    inputs = tuple((name, call.inputs.get(name, ArrayType((), DEFAULT_DTYPE))) for name in error.inputs)
    return Completion(inputs, unknown=unknown)


def counted(operator: Operator, call: InferenceCall) -> Mapping[str, Value]:
    """The call's parameters, with the number of its inputs where the operator counts them and the call doesn't say."""
    key = operator.variadic_count
    if key and key not in call.params and operator.variadic:
        return {**call.params, key: len(call.inputs)}
    return call.params


def _dtypes(call: InferenceCall, node: NodeReader) -> tuple[dict[str, str], list[str]]:
    """The dtypes by the inputs' names, and those of the outputs; what MXNet leaves open is float32, its default."""
    known = {node.inputs[name]: DTYPE_CODES[kind.dtype] for name, kind in call.inputs.items() if kind.dtype}
    codes, outputs = _infer_types(node, known)
    if UNKNOWN_TYPE in codes.values():
        default = DTYPE_CODES[DEFAULT_DTYPE]
        known |= {variable: default for variable, code in codes.items() if code == UNKNOWN_TYPE}
        codes, outputs = _infer_types(node, known)
    return {name: _dtype(codes[variable]) for name, variable in node.inputs.items()}, [_dtype(code) for code in outputs]


def _infer_types(node: NodeReader, known: Mapping[str, int]) -> tuple[dict[str, int], tuple[int, ...]]:
    found = node.symbol.infer_type_partial(known)
    codes = dict(zip(node.arguments, found.arguments, strict=True))
    codes |= zip(node.auxiliary, found.auxiliary, strict=True)
    return codes, found.outputs


def _dtype(code: int) -> str:
    return DEFAULT_DTYPE if code == UNKNOWN_TYPE else dtype_name(code)
