"""Operators written in Python, as MXNet's engine calls them: Custom, and the two that came before it."""

from __future__ import annotations

import ctypes as c
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from autoperf.capi.invoke import give_back
from autoperf.capi.library import Library
from autoperf.core.tensors import Shape

FloatArray: TypeAlias = NDArray[np.float32]


class Arrays(NamedTuple):
    """The arrays of one call, by what they are: handles, of which the call owns none once it is over."""

    inputs: tuple[int, ...] = ()
    outputs: tuple[int, ...] = ()
    input_gradients: tuple[int, ...] = ()
    output_gradients: tuple[int, ...] = ()


class Buffers(NamedTuple):
    """The same as memory, which the call reads and writes."""

    inputs: tuple[FloatArray, ...] = ()
    outputs: tuple[FloatArray, ...] = ()
    input_gradients: tuple[FloatArray, ...] = ()
    output_gradients: tuple[FloatArray, ...] = ()


class PythonOperator(Protocol):
    """What a program says of an operator of its own; nothing of it is called before MXNet wants it."""

    arguments: tuple[str, ...]
    outputs: tuple[str, ...]

    def shapes(self, inputs: Sequence[Shape]) -> tuple[Sequence[Shape], Sequence[Shape]]:
        """The shapes of all inputs and outputs."""

    def forward(self, library: Library, arrays: Arrays) -> None:
        """Write the outputs; whatever is called here runs in the engine's time."""

    def backward(self, library: Library, arrays: Arrays) -> None:
        """Write the gradients of the inputs."""

    def forward_native(self, buffers: Buffers) -> None:
        """Write the outputs, by NumPy alone."""

    def backward_native(self, buffers: Buffers) -> None:
        """Write the gradients of the inputs, by NumPy alone."""


def register(library: Library, name: str, operator: PythonOperator) -> None:
    """Let `Custom` know an operator by the name that its `op_type` gives. A second time for one name does nothing."""
    key = f"Custom {name}"
    if key not in library.kept:
        custom = library.kept[key] = _Custom(library, operator)
        library.call("CustomRegister", name.encode(), custom.make)


def array_info(library: Library, name: str, operator: PythonOperator) -> int:
    """The address that `_NDArray` takes as `info`: functions that get arrays, as those of `Custom` do."""
    return _address(library, f"_NDArray {name}", lambda: _ArrayInfo(library, operator))


def native_info(library: Library, name: str, operator: PythonOperator) -> int:
    """The address that `_Native` takes as `info`: functions that get bare memory, float32 alone."""
    return _address(library, f"_Native {name}", lambda: _NativeInfo(library, operator))


def _address(library: Library, key: str, make: Callable[[], _Info]) -> int:
    info = library.kept.get(key)
    if not isinstance(info, _Info):
        info = library.kept[key] = make()
    return info.address


class _Callbacks(c.Structure):
    _fields_ = (("count", c.c_int), ("functions", c.POINTER(c.c_void_p)), ("contexts", c.POINTER(c.c_void_p)))


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


class _Answers:
    """The functions that say what an operator is, and the memory that MXNet reads after they return."""

    def __init__(self, library: Library, operator: PythonOperator) -> None:
        self._library = library
        self._operator = operator
        self._kept: dict[str, Any] = {}
        self.lists_arguments = _lister(operator.arguments)
        self.lists_outputs = _lister(operator.outputs)
        self.infers_shapes = _SHAPES(self._infer_shapes)
        self.says_needs = _NEEDS(self._say_needs)

    def _infer_shapes(self, _count: int, ranks: Any, shapes: Any, _state: Any) -> int:
        given = [tuple(shapes[place][: ranks[place]]) for place in range(len(self._operator.arguments))]
        inputs, outputs = self._operator.shapes(given)
        dims = self._kept["shapes"] = [(_INT * len(shape))(*shape) for shape in (*inputs, *outputs)]
        for place, each in enumerate(dims):
            shapes[place] = c.cast(each, _INTS)
            ranks[place] = len(each)
        return 1

    def _say_needs(self, output_gradients: Any, _inputs: Any, _outputs: Any, count: Any, answer: Any, _: Any) -> int:
        """The gradients of the outputs are all that a backward pass needs."""
        size = len(self._operator.outputs)
        needs = self._kept["needs"] = (_INT * size)(*output_gradients[:size])
        count[0] = size
        answer[0] = c.cast(needs, _INTS)
        return 1

    def runs(self, run: Callable[[Library, Arrays], None]) -> Callable[..., int]:
        """`run` with the arrays that MXNet hands over, which are given back."""

        def runs(count: int, handles: Any, tags: Any, *_: Any) -> int:
            try:
                run(self._library, Arrays(*_by_tag(handles[:count], tags[:count])))
            finally:
                give_back(self._library, handles[:count])
            return 1

        return runs


class _Custom(_Answers):
    """What `Custom` is handed: a function that describes an operator, among others by a function that makes it."""

    def __init__(self, library: Library, operator: PythonOperator) -> None:
        super().__init__(library, operator)
        self._described = _bundle(
            _DELETE(_nothing),
            self.lists_arguments,
            self.lists_outputs,
            _lister(()),
            self.infers_shapes,
            self.says_needs,
            _CREATE(self._create),
            _TYPES(_same_types),
        )
        runs = (_RUN(self.runs(run)) for run in (operator.forward, operator.backward))
        self._running = _bundle(_DELETE(_nothing), *runs)
        self.make = _MAKE(self._make)

    def _make(self, _name: bytes, _count: int, _keys: Any, _values: Any, answer: Any) -> int:
        answer[0] = self._described.callbacks
        return 1

    def _create(self, *arguments: Any) -> int:
        answer = arguments[-2]
        answer[0] = self._running.callbacks
        return 1


class _Info(_Answers):
    """A structure of functions, whose address is an operator's parameter."""

    def __init__(self, library: Library, operator: PythonOperator, *runs: Any) -> None:
        super().__init__(library, operator)
        # What follows the functions in MXNet's structure is handed to each, and none of them wants it.
        self._functions = (*runs, self.infers_shapes, self.lists_outputs, self.lists_arguments, *self.also())
        self._memory = (_P * (2 * len(self._functions)))(*map(_pointer, self._functions))
        self.address = c.addressof(self._memory)

    def also(self) -> tuple[Any, ...]:
        """What one of the two structures has besides."""
        return ()


class _ArrayInfo(_Info):
    """NDArrayOpInfo, whose functions get arrays."""

    def __init__(self, library: Library, operator: PythonOperator) -> None:
        super().__init__(library, operator, *(_RUN_ON_ARRAYS(self.runs(run)) for run in _both(operator)))

    def also(self) -> tuple[Any, ...]:
        return (self.says_needs,)


class _NativeInfo(_Info):
    """NativeOpInfo, whose functions get memory."""

    def __init__(self, library: Library, operator: PythonOperator) -> None:
        runs = operator.forward_native, operator.backward_native
        super().__init__(library, operator, *(_RUN_ON_MEMORY(_on_memory(run)) for run in runs))


def _both(operator: PythonOperator) -> tuple[Callable[[Library, Arrays], None], Callable[[Library, Arrays], None]]:
    return operator.forward, operator.backward


def _on_memory(run: Callable[[Buffers], None]) -> Callable[..., None]:
    def runs(count: int, memory: Any, ranks: Any, shapes: Any, tags: Any, _state: Any) -> None:
        arrays = [np.ctypeslib.as_array(memory[i], tuple(shapes[i][: ranks[i]])) for i in range(count)]
        run(Buffers(*_by_tag(arrays, tags[:count])))

    return runs


def _by_tag(items: Sequence[Any], tags: Sequence[int]) -> list[tuple[Any, ...]]:
    """Inputs, outputs, gradients of inputs, gradients of outputs: MXNet's tags 0 to 3."""
    pairs = list(zip(items, tags, strict=True))
    return [tuple(item for item, tag in pairs if tag == wanted) for wanted in range(len(Arrays._fields))]


class _Bundle(NamedTuple):
    """Callbacks as C has them, and what must live as long."""

    callbacks: _Callbacks
    kept: tuple[Any, ...]


def _bundle(*functions: Any) -> _Bundle:
    addresses = (_P * len(functions))(*map(_pointer, functions))
    contexts = (_P * len(functions))()
    callbacks = _Callbacks(len(functions), c.cast(addresses, c.POINTER(_P)), c.cast(contexts, c.POINTER(_P)))
    return _Bundle(callbacks, (functions, addresses, contexts))


def _pointer(function: Any) -> c.c_void_p:
    return c.cast(function, _P)


def _lister(names: Sequence[str]) -> Any:
    """A function that answers with C strings, and a null pointer at their end."""
    texts = (c.c_char_p * (len(names) + 1))(*(name.encode() for name in names))

    def lists(answer: Any, _state: Any) -> int:
        answer[0] = c.cast(texts, _TEXTS)
        return 1

    return _LIST(lists)


def _nothing(_state: Any) -> int:
    return 1


def _same_types(count: int, types: Any, _state: Any) -> int:
    """Everything is of the first input's dtype."""
    for place in range(1, count):
        types[place] = types[0]
    return 1
