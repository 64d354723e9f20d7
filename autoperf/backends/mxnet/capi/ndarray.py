"""MXNet's arrays over the C API: their codes of dtypes, storages and devices; created, filled, read and freed."""

from __future__ import annotations

import ctypes as c
from typing import Any

import numpy as np

from autoperf.backends.mxnet.capi.invoke import invoke
from autoperf.backends.mxnet.capi.library import Library
from autoperf.backends.passes import CPU, Context
from autoperf.core.errors import EngineError
from autoperf.core.tensors import ArrayType, Shape, Storage

DTYPE_CODES = {
    "float32": 0, "float64": 1, "float16": 2, "uint8": 3, "int32": 4, "int8": 5, "int64": 6, "bool": 7, "bfloat16": 12,
}  # fmt: skip
DTYPE_NAMES = {code: name for name, code in DTYPE_CODES.items()}
UNMEASURED = {8: "int16", 9: "uint16", 10: "uint32", 11: "uint64"}
"""The codes of 2.x that 1.x lacks, and autoperf too."""
STORAGES: dict[int, Storage] = {0: "default", 1: "row_sparse", 2: "csr"}
STORAGE_CODES = {name: code for code, name in STORAGES.items()}
INDEX_ARRAYS: dict[Storage, int] = {"default": 0, "row_sparse": 1, "csr": 2}
DEVICES = {"cpu": 1, "gpu": 2}


def dtype_name(code: int) -> str:
    """The name of MXNet's dtype code; raises EngineError for an unknown one."""
    if code in DTYPE_NAMES:
        return DTYPE_NAMES[code]
    if code in UNMEASURED:
        raise EngineError(f"MXNet returned an array of {UNMEASURED[code]}, which autoperf doesn't measure")
    raise EngineError(f"MXNet returned an array with the unknown dtype code {code}")


class NDArray:
    """An array handle; freed with `free` or with the object."""

    __slots__ = ("handle", "library")

    def __init__(self, library: Library, handle: int) -> None:
        self.library = library
        self.handle: int | None = handle

    @classmethod
    def create(cls, library: Library, shape: Shape, dtype: str, ctx: Context = CPU) -> NDArray:
        """An uninitialised dense array. Raises EngineError if there is no such device or not enough memory."""
        handle = c.c_void_p()
        dims = (library.extent * len(shape))(*shape)
        device = DEVICES[ctx[0]]
        library.call("NDArrayCreate64", dims, len(shape), device, ctx[1], 0, DTYPE_CODES[dtype], c.byref(handle))
        return cls(library, _checked(handle))

    @classmethod
    def empty_row_sparse(cls, library: Library, shape: Shape, dtype: str, ctx: Context = CPU) -> NDArray:
        """A row-sparse array of zeros without stored rows, which takes no memory."""
        handle = c.c_void_p()
        dims = (library.extent * len(shape))(*shape)
        library.call(
            "NDArrayCreateSparse64",
            *(STORAGE_CODES["row_sparse"], dims, len(shape), DEVICES[ctx[0]], ctx[1], True, DTYPE_CODES[dtype]),
            *(1, c.byref(c.c_int(DTYPE_CODES["int64"])), c.byref(c.c_int(1)), c.byref(c.c_int64(0))),
            c.byref(handle),
        )
        return cls(library, _checked(handle))

    @classmethod
    def from_numpy(
        cls,
        library: Library,
        values: np.ndarray[Any, Any],
        dtype: str | None = None,
        ctx: Context = CPU,
        storage: Storage = "default",
    ) -> NDArray:
        """A copy of `values`, cast to `dtype` (with bfloat16) and to `storage`."""
        dtype = dtype or values.dtype.name
        raw = np.ascontiguousarray(_encode(values, dtype)).reshape(values.shape)
        array = cls.create(library, raw.shape, dtype, ctx)
        array.fill(raw)
        return array if storage == "default" else array.cast(storage)

    def fill(self, raw: np.ndarray[Any, Any]) -> None:
        """Copies `raw` into the array; it must be contiguous and have this array's size and item size."""
        if raw.size:
            self.library.call("NDArraySyncCopyFromCPU", self._live(), raw.ctypes.data, raw.size)

    def write(self, values: np.ndarray[Any, Any]) -> None:
        """Copies values of this array's shape into it, cast to its dtype; a sparse array gets new indices too."""
        if self.storage == "default":
            # MXNet refuses to fill an array that a kernel has laid out anew, as a convolution does with its weight;
            # one that an operator writes has the usual layout again.
            raw = np.ascontiguousarray(_encode(values, self.dtype))
            try:
                self.fill(raw)
            except EngineError:
                invoke(self.library, "_zeros", [], {"shape": self.shape, "dtype": self.dtype}, [self])
                self.wait()
                self.fill(raw)
            return
        source = NDArray.from_numpy(self.library, values, self.dtype, storage=self.storage)
        invoke(self.library, "_copyto", [source], {}, [self])
        self.wait()
        source.free()

    def to_numpy(self) -> np.ndarray[Any, Any]:
        """Waits, and returns the contents; bfloat16 as float32, sparse arrays as dense ones."""
        if self.storage != "default":
            dense = self.cast("default")
            values = dense.to_numpy()
            dense.free()
            return values
        dtype = self.dtype
        raw = np.empty(self.shape, dtype="uint16" if dtype == "bfloat16" else dtype)
        if raw.size:
            self.library.call("NDArraySyncCopyToCPU", self._live(), raw.ctypes.data, raw.size)
        else:
            self.wait()
        return raw if dtype != "bfloat16" else (raw.astype("uint32") << 16).view("float32")

    def cast(self, storage: Storage) -> NDArray:
        """Waits for a copy in another storage."""
        (handle,) = invoke(self.library, "cast_storage", [self._live()], {"stype": storage})
        array = NDArray(self.library, handle)
        array.wait()
        return array

    def wait(self) -> None:
        """Waits until the array is written; raises EngineError if the kernel that writes it failed."""
        self.library.call("NDArrayWaitToRead", self._live())

    @property
    def shape(self) -> Shape:
        """The shape; wait first for an output whose shape depends on the contents."""
        ndim, dims = c.c_int(), c.POINTER(self.library.extent)()
        self.library.call("NDArrayGetShape64", self._live(), c.byref(ndim), c.byref(dims))
        return tuple(dims[i] for i in range(ndim.value))

    @property
    def dtype(self) -> str:
        """The name of the dtype."""
        code = c.c_int()
        self.library.call("NDArrayGetDType", self._live(), c.byref(code))
        return dtype_name(code.value)

    @property
    def storage(self) -> Storage:
        """Dense (`default`), csr or row_sparse."""
        code = c.c_int()
        self.library.call("NDArrayGetStorageType", self._live(), c.byref(code))
        return STORAGES.get(code.value, "default")

    @property
    def nbytes(self) -> int:
        """Waits, and returns the size in bytes; of a sparse array, values and indices."""
        if self.storage == "default":
            return ArrayType(self.shape, self.dtype).nbytes
        parts = [self._part("NDArrayGetDataNDArray")]
        parts += [self._part("NDArrayGetAuxNDArray", index) for index in range(INDEX_ARRAYS[self.storage])]
        total = sum(part.nbytes for part in parts)
        for part in parts:
            part.free()
        return total

    def _part(self, function: str, *index: int) -> NDArray:
        handle = c.c_void_p()
        self.library.call(function, self._live(), *index, c.byref(handle))
        return NDArray(self.library, _checked(handle))

    def free(self) -> None:
        """Frees the array; a second call does nothing."""
        handle, self.handle = self.handle, None
        if handle:
            self.library.function("NDArrayFree")(handle)

    def __del__(self) -> None:
        self.free()

    def _live(self) -> int:
        if not self.handle:
            raise EngineError("the array was freed already")
        return self.handle


class BorrowedArray(NDArray):
    """An array that its owner frees."""

    __slots__ = ()

    def free(self) -> None:
        """Leaves the array to its owner."""


def _checked(handle: c.c_void_p) -> int:
    if not handle.value:
        raise EngineError("MXNet returned no array")
    return handle.value


def _encode(values: np.ndarray[Any, Any], dtype: str) -> np.ndarray[Any, Any]:
    """The values in MXNet's binary format; bfloat16 is the upper half of a float32, rounded to nearest even."""
    if dtype != "bfloat16":
        return values.astype(dtype, copy=False)
    bits = np.ascontiguousarray(values, dtype="float32").view("uint32")
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype("uint16")
