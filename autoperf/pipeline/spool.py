"""Values that wait in a file until they are needed, so that memory does not grow with the number of cases."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

T = TypeVar("T")


class Spool(Generic[T]):
    """Values of one kind in a file of NDJSON, in the order in which they were added."""

    def __init__(self, path: Path, kind: type[T]) -> None:
        """The file is created with the first value."""
        self._path = path
        self._encoder = msgspec.json.Encoder()
        self._decoder = msgspec.json.Decoder(kind)

    def put(self, value: T) -> None:
        """Appends a value; raises OSError, for instance if the disk is full."""
        with self._path.open("ab") as file:
            file.write(self._encoder.encode(value) + b"\n")

    def __iter__(self) -> Iterator[T]:
        if not self._path.exists():
            return
        with self._path.open("rb") as file:
            for line in file:
                yield self._decoder.decode(line)
