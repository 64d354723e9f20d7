"""The work of backward passes, by the arrays that a derivative is computed from.

A backward pass reads the gradients of the outputs (head gradients) and the other arrays that the derivative depends on,
and writes the gradient of each input that gets one. Each array counts once. Arrays that a forward pass saves beside its
outputs (masks, gates, the places of maxima) don't count, so no kernel moves less.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from autoperf.core.case import Case
from autoperf.core.work import BackwardWork, Flops, Work, stored_bytes
from autoperf.rules.arithmetic import elements_made, has, tensor_of

Gradients: TypeAlias = tuple[str, ...]
"""The names of the inputs that get gradients."""
Count: TypeAlias = Callable[[Case, Gradients], float]
"""Bytes or operations of a backward pass."""
OUTPUT = "output"
"""Stands for the first output among the arrays that a derivative depends on."""


def nothing(_case: Case, _gradients: Gradients) -> float:
    """No bytes."""
    return 0.0


@dataclass(frozen=True)
class Derivative:
    """A backward pass that reads the gradients of the first `heads` outputs (None: all), and the bytes of `reads`.

    The gradients of the inputs in `zero` vanish, and aren't counted. Without `flops` it computes one operation for each
    element of the largest array.
    """

    reads: Count = nothing
    flops: Count | None = None
    heads: int | None = None
    zero: tuple[str, ...] = ()

    def __call__(self, case: Case, gradients: Gradients) -> Work:
        """The work of the backward pass of a case."""
        nonzero = tuple(name for name in gradients if name not in self.zero)
        heads = case.outputs[: self.heads]
        written = [tensor_of(case, name).type for name in nonzero]
        elements = float(max((array.elements for array in (*heads, *written)), default=0))
        return Work(
            bytes_in=sum(head.nbytes for head in heads) + self.reads(case, nonzero),
            bytes_out=float(sum(array.nbytes for array in written)),
            elements=elements,
            flops=elements if self.flops is None else self.flops(case, nonzero),
        )


def arrays(*names: str) -> Count:
    """The bytes of these inputs (and OUTPUT), as far as the case has them."""

    def reads(case: Case, _gradients: Gradients) -> float:
        return sum(_bytes_of(case, name) for name in names)

    return reads


def by_gradient(**names: tuple[str, ...]) -> Count:
    """The bytes of the arrays on which the gradient of each of these inputs depends, each array once."""

    def reads(case: Case, gradients: Gradients) -> float:
        read = dict.fromkeys(name for gradient in gradients for name in names.get(gradient, ()))
        return sum(_bytes_of(case, name) for name in read)

    return reads


def own_values(case: Case, gradients: Gradients) -> float:
    """The bytes, for each gradient, of its input, at which the derivative is taken, or of an output of its size."""
    return sum(_bytes_of(case, name) for name in gradients)


def selected(case: Case, gradients: Gradients) -> float:
    """The bytes of the gradients or of the outputs, whichever are fewer."""
    return min(own_values(case, gradients), float(case.output_bytes))


def other_operands(case: Case, gradients: Gradients) -> float:
    """The bytes of the operands on which the gradients of the others depend."""
    names = (item.name for item in case.arguments)
    read = (name for name in names if any(gradient != name for gradient in gradients))
    return sum(_bytes_of(case, name) for name in read)


LINEAR = Derivative()
"""The derivative is a constant: the head gradients are copied, summed, or put in another order."""
NONLINEAR = Derivative(own_values)
"""The derivative depends on the input, or is known from an output of its size."""
NORMALISED = Derivative(arrays(OUTPUT))
"""The derivative is a function of the output, as for softmax."""
SELECTED = Derivative(selected, heads=0)
"""The output has the elements among others, or only some of them; no other head gradient is read."""
WRITTEN = Derivative(heads=0)
"""The contents decide which head gradients are read, if any."""


def nonlinear_except(*linear: str) -> BackwardWork:
    """NONLINEAR for all operators but these, which are LINEAR."""

    def work(case: Case, gradients: Gradients) -> Work:
        return (LINEAR if case.operator in linear else NONLINEAR)(case, gradients)

    return work


def of_operands(*sums: str) -> BackwardWork:
    """Derivatives of elementwise functions of two tensors: each gradient needs the other operand, except for `sums`."""
    combined = Derivative(other_operands)

    def work(case: Case, gradients: Gradients) -> Work:
        return (LINEAR if case.operator in sums else combined)(case, gradients)

    return work


def of_product(flops: Flops, first: str, second: str, *, added: str = "") -> Derivative:
    """The derivative of C = A B: dA = dC B^T and dB = A^T dC, each with the operations of the product itself.

    `flops` counts the product's operations. `added` names a summand such as a bias, whose gradient takes an operation
    for each element of dC.
    """

    def count(case: Case, gradients: Gradients) -> float:
        products = sum(name in gradients for name in (first, second)) * flops(case)
        return products + (elements_made(case) if added in gradients else 0)

    return Derivative(by_gradient(**{first: (second,), second: (first,)}), count)


def of_operands_product(flops: Flops) -> Derivative:
    """The derivative of a product of all operands: each gradient is a product of the others and the head gradient."""
    return Derivative(other_operands, lambda case, gradients: len(gradients) * flops(case))


def _bytes_of(case: Case, name: str) -> float:
    """The bytes of an input or OUTPUT, as it is stored; 0 where the case has none."""
    if name == OUTPUT:
        return float(case.outputs[0].nbytes)
    return stored_bytes(tensor_of(case, name)) if has(case, name) else 0.0
