"""Linear algebra on stacks of matrices: products with triangles, factorisations, determinants, diagonals."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial

from hypothesis import strategies as st

from autoperf.core.case import Case
from autoperf.core.operator import Value
from autoperf.core.tensors import Matrices, Shape
from autoperf.rules import arithmetic
from autoperf.rules.arithmetic import OUTPUT, Derivative, Gradients, arrays, each_matrix, each_output, of_product
from autoperf.rules.contents import first_of
from autoperf.rules.rule import Draft, Inputs, InputSpec, inputs, rule, tensor
from autoperf.rules.table import Row, SampleInputs, at_shapes, by_profile, of_one, of_size, sized, table, unpacked
from autoperf.strategies import extents, shapes

linalg_rule = partial(rule, category="linalg")

LARGEST = 256
DETERMINANT_IN_RANGE = 128  # eigenvalues in [1, 3] multiply to 1e36, just below what float32 holds
SQUARES: Mapping[str, Shape] = by_profile((16, 16), (64, 64), (256, 256), (1000, 4, 4), batched=(16, 32, 32))
POSITIVE_DEFINITE = Matrices("positive_definite")
SYMMETRIC = Matrices("symmetric")
DOMINANT = Matrices("dominant")


@st.composite
def stacks(draw: st.DrawFn, elements: int, largest: int = LARGEST) -> tuple[Shape, int]:
    """The leading axes of a stack, and the order of its square matrices: few large ones or many small ones."""
    order = draw(extents(1, min(largest, math.isqrt(elements))))
    many = max(1, min(elements, 2**16) // order**2)
    rank = draw(st.integers(0, 2))
    return (draw(shapes(rank, rank, many)) if rank else ()), order


def _stacked(shape: Shape, largest: int) -> Shape:
    """The shape, or a stack of smaller squares with as many rows in all where it has more than `largest`."""
    *lead, order, _ = shape
    return shape if order <= largest else (*lead, order // largest, largest, largest)


def squares(content: Matrices, largest: int = LARGEST) -> SampleInputs:
    """A stack of square matrices with one property, of at most `largest` rows each: few large or many small ones."""

    def build(spec: InputSpec, shape: Shape) -> Inputs:
        return of_one(spec, _stacked(shape, largest))

    def sizes(spec: InputSpec) -> st.SearchStrategy[Shape]:
        return stacks(spec.elements, largest).map(lambda stack: (*stack[0], stack[1], stack[1]))

    return of_size(build, SQUARES, sizes, first_of(content))


@st.composite
def rectangles(draw: st.DrawFn, elements: int, *, wide: bool = False) -> Shape:
    """A stack of matrices of at most LARGEST rows and columns; with no more rows than columns if `wide`.

    There is room for square matrices of the longer side, since results may be such.
    """
    largest = min(LARGEST, math.isqrt(elements))
    columns = draw(extents(1, largest))
    rows = draw(extents(1, columns if wide else largest))
    rank = draw(st.integers(0, 2))
    lead = draw(shapes(rank, rank, max(1, min(elements, 2**16) // max(rows, columns) ** 2))) if rank else ()
    return (*lead, rows, columns)


TWO_PRODUCTS = arithmetic.of_order(4)
OF_INVERSE = Derivative(arrays(OUTPUT), lambda case, _gradients: TWO_PRODUCTS(case))
"""The derivative of B = A^-1: dA = -B^T dB B^T (Giles, "Collected matrix derivative results for forward and reverse
mode algorithmic differentiation", 2008, 2.2.3)."""

RULES = table(
    __name__,
    "linalg",
    cholesky_factor=Row(
        ("_linalg_potrf",), squares(POSITIVE_DEFINITE), "Positive definite matrices.", flops=arithmetic.CHOLESKY
    ),
    cholesky_inverse=Row(
        ("_linalg_potri",),
        squares(Matrices("lower")),
        "Cholesky factors: lower triangles with a positive diagonal.",
        flops=arithmetic.CHOLESKY_INVERSE,
    ),
    sum_log_diagonal=Row(("_linalg_sumlogdiag",), squares(POSITIVE_DEFINITE), "Matrices with a positive diagonal."),
    eigenvectors=Row(
        ("_linalg_syevd",), squares(SYMMETRIC, 128), "Symmetric matrices.", flops=arithmetic.SYMMETRIC_EIGENVECTORS
    ),
    log_determinant=Row(
        ("_linalg_slogdet",),
        squares(DOMINANT),
        "Matrices that are far from singular.",
        flops=each_matrix(arithmetic.lu),
    ),
    inverse=Row(
        ("_linalg_inverse",),
        squares(DOMINANT),
        "Matrices that are far from singular.",
        flops=each_matrix(arithmetic.inverse),
        backward=OF_INVERSE,
    ),
    determinant=Row(
        ("_linalg_det",),
        squares(POSITIVE_DEFINITE, DETERMINANT_IN_RANGE),
        "Matrices small enough for their determinant in float32.",
        flops=each_matrix(arithmetic.lu),
    ),
    lq_factorisation=Row(
        ("_linalg_gelqf",),
        of_size(of_one, {**SQUARES, "wide": (16, 256)}, lambda spec: rectangles(spec.elements, wide=True)),
        "A stack of matrices of full rank with no more rows than columns.",
        flops=each_matrix(arithmetic.orthogonal),
    ),
)


def syrk_flops(case: Case) -> float:
    """n (n + 1) k: one triangle of the product, whose other half is a copy (LAWN 41, SYRK)."""
    *lead, rows, columns = case.shape("A")
    order, inner = (columns, rows) if case.flag("transpose") else (rows, columns)
    return float(math.prod(lead) * order * (order + 1) * inner)


def syrk_backward_flops(case: Case, _gradients: Gradients) -> float:
    """2 n^2 k: of B = A A^T, dA = (dB + dB^T) A, a product of a square matrix and A."""
    *lead, rows, columns = case.shape("A")
    return 2.0 * math.prod(lead) * rows * columns * (columns if case.flag("transpose") else rows)


@linalg_rule(
    "_linalg_syrk",
    flops=syrk_flops,
    canonical=at_shapes(
        SQUARES, {"wide": inputs(A=tensor(16, 10_000)), "tall": inputs(A=tensor(10_000, 16), transpose=True)}
    ),
    backward=Derivative(arrays("A"), syrk_backward_flops),
)
def syrk(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """A matrix times its transpose, or the other way round."""
    shape = draw(rectangles(spec.elements))
    return inputs(A=Draft(shape), transpose=draw(st.booleans()), alpha=draw(factors()))


def factors() -> st.SearchStrategy[float]:
    """Multipliers: 1, for which some kernels have a branch, and others."""
    return st.sampled_from((1.0, 1.0, 0.5, -2.0))


PRODUCTS: Mapping[str, tuple[Shape, Shape, Shape]] = by_profile(
    ((16, 16),) * 3,
    ((128, 128),) * 3,
    ((512, 512),) * 3,
    ((10_000, 10), (10, 10), (10_000, 10)),
    batched=((16, 64, 64),) * 3,
)


@st.composite
def products(draw: st.DrawFn, elements: int) -> tuple[Shape, Shape, Shape, dict[str, Value]]:
    """Two stacks of matrices that multiply, their product, and the modes; the rows may be an earlier axis."""
    lead = draw(shapes(1, 2, min(64, elements))) if draw(st.booleans()) else ()
    side = min(LARGEST, math.isqrt(elements // math.prod(lead)))
    m, k, n = (draw(extents(1, side)) for _ in range(3))
    transpose_a, transpose_b = draw(st.booleans()), draw(st.booleans())
    axis = draw(st.integers(0, len(lead)))
    pairs = ((k, m) if transpose_a else (m, k), (n, k) if transpose_b else (k, n), (m, n))
    a, b, c = ((*lead[:axis], rows, *lead[axis:], columns) for rows, columns in pairs)
    return a, b, c, {"transpose_a": transpose_a, "transpose_b": transpose_b, "alpha": draw(factors()), "axis": axis}


def gemm_flops(case: Case) -> float:
    """2 m k n for each pair of matrices (LAWN 41, GEMM), whose rows are on `axis`."""
    shape = case.shape("A")
    return each_output(case, shape[case.number("axis", -2)] if case.flag("transpose_a") else shape[-1])


@linalg_rule(
    "_linalg_gemm",
    flops=gemm_flops,
    canonical=sized(unpacked(lambda _spec, a, b, c: inputs(A=Draft(a), B=Draft(b), C=Draft(c))), PRODUCTS),
    backward=of_product(gemm_flops, "A", "B", added="C"),
)
def gemm(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """alpha op(A) op(B) + beta C."""
    a, b, c, modes = draw(products(spec.elements))
    return inputs(A=Draft(a), B=Draft(b), C=Draft(c), beta=draw(factors()), **modes)


@linalg_rule(
    "_linalg_gemm2",
    flops=gemm_flops,
    canonical=sized(
        unpacked(lambda _spec, a, b, _: inputs(A=Draft(a), B=Draft(b))),
        PRODUCTS,
        {"row_axis": inputs(A=tensor(64, 16, 64), B=tensor(64, 16, 64), axis=0)},
    ),
    backward=of_product(gemm_flops, "A", "B"),
)
def gemm2(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """alpha op(A) op(B)."""
    a, b, _, modes = draw(products(spec.elements))
    return inputs(A=Draft(a), B=Draft(b), **modes)


TRIANGULAR: Mapping[str, tuple[Shape, Shape]] = {
    "small": ((16, 16), (16, 16)),
    "common": ((128, 128), (128, 128)),
    "large": ((256, 256), (256, 256)),
    "skewed": ((16, 16), (16, 10_000)),
    "batched": ((16, 32, 32), (16, 32, 32)),
}


def triangular_flops(case: Case) -> float:
    """n operations for each element of B, n being the order of the triangle (LAWN 41, TRMM and TRSM)."""
    return float(case.elements("B") * case.shape("A")[-1])


@linalg_rule(
    *("_linalg_trmm", "_linalg_trsm"),
    flops=triangular_flops,
    canonical=sized(
        unpacked(lambda _spec, a, b: inputs(A=Draft(a), B=Draft(b))),
        TRIANGULAR,
        {"rightside": inputs(A=tensor(128, 128), B=tensor(128, 128), rightside=True, lower=False)},
    ),
    backward=of_product(triangular_flops, "A", "B"),
    contents=lambda case: {"A": Matrices("lower" if case.flag("lower", True) else "upper")},
)
def triangular(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """A triangular matrix from the left or the right of another: multiplied, or solved for."""
    lead, order = draw(stacks(spec.elements))
    other = draw(extents(1, max(1, min(LARGEST, spec.elements // (order * math.prod(lead))))))
    lower, rightside = draw(st.booleans()), draw(st.booleans())
    return inputs(
        A=Draft((*lead, order, order)),
        B=Draft((*lead, other, order) if rightside else (*lead, order, other)),
        lower=lower,
        rightside=rightside,
        transpose=draw(st.booleans()),
        alpha=draw(factors()),
    )


EXTRACTED: Mapping[str, Shape] = {**SQUARES, "large": (1024, 1024), "skewed": (10_000, 4, 4)}
VECTORS: Mapping[str, Shape] = by_profile((16,), (256,), (1024,), (10_000, 4), batched=(16, 64))


@st.composite
def offsets(draw: st.DrawFn, spec: InputSpec, room: int) -> dict[str, Value]:
    """A diagonal at most `room` away from the main one, and a triangle, if the operator has that parameter."""
    chosen: dict[str, Value] = {"offset": draw(st.integers(-min(room, 4), min(room, 4)))}
    if spec.operator.parameter("lower"):
        chosen["lower"] = draw(st.booleans())
    return chosen


@linalg_rule("_linalg_extractdiag", "_linalg_extracttrian", canonical=at_shapes(EXTRACTED))
def extract(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """A diagonal of square matrices, or the triangle that it bounds."""
    lead, order = draw(stacks(spec.elements))
    return inputs(A=Draft((*lead, order, order)), **draw(offsets(spec, order - 1)))


@linalg_rule("_linalg_makediag", canonical=at_shapes(VECTORS))
def make_diagonal(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Vectors that become diagonals of square matrices, which stay within the budget."""
    lead, order = draw(stacks(spec.elements))
    length = draw(extents(1, order))
    return inputs(A=Draft((*lead, length)), **draw(offsets(spec, order - length)))


def triangle(order: int) -> int:
    """The number of elements in a triangle with its diagonal."""
    return order * (order + 1) // 2


@linalg_rule(
    "_linalg_maketrian",
    canonical=sized(lambda _spec, shape: inputs(A=Draft((*shape[:-1], triangle(shape[-1])))), VECTORS),
)
def make_triangle(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Vectors as long as a triangle has elements."""
    lead, order = draw(stacks(spec.elements))
    height = draw(extents(1, order))
    return inputs(A=Draft((*lead, triangle(height))), **draw(offsets(spec, order - height)))
