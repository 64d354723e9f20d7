"""How much a case asks for: bytes to read and to write, elements, and floating-point operations."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import msgspec

from autoperf.core.case import OUT, Case
from autoperf.core.tensors import ITEM_SIZE, TensorSpec

Flops: TypeAlias = Callable[[Case], float]
"""The operations of a case's forward pass, for operators of which its sizes alone don't tell."""

INDEX_BYTES = 8
"""MXNet's indices of sparse arrays are int64."""


class Work(msgspec.Struct, frozen=True):
    """What the forward pass of a case has to move and to compute at least.

    `elements` are those of the largest input or output. `flops` counts a multiplication and an addition as two.
    """

    bytes_in: float
    bytes_out: float
    elements: float
    flops: float

    @property
    def bytes(self) -> float:
        """What is read and written, each once."""
        return self.bytes_in + self.bytes_out


def work_of(case: Case, flops: Flops | None = None) -> Work:
    """The work of a case whose outputs are known; without `flops` it is one operation an element.

    Sparse inputs count as they are stored (`stored_bytes`); outputs are taken to be dense, since inference doesn't
    tell. An operator that writes its inputs both reads and writes them. Outputs whose shapes depend on the contents
    aren't known, and count nothing. An operator that reads a part of an input only (a slice, a diagonal, some rows of a
    table) moves less than is counted here.
    """
    read = [item.tensor for item in case.inputs if item.name != OUT]
    written = [item.tensor for item in case.inputs if item.name in case.in_place]
    in_place = sum(tensor.nbytes for tensor in written)
    sizes = [stored_elements(tensor) for tensor in read]
    sizes += [float(made.elements) for made in (*case.outputs, *(tensor.type for tensor in written))]
    elements = max(sizes, default=0.0)
    return Work(
        bytes_in=sum(stored_bytes(tensor) for tensor in read),
        # The outputs that inference promises are the very arrays that are written in place.
        bytes_out=float(max(case.output_bytes, in_place)),
        elements=elements,
        flops=elements if flops is None else float(flops(case)),
    )


def stored_elements(tensor: TensorSpec) -> float:
    """The elements that are stored: all of a dense tensor, the share `density` of a sparse one, on average."""
    share = 1.0 if tensor.storage == "default" else tensor.density
    return tensor.type.elements * share


def stored_bytes(tensor: TensorSpec) -> float:
    """The bytes of the elements that are stored, and of their indices.

    CSR has a column for each element and the beginning of each row; a row-sparse tensor the number of each row.
    """
    stored = stored_elements(tensor)
    data = stored * ITEM_SIZE[tensor.dtype]
    if tensor.storage == "csr":
        return data + (stored + tensor.shape[0] + 1) * INDEX_BYTES
    if tensor.storage == "row_sparse":
        return data + tensor.shape[0] * tensor.density * INDEX_BYTES
    return data
