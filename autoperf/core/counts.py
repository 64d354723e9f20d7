"""What a pass executes: instructions by function and by part of the program, as valgrind counts them."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import TypeAlias

import msgspec


class Part(enum.Enum):
    """A part of the program that spends instructions; a closed set."""

    OPERATOR = "operator"
    ONEDNN = "oneDNN"
    BLAS = "BLAS"
    MATH = "libm"
    DISPATCH = "dispatch"
    PYTHON = "Python"
    ALLOCATOR = "allocator"


KERNELS = (Part.OPERATOR, Part.ONEDNN, Part.BLAS, Part.MATH)
"""The parts that compute results."""
OWN = "MXNet"
"""The path of MXNet's own loops, or of BLAS, where nothing is counted."""


def is_of_library(path: str) -> bool:
    """Whether a path is a library's kernel, and not a loop of MXNet or oneDNN's plain reference."""
    return path == Part.BLAS.value or (path.startswith(Part.ONEDNN.value) and " ref" not in path)


def is_own(path: str) -> bool:
    """Whether a path is a loop, of MXNet (which may call libm) or of oneDNN's reference."""
    return path in (OWN, Part.OPERATOR.value, Part.MATH.value) or (Part.ONEDNN.value in path and " ref" in path)


MIN_KERNELS = 0.02
"""The share of a call that kernels spend, unless it only dispatches."""


class FunctionCount(msgspec.Struct, frozen=True, array_like=True):
    """The instructions of a function's own code, without those of the functions that it calls."""

    name: str
    part: Part
    instructions: int


Functions: TypeAlias = tuple[FunctionCount, ...]


class CodeCount(msgspec.Struct, frozen=True):
    """The functions that a pass executes, and their instructions, in one call of a warm process.

    `functions` has the largest, largest first, and `parts` the instructions of each part, all functions included.
    `digest` identifies the kernels' code: it is equal for two calls that spend as many instructions in each function of
    KERNELS. `by` is the program that counted, with its version.
    """

    by: str
    functions: Functions
    parts: dict[str, int]
    digest: str

    @property
    def instructions(self) -> int:
        """The instructions of the call; see `counted`."""
        return counted(self.parts)

    @property
    def path(self) -> str:
        """The part of kernels that spends most; dispatch where kernels spend next to nothing."""
        spent = {part.value: self.parts.get(part.value, 0) for part in KERNELS}
        if sum(spent.values()) < MIN_KERNELS * self.instructions:
            return Part.DISPATCH.value
        return max(spent, key=lambda part: spent[part])

    @property
    def kernels(self) -> int:
        """The instructions of kernels."""
        return sum(self.parts.get(part.value, 0) for part in KERNELS)


def counted(parts: Mapping[str, int]) -> int:
    """The instructions of all parts but the allocator, whose work depends on what the process did before the call."""
    return sum(number for part, number in parts.items() if part != Part.ALLOCATOR.value)
