"""Counts of floating-point operations of forward and backward passes.

A multiplication and an addition are two operations. Only the leading terms of textbook algorithms count.

A backward pass reads the gradients of the outputs (head gradients) and the other arrays that the derivative depends on,
and writes the gradient of each input that gets one. Each array counts once. Arrays that a forward pass saves beside its
outputs (masks, gates, the places of maxima) don't count, so no kernel moves less.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from hypothesis import strategies as st

from autoperf.core.case import Case
from autoperf.core.operator import Value
from autoperf.core.tensors import Shape
from autoperf.core.work import BackwardWork, Flops, Work, stored_bytes
from autoperf.strategies import extents

DRAW_FLOPS = 10
"""The operations of a generator of random numbers, such as the Mersenne Twister, for one number; about so many."""


def each_output(case: Case, terms: float) -> float:
    """The operations of sums of `terms` products, one sum for each element of the output."""
    return 2.0 * case.outputs[0].elements * terms


def with_bias(products: Flops) -> Flops:
    """The operations of products, and one addition for each element of the output if the case has a bias."""
    return lambda case: products(case) + (case.outputs[0].elements if case.has("bias") else 0)


# Dense linear algebra. LAWN 41: Blackford and Dongarra, "Installation guide for LAPACK", LAPACK Working Note 41,
# appendix C. GVL: Golub and Van Loan, "Matrix computations", 4th edition.


def each_matrix(count: Callable[[int, int], float]) -> Flops:
    """A count by rows and columns, for every matrix of the first input."""

    def flops(case: Case) -> float:
        shape = case.inputs[0].tensor.shape
        return math.prod(shape[:-2]) * count(shape[-2], shape[-1])

    return flops


def of_order(numerator: int, denominator: int = 1) -> Flops:
    """A multiple of the cube of the order of every matrix of the first input."""
    return each_matrix(lambda n, _columns: numerator * n**3 / denominator)


CHOLESKY = of_order(1, 3)
"""n^3 / 3 (LAWN 41, POTRF)."""
CHOLESKY_INVERSE = of_order(2, 3)
"""2 n^3 / 3: the inverse of a matrix from its Cholesky factor (LAWN 41, POTRI)."""
SYMMETRIC_EIGENVECTORS = of_order(9)
"""9 n^3: eigenvalues and eigenvectors of a symmetric matrix by QR steps (GVL, 8.3)."""
SYMMETRIC_EIGENVALUES = of_order(4, 3)
"""4 n^3 / 3: eigenvalues of a symmetric matrix alone, by reduction to tridiagonal form (GVL, 8.3)."""
GENERAL_EIGENVECTORS = of_order(25)
"""25 n^3: the real Schur form with its vectors (GVL, 7.5)."""
GENERAL_EIGENVALUES = of_order(10)
"""10 n^3: eigenvalues of a general matrix alone (GVL, 7.5)."""


def inverse(n: int, _columns: int) -> float:
    """2 n^3: an LU factorisation and GETRI (LAWN 41)."""
    return 2.0 * n**3


def lu(n: int, _columns: int) -> float:
    """2 n^3 / 3 (LAWN 41, GETRF)."""
    return 2.0 * n**3 / 3


def pseudo_inverse(rows: int, columns: int) -> float:
    """The singular values and vectors, and the product of the two thin factors, 2 m n^2 with m >= n."""
    return singular_vectors(rows, columns) + 2.0 * rows * columns * min(rows, columns)


def solution(n: int, sides: int) -> float:
    """2 n^3 / 3 + 2 n^2 for each right-hand side (LAWN 41, GETRF and GETRS)."""
    return lu(n, n) + 2.0 * n**2 * sides


def orthogonal(rows: int, columns: int) -> float:
    """4 m n^2 - 4 n^3 / 3 with m >= n: QR or LQ, and the orthogonal factor (LAWN 41, GEQRF and ORGQR)."""
    m, n = max(rows, columns), min(rows, columns)
    return 4.0 * m * n**2 - 4 * n**3 / 3


def singular_vectors(rows: int, columns: int) -> float:
    """14 m n^2 + 8 n^3 with m >= n: singular values and both thin factors (GVL, figure 8.6.1, Golub-Reinsch)."""
    m, n = max(rows, columns), min(rows, columns)
    return 14.0 * m * n**2 + 8 * n**3


singular_values = orthogonal
"""4 m n^2 - 4 n^3 / 3 with m >= n: singular values alone (GVL, figure 8.6.1)."""


def sorted_elements(count: float, length: int) -> float:
    """n log2 k comparisons: n elements in lists of k, at least one comparison each (Knuth, volume 3, 5.3.1)."""
    return count * max(1.0, math.log2(max(length, 1)))


Gradients: TypeAlias = tuple[str, ...]
"""The names of the inputs that get gradients."""
Count: TypeAlias = Callable[[Case, Gradients], float]
"""Bytes or operations of a backward pass."""
OUTPUT = "output"
"""Stands for the first output among the arrays that a derivative depends on."""


@dataclass(frozen=True)
class Derivative:
    """A backward pass that reads the gradients of the first `heads` outputs (None: all), and the bytes of `reads`.

    The gradients of the inputs in `zero` vanish, and aren't counted. Without `flops` it computes one operation for each
    element of the largest array.
    """

    reads: Count = lambda _case, _gradients: 0.0
    flops: Count | None = None
    heads: int | None = None
    zero: tuple[str, ...] = ()

    def __call__(self, case: Case, gradients: Gradients) -> Work:
        """The work of the backward pass of a case."""
        nonzero = tuple(name for name in gradients if name not in self.zero)
        heads = case.outputs[: self.heads]
        written = [case.tensor(name).type for name in nonzero]
        elements = float(max((array.elements for array in (*heads, *written)), default=0))
        return Work(
            bytes_in=sum(head.nbytes for head in heads) + self.reads(case, nonzero),
            bytes_out=float(sum(array.nbytes for array in written)),
            elements=elements,
            flops=elements if self.flops is None else self.flops(case, nonzero),
        )


def arrays(*names: str) -> Count:
    """The bytes of these inputs (and OUTPUT), as far as the case has them."""
    return lambda case, _gradients: sum(_bytes_of(case, name) for name in names)


def by_gradient(**names: tuple[str, ...]) -> Count:
    """The bytes of the arrays on which the gradient of each of these inputs depends, each array once."""

    def reads(case: Case, gradients: Gradients) -> float:
        read = dict.fromkeys(name for gradient in gradients for name in names.get(gradient, ()))
        return sum(_bytes_of(case, name) for name in read)

    return reads


def own_values(case: Case, gradients: Gradients) -> float:
    """The bytes, for each gradient, of its input, at which the derivative is taken, or of an output of its size."""
    return sum(_bytes_of(case, name) for name in gradients)


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
SELECTED = Derivative(lambda case, gradients: min(own_values(case, gradients), float(case.output_bytes)), heads=0)
"""The output has the elements among others, or only some of them; no other head gradient is read."""
WRITTEN = Derivative(heads=0)
"""The contents decide which head gradients are read, if any."""


def nonlinear_except(*linear: str) -> BackwardWork:
    """NONLINEAR for all operators but these, which are LINEAR."""
    return lambda case, gradients: (LINEAR if case.operator in linear else NONLINEAR)(case, gradients)


def of_operands(*sums: str) -> BackwardWork:
    """Derivatives of elementwise functions of two tensors: each gradient needs the other operand, except for `sums`."""
    combined = Derivative(other_operands)
    return lambda case, gradients: (LINEAR if case.operator in sums else combined)(case, gradients)


def of_product(flops: Flops, first: str, second: str, *, added: str = "") -> Derivative:
    """The derivative of C = A B: dA = dC B^T and dB = A^T dC, each with the operations of the product itself.

    `flops` counts the product's operations. `added` names a summand such as a bias, whose gradient takes an operation
    for each element of dC.
    """

    def count(case: Case, gradients: Gradients) -> float:
        products = sum(name in gradients for name in (first, second)) * flops(case)
        return products + (case.outputs[0].elements if added in gradients else 0)

    return Derivative(by_gradient(**{first: (second,), second: (first,)}), count)


def _bytes_of(case: Case, name: str) -> float:
    """The bytes of an input or OUTPUT, as it is stored; 0 where the case has none."""
    if name == OUTPUT:
        return float(case.outputs[0].nbytes)
    return stored_bytes(case.tensor(name)) if case.has(name) else 0.0


MAX_MULTIPLICATIONS = 2**27


@dataclass(frozen=True)
class Image:
    """A batch in channel-first order: (batch, channels, *spatial)."""

    batch: int
    channels: int
    spatial: Shape

    @property
    def shape(self) -> Shape:
        """(batch, channels, *spatial)."""
        return (self.batch, self.channels, *self.spatial)

    @property
    def channels_last(self) -> Shape:
        """(batch, *spatial, channels)."""
        return (self.batch, *self.spatial, self.channels)

    @property
    def pixels(self) -> int:
        """Elements of one channel over the whole batch."""
        return self.batch * math.prod(self.spatial)


@dataclass(frozen=True)
class SlidingWindow:
    """A window's size, stride, padding and dilation, one number for each spatial dimension."""

    kernel: Shape
    stride: Shape
    pad: Shape
    dilate: Shape

    @property
    def taps(self) -> int:
        """Elements of one window."""
        return math.prod(self.kernel)

    @property
    def span(self) -> Shape:
        """The extent including dilation: dilate * (kernel - 1) + 1."""
        return tuple(step * (size - 1) + 1 for step, size in zip(self.dilate, self.kernel, strict=True))

    def places(self, spatial: Shape) -> Shape:
        """The number of positions: floor((extent + 2 * pad - span) / stride) + 1 in each dimension."""
        parts = zip(spatial, self.pad, self.span, self.stride, strict=True)
        return tuple((extent + 2 * edge - span) // step + 1 for extent, edge, span, step in parts)

    def params(self, dilation: bool = True) -> dict[str, Value]:
        """The parameters under MXNet's names."""
        params: dict[str, Value] = {"kernel": self.kernel, "stride": self.stride, "pad": self.pad}
        return {**params, "dilate": self.dilate} if dilation else params


@st.composite
def images(draw: st.DrawFn, elements: int, dims: tuple[int, int] = (1, 3)) -> Image:
    """A batch of `dims` spatial dimensions (fewest and most) with at most `elements` elements."""
    count, batch = draw(st.integers(*dims)), draw(extents(1, max(1, min(8, elements))))
    channels = draw(extents(1, max(1, min(64, elements // batch))))
    remaining = max(1, elements // (batch * channels))
    side = max(1, int(remaining ** (1 / count)))
    return Image(batch, channels, tuple(draw(extents(1, side)) for _ in range(count)))


@st.composite
def windows(draw: st.DrawFn, spatial: Shape, largest: int = 7, dilated: bool = True) -> SlidingWindow:
    """A window that fits into the padded `spatial`: dilate * (kernel - 1) + 1 <= extent + 2 * pad, pad < kernel."""
    kernel = tuple(draw(st.integers(1, min(largest, extent))) for extent in spatial)
    pad = tuple(draw(st.integers(0, (size - 1) // 2)) for size in kernel)
    stride = tuple(draw(st.integers(1, 3)) for _ in spatial)
    dimensions = zip(kernel, pad, spatial, strict=True)
    max_dilations = [
        1 if size == 1 else max(1, (extent + 2 * edge - 1) // (size - 1)) for size, edge, extent in dimensions
    ]
    dilate = tuple(draw(st.integers(1, min(2, limit))) if dilated else 1 for limit in max_dilations)
    return SlidingWindow(kernel, stride, pad, dilate)


@st.composite
def filters(draw: st.DrawFn, image: Image, window: SlidingWindow, groups: int, pixels: int, *, elements: int) -> int:
    """A number of filters that `groups` divides, with bounded output (`pixels` of each filter), weight and work."""
    max_by_output = elements // max(1, pixels * groups)
    max_by_weight = elements // (image.channels * window.taps)
    max_by_work = MAX_MULTIPLICATIONS // (max(pixels, image.pixels) * image.channels * window.taps)
    return groups * draw(extents(1, max(1, min(64 // groups, max_by_output, max_by_weight, max_by_work))))
