"""The work of a case's passes: bytes, elements and operations by its shapes; instructions as valgrind counts them."""

from __future__ import annotations

import enum
import math
from collections.abc import Callable, Collection, Mapping
from typing import NamedTuple, TypeAlias

import msgspec

from autoperf.core.case import OUT, Case
from autoperf.core.tensors import ITEM_SIZE, TensorSpec

Flops: TypeAlias = Callable[[Case], float]
"""The operations of a case's forward pass, for operators where the sizes don't determine them."""

INDEX_BYTES = 8
"""The size of a sparse array's index: int64."""


class Work(msgspec.Struct, frozen=True):
    """The least data movement of a pass, the size of its largest array, and its operations; a multiply-add is two."""

    bytes_in: float
    bytes_out: float
    elements: float
    flops: float

    @property
    def bytes(self) -> float:
        """The bytes read and written."""
        return self.bytes_in + self.bytes_out


BackwardWork: TypeAlias = Callable[[Case, tuple[str, ...]], Work]
"""The work of a case's backward pass, by the names of the inputs that get gradients."""


class PassWorks(NamedTuple):
    """The work of both passes; None for one whose work isn't known."""

    forward: Work | None = None
    backward: Work | None = None


def no_arithmetic(_case: Case) -> float:
    """The operations of an operator that only moves data."""
    return 0.0


def work_of(
    case: Case,
    flops: Flops | None = None,
    moves: Flops | None = None,
    unread: Collection[str] = (),
    states: Collection[str] = (),
) -> Work:
    """The work of the forward pass of a case with known outputs; without `flops` it is one operation per element.

    Sparse inputs count as they are stored (`stored_bytes`), outputs as dense, since their storage is not inferred.
    Inputs that are updated in place, and `states`, count as read and written, with at most as many elements as `moves`
    says; `unread` inputs give their shape alone. Outputs whose shapes depend on the contents count as nothing. An
    operator that reads only a part of an input (a slice, a diagonal, rows of a table) moves less than this.
    """
    given = {item.name: item.tensor for item in case.inputs if item.name != OUT}
    updated = dict.fromkeys(name for name in (*case.in_place, *states) if name in given)
    read = [name for name in given if name not in unread]
    # The inferred outputs are the arrays that are written in place.
    made = [item.tensor.type for item in case.inputs if item.name == OUT] or ([] if updated else case.outputs)
    most = moves(case) if moves and updated else math.inf
    changed = {name: min(stored_bytes(given[name]), most * ITEM_SIZE[given[name].dtype]) for name in updated}
    sizes = [*(stored_elements(given[name]) for name in (*read, *updated)), *(float(array.elements) for array in made)]
    elements = max(sizes, default=0.0)
    return Work(
        bytes_in=float(sum(changed[name] if name in changed else stored_bytes(given[name]) for name in read)),
        bytes_out=float(sum(changed.values()) + sum(array.nbytes for array in made)),
        elements=elements,
        flops=elements if flops is None else float(flops(case)),
    )


def stored_elements(tensor: TensorSpec) -> float:
    """The stored elements: all of a dense tensor, on average the share `density` of a sparse one."""
    share = 1.0 if tensor.storage == "default" else tensor.density
    return tensor.type.elements * share


def stored_bytes(tensor: TensorSpec) -> float:
    """Bytes of elements and indices: in CSR one per element, one per row; in a row-sparse tensor one per stored row."""
    stored = stored_elements(tensor)
    data = stored * ITEM_SIZE[tensor.dtype]
    if tensor.storage == "csr":
        return data + (stored + tensor.shape[0] + 1) * INDEX_BYTES
    if tensor.storage == "row_sparse":
        return data + tensor.shape[0] * tensor.density * INDEX_BYTES
    return data


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
