"""MXNet's symbols: create and compose them, and infer their shapes and types."""

from __future__ import annotations

import ctypes as c
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from autoperf.backends.mxnet.capi.invoke import format_value
from autoperf.backends.mxnet.capi.library import Extent, Library, handle_array, text_array, text_of
from autoperf.core.operator import Value
from autoperf.core.tensors import Shape

UNKNOWN_TYPE = -1
T = TypeVar("T")


@dataclass(frozen=True)
class Inferred(Generic[T]):
    """Inferred shapes or dtype codes in the symbol's order.

    None for an unknown shape; an unknown dimension is 0, or -1 with NumPy shape semantics. An unknown code is -1.
    MXNet's flag for "complete" is left out: it is set even with unknown dimensions (Concat).
    """

    arguments: tuple[T, ...]
    outputs: tuple[T, ...]
    auxiliary: tuple[T, ...]


class Symbol:
    """One or several nodes of a graph; freed with `free` or with the object."""

    __slots__ = ("handle", "library")

    def __init__(self, library: Library, handle: int | None) -> None:
        self.library = library
        self.handle = handle

    @classmethod
    def variable(cls, library: Library, name: str) -> Symbol:
        """A variable of that name."""
        return cls._made(library, "SymbolVariable", name.encode())

    @classmethod
    def atomic(cls, library: Library, operator: int, params: Mapping[str, Value]) -> Symbol:
        """An operator with its parameters, not composed yet; raises EngineError if they are invalid."""
        keys, values = text_array(list(params)), text_array([format_value(v) for v in params.values()])
        return cls._made(library, "SymbolAtomic", operator, len(params), keys, values)

    @classmethod
    def from_json(cls, library: Library, text: str) -> Symbol:
        """A graph from MXNet's JSON; raises EngineError if it is invalid."""
        return cls._made(library, "SymbolFromJSON", text.encode())

    @classmethod
    def group(cls, library: Library, symbols: Sequence[Symbol]) -> Symbol:
        """Several symbols as one, with the outputs of all."""
        return cls._made(library, "SymbolGroup", len(symbols), handle_array([item.handle for item in symbols]))

    @classmethod
    def _made(cls, library: Library, function: str, *arguments: object) -> Symbol:
        """The symbol that a function of the C API makes, whose handle it writes to its last argument."""
        handle = c.c_void_p()
        library.call(function, *arguments, c.byref(handle))
        return cls(library, handle.value)

    def compose(self, name: str, inputs: Sequence[Symbol] = ()) -> None:
        """Sets an atomic symbol's name and inputs by position; missing inputs become variables.

        MXNet crashes if the symbol has no outputs: check `output_count` first.
        """
        handles = handle_array([item.handle for item in inputs])
        self.library.call("SymbolCompose", self.handle, name.encode(), len(inputs), None, handles)

    def output_count(self) -> int:
        """The number of visible outputs."""
        count = c.c_uint32()
        self.library.call("SymbolGetNumOutputs", self.handle, c.byref(count))
        return count.value

    def output(self, index: int) -> Symbol:
        """One output as a symbol."""
        return self._made(self.library, "SymbolGetOutput", self.handle, index)

    def internals(self) -> Symbol:
        """Every output of every node, variables among them, as one symbol."""
        return self._made(self.library, "SymbolGetInternals", self.handle)

    def with_backend(self, backend: str) -> Symbol:
        """The graph with the operators that a backend takes over; raises EngineError if this build has none such."""
        return self._made(self.library, "GenBackendSubgraph", self.handle, backend.encode())

    def list_auxiliary_states(self) -> list[str]:
        """The names of the inputs that the operator updates."""
        return self._names("SymbolListAuxiliaryStates")

    def list_inputs(self) -> list[str]:
        """The names of all inputs, with auxiliary states, in the operator's order."""
        return self._names("SymbolListInputNames", 0)

    def list_outputs(self) -> list[str]:
        """The names of the visible outputs."""
        return self._names("SymbolListOutputs")

    def _names(self, function: str, *options: int) -> list[str]:
        size, names = c.c_uint32(), c.POINTER(c.c_char_p)()
        self.library.call(function, self.handle, *options, c.byref(size), c.byref(names))
        return [text_of(names[i]) for i in range(size.value)]

    def to_json(self) -> str:
        """The graph as MXNet's JSON."""
        text = c.c_char_p()
        self.library.call("SymbolToJSON", self.handle, c.byref(text))
        return text_of(text.value)

    def infer_shape_partial(self, known: Mapping[str, Shape]) -> Inferred[Shape | None]:
        """Infers shapes from the known ones; raises EngineError with the operator's message."""
        starts, dims = [0], list[int]()
        for shape in known.values():
            dims.extend(shape)
            starts.append(len(dims))
        extent = self.library.extent
        results = [_ShapeList(extent) for _ in range(3)]
        pointers = (pointer for result in results for pointer in result.pointers())
        given = (extent * len(starts))(*starts), (extent * len(dims))(*dims)
        self._infer("SymbolInferShapePartial64", known, *given, *pointers)
        return Inferred(*(result.read() for result in results))

    def infer_type_partial(self, known: Mapping[str, int]) -> Inferred[int]:
        """Infers dtype codes from the known ones; raises EngineError with the operator's message."""
        results = [_TypeList() for _ in range(3)]
        pointers = (pointer for result in results for pointer in result.pointers())
        self._infer("SymbolInferTypePartial", known, (c.c_int * len(known))(*known.values()), *pointers)
        return Inferred(*(result.read() for result in results))

    def _infer(self, function: str, known: Mapping[str, object], *arguments: object) -> None:
        complete = c.c_int()
        self.library.call(function, self.handle, len(known), text_array(list(known)), *arguments, c.byref(complete))

    def free(self) -> None:
        """Frees the symbol; a second call does nothing."""
        handle, self.handle = self.handle, None
        if handle:
            self.library.function("SymbolFree")(handle)

    def __del__(self) -> None:
        self.free()


class _ShapeList:
    """The result pointers of a list of shapes."""

    def __init__(self, extent: Extent) -> None:
        self.size = c.c_size_t()
        self.ndims = c.POINTER(c.c_int)()
        self.dims = c.POINTER(c.POINTER(extent))()

    def pointers(self) -> tuple[object, object, object]:
        return c.byref(self.size), c.byref(self.ndims), c.byref(self.dims)

    def read(self) -> tuple[Shape | None, ...]:
        shapes: list[Shape | None] = []
        for i in range(self.size.value):
            ndim = self.ndims[i]
            shapes.append(None if ndim < 0 else tuple(self.dims[i][:ndim]))
        return tuple(shapes)


class _TypeList:
    """The result pointers of a list of dtype codes."""

    def __init__(self) -> None:
        self.size = c.c_uint32()
        self.codes = c.POINTER(c.c_int)()

    def pointers(self) -> tuple[object, object]:
        return c.byref(self.size), c.byref(self.codes)

    def read(self) -> tuple[int, ...]:
        return tuple(self.codes[: self.size.value])
