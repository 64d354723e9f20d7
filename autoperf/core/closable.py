"""Context managers that hold a file or a process until they are closed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from types import TracebackType
from typing import TypeVar

C = TypeVar("C", bound="Closable")


class Closable(ABC):
    """A context manager that closes itself, however its context ends."""

    def __enter__(self: C) -> C:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @abstractmethod
    def close(self) -> None:
        """Releases its resources; a second call does nothing."""
