"""The contents of a network's stored parameters: what their numbers are like, from MXNet's file of them."""

from __future__ import annotations

import io
import math
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from autoperf.core.errors import CaseFileError
from autoperf.core.files import read_input
from autoperf.core.tensors import AnyContent, Constant, Normal, Patterned

_FILE, _ARRAY_2, _ARRAY_3 = 0x112, 0xF993FAC9, 0xF993FACA
_DTYPES = {0: "<f4", 1: "<f8", 2: "<f2", 3: "u1", 4: "<i4", 5: "i1", 6: "<i8"}
"""NumPy's dtypes by MXNet's codes."""
_DENSE = 0
MAX_BYTES = 2**32
FEW = 0.1
"""The least share of zeros that a content states."""


class _Reader:
    """Reads numbers in order. Raises struct.error and ValueError beyond the end."""

    def __init__(self, data: bytes) -> None:
        self._data, self._place = data, 0

    def number(self, form: str) -> int:
        (value,) = struct.unpack_from(f"<{form}", self._data, self._place)
        self._place += struct.calcsize(f"<{form}")
        return int(value)

    def text(self) -> str:
        return self._bytes(self.number("Q")).decode()

    def array(self) -> npt.NDArray[np.generic]:
        """A dense array, flat."""
        if self.number("I") not in (_ARRAY_2, _ARRAY_3) or self.number("i") != _DENSE:
            raise ValueError("an array of it is sparse, or of a version before MXNet 1.0")
        shape = [self.number("q") for _ in range(self.number("i"))]
        self._bytes(8)  # The device.
        dtype = np.dtype(_DTYPES[self.number("i")])
        return np.frombuffer(self._bytes(math.prod(shape) * dtype.itemsize), dtype)

    def _bytes(self, count: int) -> bytes:
        part = self._data[self._place : self._place + count]
        if not 0 <= count == len(part):
            raise ValueError("it ends within an array")
        self._place += count
        return part


def stored_contents(path: Path) -> dict[str, AnyContent]:
    """The content of each floating-point parameter by its name. Raises CaseFileError for another file."""
    try:
        data = read_input(path, max_bytes=MAX_BYTES)
        arrays = dict(_zipped(data) if data.startswith(b"PK") else _arrays(_Reader(data)))
    except (struct.error, ValueError, LookupError, zipfile.BadZipFile, zlib.error) as error:
        raise CaseFileError(
            f"invalid --params-file {path}: expected the parameters of `HybridBlock.export` or `nd.save` "
            f"(model-0000.params): {error}"
        ) from None
    return {name: content_of(values) for name, values in arrays.items() if values.size and values.dtype.kind == "f"}


def _zipped(data: bytes) -> Iterator[tuple[str, npt.NDArray[np.generic]]]:
    """The arrays of a file by MXNet 2."""
    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        for name, values in arrays.items():
            yield name.removeprefix("arg:").removeprefix("aux:"), values.ravel()


def _arrays(reader: _Reader) -> Iterator[tuple[str, npt.NDArray[np.generic]]]:
    if reader.number("Q") != _FILE:
        raise ValueError("it begins otherwise")
    reader.number("Q")
    arrays = [reader.array() for _ in range(reader.number("Q"))]
    names = [reader.text() for _ in range(reader.number("Q"))]
    for name, values in zip(names, arrays, strict=True):
        yield name.removeprefix("arg:").removeprefix("aux:"), values


def content_of(values: npt.NDArray[np.generic]) -> AnyContent:
    """A content like these numbers: their mean and spread, with a pattern if many are zero or subnormal."""
    numbers = values.astype(np.float64)
    numbers = numbers[np.isfinite(numbers)]
    others = np.abs(numbers[numbers != 0])
    if not others.size:
        return Constant(0.0)
    if np.ptp(numbers) == 0:
        return Constant(float(numbers[0]))
    is_subnormal = others < np.finfo(values.dtype.name).tiny
    if np.mean(is_subnormal) > 1 / 2:
        return Patterned(Normal(), "subnormal")
    kept = others.size / numbers.size
    plain = Normal(float(f"{numbers[numbers != 0].mean():.3g}"), float(f"{numbers[numbers != 0].std():.3g}"))
    return Patterned(plain, "zeros", kept=round(kept, 3)) if kept < 1 - FEW else plain
