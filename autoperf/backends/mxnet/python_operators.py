"""Operators written in Python, which MXNet's engine calls: `Custom`, and its predecessors _NDArray and _Native."""

from __future__ import annotations

import ctypes as c
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from autoperf.backends.mxnet.capi.invoke import free_handles, invoke
from autoperf.backends.mxnet.capi.library import Library
from autoperf.core.operator import Value
from autoperf.core.tensors import Shape

T = TypeVar("T")


@dataclass(frozen=True)
class ByRole(Generic[T]):
    """The arrays of one call by role, in the order of MXNet's tags."""

    inputs: tuple[T, ...] = ()
    outputs: tuple[T, ...] = ()
    input_gradients: tuple[T, ...] = ()
    output_gradients: tuple[T, ...] = ()


Arrays: TypeAlias = ByRole[int]
"""Array handles, which are freed when the call returns."""
Buffers: TypeAlias = ByRole[NDArray[np.float32]]


class AddOne:
    """data + 1 by one operator; the rest of its time is the overhead of the callback. MXNet calls the methods."""

    arguments: tuple[str, ...] = ("data",)
    outputs: tuple[str, ...] = ("output",)

    def shapes(self, inputs: Sequence[Shape]) -> tuple[Sequence[Shape], Sequence[Shape]]:
        """The shapes of all inputs and outputs: the output has the input's."""
        return inputs, inputs

    def forward(self, library: Library, arrays: Arrays) -> None:
        """output = data + 1."""
        invoke(library, "_plus_scalar", arrays.inputs, {"scalar": 1.0}, arrays.outputs)

    def backward(self, library: Library, arrays: Arrays) -> None:
        """The gradient passes through."""
        invoke(library, "_copy", arrays.output_gradients, None, arrays.input_gradients)

    def forward_native(self, buffers: Buffers) -> None:
        """output = data + 1, by NumPy."""
        np.add(buffers.inputs[0], 1.0, out=buffers.outputs[0])

    def backward_native(self, buffers: Buffers) -> None:
        """The gradient passes through."""
        np.copyto(buffers.input_gradients[0], buffers.output_gradients[0])


INFO = ("arrays", "memory")
"""What the functions take whose address is `info`: array handles those of `_NDArray`, float32 buffers of `_Native`."""


class _Callbacks(c.Structure):
    """Callbacks as MXNet takes them; `references` are the objects that must outlive it."""

    _fields_ = (("count", c.c_int), ("functions", c.POINTER(c.c_void_p)), ("contexts", c.POINTER(c.c_void_p)))

    def __init__(self, *functions: Any) -> None:
        addresses, contexts = (_P * len(functions))(*map(_pointer, functions)), (_P * len(functions))()
        super().__init__(len(functions), c.cast(addresses, c.POINTER(_P)), c.cast(contexts, c.POINTER(_P)))
        self.references = functions, addresses, contexts


_P = c.c_void_p
_INT = c.c_int
_INTS = c.POINTER(c.c_int)
_TEXTS = c.POINTER(c.c_char_p)
_DELETE = c.CFUNCTYPE(_INT, _P)
_LIST = c.CFUNCTYPE(_INT, c.POINTER(_TEXTS), _P)
_SHAPES = c.CFUNCTYPE(_INT, _INT, _INTS, c.POINTER(_INTS), _P)
_TYPES = c.CFUNCTYPE(_INT, _INT, _INTS, _P)
_NEEDS = c.CFUNCTYPE(_INT, _INTS, _INTS, _INTS, _INTS, c.POINTER(_INTS), _P)
_CREATE = c.CFUNCTYPE(_INT, c.c_char_p, _INT, c.POINTER(_INTS), _INTS, _INTS, c.POINTER(_Callbacks), _P)
_RUN = c.CFUNCTYPE(_INT, _INT, c.POINTER(_P), _INTS, _INTS, _INT, _P)
_RUN_ON_ARRAYS = c.CFUNCTYPE(_INT, _INT, c.POINTER(_P), _INTS, _P)
_RUN_ON_MEMORY = c.CFUNCTYPE(None, _INT, c.POINTER(c.POINTER(c.c_float)), _INTS, c.POINTER(_INTS), _INTS, _P)
_MAKE = c.CFUNCTYPE(_INT, c.c_char_p, _INT, _TEXTS, _TEXTS, c.POINTER(_Callbacks))


class _CallbackSet:
    """The callbacks that describe an operator, and the memory that MXNet reads after they return."""

    def __init__(self, library: Library, operator: AddOne) -> None:
        self._library, self._operator = library, operator
        self._buffers: dict[str, Any] = {}
        self.arguments_callback = _list_callback(operator.arguments)
        self.outputs_callback = _list_callback(operator.outputs)
        self.shapes_callback = _SHAPES(self._infer_shapes)
        self.needs_callback = _NEEDS(self._declare_needs)

    def _infer_shapes(self, _count: int, ranks: Any, shapes: Any, _state: Any) -> int:
        known = [tuple(shapes[index][: ranks[index]]) for index in range(len(self._operator.arguments))]
        inputs, outputs = self._operator.shapes(known)
        dims = self._buffers["shapes"] = [(_INT * len(shape))(*shape) for shape in (*inputs, *outputs)]
        for index, shape in enumerate(dims):
            shapes[index] = c.cast(shape, _INTS)
            ranks[index] = len(shape)
        return 1

    def _declare_needs(self, gradients: Any, _inputs: Any, _outputs: Any, count: Any, answer: Any, _: Any) -> int:
        """A backward pass needs only the gradients of the outputs."""
        size = len(self._operator.outputs)
        needs = self._buffers["needs"] = (_INT * size)(*gradients[:size])
        count[0] = size
        answer[0] = c.cast(needs, _INTS)
        return 1

    def array_callback(self, run: Callable[[Library, Arrays], None]) -> Callable[..., int]:
        """A callback that calls `run` with MXNet's arrays and frees their handles."""

        def call(count: int, handles: Any, tags: Any, *_: Any) -> int:
            try:
                run(self._library, _by_tag(handles[:count], tags[:count]))
            finally:
                free_handles(self._library, handles[:count])
            return 1

        return call


class _Custom(_CallbackSet):
    """The callback that `Custom` is registered with: it describes an operator and creates instances of it."""

    def __init__(self, library: Library, operator: AddOne) -> None:
        super().__init__(library, operator)
        self._definition = _Callbacks(
            _DELETE(lambda _state: 1),
            self.arguments_callback,
            self.outputs_callback,
            _list_callback(()),
            self.shapes_callback,
            self.needs_callback,
            _CREATE(self._create),
            _TYPES(_same_types),
        )
        runs = (_RUN(self.array_callback(run)) for run in (operator.forward, operator.backward))
        self._instance = _Callbacks(_DELETE(lambda _state: 1), *runs)
        self.make = _MAKE(self._make)

    def _make(self, _name: bytes, _count: int, _keys: Any, _values: Any, answer: Any) -> int:
        answer[0] = self._definition
        return 1

    def _create(self, *arguments: Any) -> int:
        arguments[-2][0] = self._instance
        return 1


class _Info(_CallbackSet):
    """MXNet's NDArrayOpInfo, a structure of callbacks on arrays, or its NativeOpInfo, of those on memory."""

    def __init__(self, library: Library, operator: AddOne, kind: str) -> None:
        super().__init__(library, operator)
        functions: list[Any] = [self.shapes_callback, self.outputs_callback, self.arguments_callback]
        if kind == "arrays":
            runs = [_RUN_ON_ARRAYS(self.array_callback(run)) for run in (operator.forward, operator.backward)]
            functions.append(self.needs_callback)
        else:
            native = operator.forward_native, operator.backward_native
            runs = [_RUN_ON_MEMORY(_buffer_callback(run)) for run in native]
        # The structure has a context pointer for each function; they are null.
        self._functions = [*runs, *functions]
        self._memory = (_P * (2 * len(self._functions)))(*map(_pointer, self._functions))
        self.address = c.addressof(self._memory)


def _buffer_callback(run: Callable[[Buffers], None]) -> Callable[..., None]:
    def call(count: int, memory: Any, ranks: Any, shapes: Any, tags: Any, _state: Any) -> None:
        arrays = [np.ctypeslib.as_array(memory[i], tuple(shapes[i][: ranks[i]])) for i in range(count)]
        run(_by_tag(arrays, tags[:count]))

    return call


def _by_tag(items: Sequence[T], tags: Sequence[int]) -> ByRole[T]:
    pairs = list(zip(items, tags, strict=True))
    return ByRole(*(tuple(item for item, tag in pairs if tag == role) for role in range(len(fields(ByRole)))))


def _pointer(function: Any) -> c.c_void_p:
    return c.cast(function, _P)


def _list_callback(names: Sequence[str]) -> Any:
    texts = (c.c_char_p * (len(names) + 1))(*(name.encode() for name in names))

    def call(answer: Any, _state: Any) -> int:
        answer[0] = c.cast(texts, _TEXTS)
        return 1

    return _LIST(call)


def _same_types(count: int, types: Any, _state: Any) -> int:
    for index in range(1, count):
        types[index] = types[0]
    return 1


OWN: Mapping[str, AddOne] = {"autoperf_add_one": AddOne()}


def resolve_params(library: Library, params: Mapping[str, Value]) -> Mapping[str, Value]:
    """The parameters of a call as MXNet takes them; registers the Python operator that they name."""
    name = params.get("op_type")
    if isinstance(name, str) and name in OWN and (key := f"Custom {name}") not in library.callbacks:
        custom = library.callbacks[key] = _Custom(library, OWN[name])
        library.call("CustomRegister", name.encode(), custom.make)
    # A case names callbacks as `info="autoperf_add_one.arrays"`; MXNet gets their address.
    name, _, kind = str(params.get("info")).partition(".")
    if name in OWN and kind in INFO:
        info = library.callbacks.get(f"{kind} {name}")
        if not isinstance(info, _Info):
            info = library.callbacks[f"{kind} {name}"] = _Info(library, OWN[name], kind)
        return {**params, "info": hex(info.address)}
    return params
