"""Linear algebra on stacks of matrices, in both namespaces."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial

from hypothesis import strategies as st

from autoperf.core.case import Case
from autoperf.core.operator import Value
from autoperf.core.tensors import AnyContent, Constant, Literal_, Matrices, Shape, Uniform
from autoperf.rules import arithmetic
from autoperf.rules.arithmetic import OUTPUT, Derivative, Gradients, arrays, each_matrix, each_output, of_product
from autoperf.rules.rule import Draft, Inputs, InputSpec, inputs, rule, tensor
from autoperf.rules.table import (
    Row,
    SampleInputs,
    at_shapes,
    by_profile,
    first_of,
    of_one,
    of_size,
    sized,
    table,
    unpacked,
)
from autoperf.strategies import broadcast_pairs, extents, factorings, shapes

linalg_rule = partial(rule, category="linalg")

LARGEST = 256
DETERMINANT_IN_RANGE = 128  # eigenvalues in [1, 3] multiply to 1e36, just below what float32 holds
SQUARES: Mapping[str, Shape] = by_profile((16, 16), (64, 64), (256, 256), (1000, 4, 4), batched=(16, 32, 32))
POSITIVE_DEFINITE = Matrices("positive_definite")
SYMMETRIC = Matrices("symmetric")
DOMINANT = Matrices("dominant")
FACTORS = st.sampled_from((1.0, 1.0, 0.5, -2.0))
"""Multipliers: 1, for which some kernels have a branch, and others."""


@st.composite
def stacks(draw: st.DrawFn, elements: int, largest: int = LARGEST) -> tuple[Shape, int]:
    """The leading axes of a stack, and the order of its square matrices: few large ones or many small ones."""
    order = draw(extents(1, min(largest, math.isqrt(elements))))
    many = max(1, min(elements, 2**16) // order**2)
    rank = draw(st.integers(0, 2))
    return (draw(shapes(rank, rank, many)) if rank else ()), order


def squares(content: Matrices, largest: int = LARGEST) -> SampleInputs:
    """A stack of square matrices with one property, of at most `largest` rows each: few large or many small ones."""

    def build(spec: InputSpec, shape: Shape) -> Inputs:
        *lead, order, _ = shape
        # A larger square becomes a stack of smaller ones, with as many rows in all.
        return of_one(spec, shape if order <= largest else (*lead, order // largest, largest, largest))

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
    rows, rank = draw(extents(1, columns if wide else largest)), draw(st.integers(0, 2))
    lead = draw(shapes(rank, rank, max(1, min(elements, 2**16) // max(rows, columns) ** 2))) if rank else ()
    return (*lead, rows, columns)


OF_INVERSE = Derivative(arrays(OUTPUT), lambda case, _gradients: arithmetic.of_order(4)(case))
"""The derivative of B = A^-1: dA = -B^T dB B^T, two products (Giles, "Collected matrix derivative results for forward
and reverse mode algorithmic differentiation", 2008, 2.2.3)."""

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
    return inputs(A=Draft(draw(rectangles(spec.elements))), transpose=draw(st.booleans()), alpha=draw(FACTORS))


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
    return a, b, c, {"transpose_a": transpose_a, "transpose_b": transpose_b, "alpha": draw(FACTORS), "axis": axis}


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
    return inputs(A=Draft(a), B=Draft(b), C=Draft(c), beta=draw(FACTORS), **modes)


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


def triangular_flops(case: Case) -> float:
    """n operations for each element of B, n being the order of the triangle (LAWN 41, TRMM and TRSM)."""
    return float(case.elements("B") * case.shape("A")[-1])


@linalg_rule(
    *("_linalg_trmm", "_linalg_trsm"),
    flops=triangular_flops,
    canonical=sized(
        unpacked(lambda _spec, a, b: inputs(A=Draft(a), B=Draft(b))),
        {
            "small": ((16, 16), (16, 16)),
            "common": ((128, 128), (128, 128)),
            "large": ((256, 256), (256, 256)),
            "skewed": ((16, 16), (16, 10_000)),
            "batched": ((16, 32, 32), (16, 32, 32)),
        },
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
        alpha=draw(FACTORS),
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


ITERATIVE = 64  # eigenvalues and singular values cost tens of times a product of the same order


@st.composite
def _either_triangle(draw: st.DrawFn, elements: int) -> tuple[Shape, dict[str, str]]:
    lead, order = draw(stacks(elements, ITERATIVE))
    return (*lead, order, order), {"UPLO": draw(st.sampled_from(("L", "U")))}


EITHER_TRIANGLE = of_size(
    unpacked(lambda _spec, shape, triangle: inputs(A=Draft(shape), **triangle)),
    by_profile(((16, 16), {}), ((64, 64), {}), ((128, 128), {}), ((1000, 4, 4), {}), upper=((64, 64), {"UPLO": "U"})),
    lambda spec: _either_triangle(spec.elements),
)
hermitian_row = partial(Row, contents=first_of(SYMMETRIC))

RECTANGLES: Mapping[str, Shape] = by_profile((8, 16), (32, 64), (64, 128), (500, 4, 4), wide=(8, 1024))


def modest(elements: int) -> st.SearchStrategy[Shape]:
    """A stack of matrices with no more rows than columns, small enough for iterative algorithms."""
    return rectangles(min(elements, ITERATIVE**2), wide=True)


def tall(shape: Shape) -> Shape:
    """The shape of the transposed matrices."""
    return (*shape[:-2], shape[-1], shape[-2])


CUTOFF = Constant(1e-6)


def _with_cutoffs(spec: InputSpec, shape: Shape, **params: Value) -> Inputs:
    """A cutoff for each matrix, in the dtype of the matrices, or in float32 for whole numbers."""
    cutoffs = Draft(shape[:-2], None if "float" in spec.dtype else "float32")
    return inputs(A=Draft(shape), rcond=cutoffs, **params)


@linalg_rule(
    "_npi_pinv",
    flops=each_matrix(arithmetic.pseudo_inverse),
    canonical=sized(partial(_with_cutoffs, hermitian=False), RECTANGLES),
    contents={"rcond": CUTOFF},
)
def pinv(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """A cutoff for each matrix of the stack, in its leading axes."""
    return _with_cutoffs(spec, draw(either_way(spec.elements)))


@linalg_rule(
    "_npi_pinv_scalar_rcond", flops=each_matrix(arithmetic.pseudo_inverse), canonical=at_shapes(RECTANGLES, rcond=1e-6)
)
def pinv_scalar(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """One cutoff for all matrices of the stack."""
    return inputs(A=Draft(draw(either_way(spec.elements))), rcond=draw(st.sampled_from((1e-6, 1e-3, 0.1))))


@st.composite
def either_way(draw: st.DrawFn, elements: int) -> Shape:
    """A stack of modest matrices, wide or tall."""
    shape = draw(modest(elements))
    return tall(shape) if draw(st.booleans()) else shape


def system(unknowns: int, columns: int, lead: Shape = ()) -> Inputs:
    """Stacked linear equations with several right-hand sides."""
    return inputs(A=Draft((*lead, unknowns, unknowns)), B=Draft((*lead, unknowns, columns)))


def solve_flops(case: Case) -> float:
    """2 n^3 / 3 and 2 n^2 for each right-hand side, of each matrix of the stack."""
    *lead, order, _ = case.shape("A")
    return math.prod(lead) * arithmetic.lu(order, order) + 2.0 * order * case.elements("B")


@linalg_rule(
    "_npi_solve",
    flops=solve_flops,
    canonical={
        "small": system(16, 1),
        "common": system(64, 64),
        "large": system(256, 256),
        "skewed": system(4, 1, lead=(1000,)),
        "one": system(256, 1),
        "many": system(16, 10_000),
    },
    contents={"A": DOMINANT},
)
def solve(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Matrices that are never singular, and right-hand sides with the same leading axes.

    A right-hand side is a matrix, even of one column: the gradient for a vector fails ("Non compatible matrix
    dimensions between inputs A and C").
    """
    lead, order = draw(stacks(spec.elements))
    return system(order, draw(extents(1, max(1, min(256, spec.elements // (order * math.prod(lead)))))), lead)


@linalg_rule(
    "_npi_polyval",
    # A multiplication and an addition for each coefficient and point (Horner).
    flops=lambda case: 2.0 * case.elements("p") * case.elements("x"),
    canonical={
        "small": inputs(p=tensor(4), x=tensor(1024)),
        "common": inputs(p=tensor(8), x=tensor(256, 256)),
        "large": inputs(p=tensor(8), x=tensor(1024, 1024)),
        "skewed": inputs(p=tensor(1000), x=tensor(10)),
    },
)
def polyval(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """A vector of coefficients, and points of any shape within the unit interval, so that powers stay small."""
    degree = draw(extents(1, min(64, spec.elements)))
    return inputs(p=Draft((degree,)), x=Draft(draw(shapes(1, 3, max(1, spec.elements // degree)))))


EPSILON = 2.0**-23  # the distance from 1 to the next float32


def _least_squares(rows: int, columns: int, sides: int | None = None, cutoff: float | None = None) -> Inputs:
    """Equations for a vector, or for several; singular values below the cutoff (None: below rounding) are dropped."""
    right = Draft((rows,) if sides is None else (rows, sides))
    if cutoff is None:
        return inputs(A=Draft((rows, columns)), B=right, finfoEps32=EPSILON, finfoEps64=2.0**-52, new_default=True)
    return inputs(A=Draft((rows, columns)), B=right, rcond=cutoff)


def lstsq_flops(case: Case) -> float:
    """The operations of the singular values, and 2 n (m + n) with m >= n for each right-hand side and both factors."""
    rows, columns = case.shape("A")
    sides = case.elements("B") // max(1, rows)
    return arithmetic.singular_values(rows, columns) + 2.0 * sides * min(rows, columns) * (rows + columns)


@linalg_rule(
    "_npi_lstsq",
    flops=lstsq_flops,
    canonical={
        "small": _least_squares(16, 8),
        "common": _least_squares(64, 32, 4),
        "large": _least_squares(128, 64, 16),
        "skewed": _least_squares(4096, 4),
        "wide": _least_squares(8, 1024),
    },
)
def lstsq(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """A matrix, more rows than columns or fewer, and one or several right-hand sides."""
    rows, columns = draw(shapes(2, 2, min(spec.elements, ITERATIVE**2)))
    sides = draw(st.one_of(st.none(), extents(1, 16)))
    return _least_squares(rows, columns, sides, draw(st.sampled_from((None, -1.0, 1e-3))))


@linalg_rule(
    "_npi_matrix_rank_none_tol",
    flops=each_matrix(arithmetic.singular_values),
    canonical=at_shapes(RECTANGLES, finfoEps32=EPSILON),
)
def matrix_rank(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """A stack of matrices ("not support param.hermitian = true"); the front end passes the rounding of each dtype."""
    return inputs(M=Draft(draw(either_way(spec.elements))), finfoEps32=EPSILON, finfoEps64=2.0**-52)


@linalg_rule(
    "_npi_matrix_rank",
    flops=each_matrix(arithmetic.singular_values),
    canonical=sized(lambda _spec, shape: inputs(M=Draft(shape), tol=Draft(shape[:-2] or (1,))), RECTANGLES),
    contents={"tol": CUTOFF},
)
def matrix_rank_by_tolerance(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """As above, with a tolerance for each matrix of the stack, or one for all."""
    shape = draw(either_way(spec.elements))
    lead = draw(st.sampled_from((shape[:-2] or (1,), (1,))))
    return inputs(M=Draft(shape), tol=Draft(lead))


@linalg_rule(
    "_npi_cross",
    flops=lambda case: 3.0 * case.outputs[0].elements,  # two products and a difference for each element of the result
    canonical={
        "small": inputs(a=tensor(256, 3), b=tensor(256, 3)),
        "common": inputs(a=tensor(16_384, 3), b=tensor(16_384, 3)),
        "large": inputs(a=tensor(262_144, 3), b=tensor(262_144, 3)),
        "skewed": inputs(a=tensor(3, 10_000), b=tensor(3, 1), axisa=0, axisb=0, axisc=0),
        "plane": inputs(a=tensor(16_384, 2), b=tensor(16_384, 2)),
    },
)
def cross(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Vectors of two or three components along any axis of each tensor; the other axes broadcast."""
    left, right = draw(broadcast_pairs(3, max(1, spec.elements // 3)))
    places = [draw(st.integers(0, len(left))) for _ in range(3)]
    a, b = (
        Draft((*shape[:place], draw(st.sampled_from((2, 3, 3))), *shape[place:]))
        for shape, place in zip((left, right), places, strict=False)
    )
    return inputs(a=a, b=b, axisa=places[0], axisb=places[1], axisc=places[2])


NUMPY_RULES = table(
    __name__,
    "linalg",
    cholesky=Row(
        ("_npi_cholesky",), squares(POSITIVE_DEFINITE), "Positive definite matrices.", flops=arithmetic.CHOLESKY
    ),
    general_eigenvectors=Row(
        ("_npi_eig",),
        squares(SYMMETRIC, ITERATIVE),
        "Symmetric matrices, whose eigenvalues are real.",
        flops=arithmetic.GENERAL_EIGENVECTORS,
    ),
    general_eigenvalues=Row(
        ("_npi_eigvals",),
        squares(SYMMETRIC, ITERATIVE),
        "Symmetric matrices, whose eigenvalues are real.",
        flops=arithmetic.GENERAL_EIGENVALUES,
    ),
    hermitian=hermitian_row(
        ("_npi_eigh",),
        EITHER_TRIANGLE,
        "Symmetric matrices, read from either triangle.",
        flops=arithmetic.SYMMETRIC_EIGENVECTORS,
    ),
    hermitian_values=hermitian_row(
        ("_npi_eigvalsh",),
        EITHER_TRIANGLE,
        "Symmetric matrices, read from either triangle.",
        flops=arithmetic.SYMMETRIC_EIGENVALUES,
    ),
    svd=Row(
        ("_npi_svd",),
        of_size(of_one, RECTANGLES, lambda spec: modest(spec.elements)),
        "A stack of matrices with no more rows than columns, as this kernel requires.",
        flops=each_matrix(arithmetic.singular_vectors),
    ),
    qr=Row(
        ("_npi_qr",),
        of_size(lambda _spec, shape: inputs(A=Draft(tall(shape))), RECTANGLES, lambda spec: modest(spec.elements)),
        'A stack of matrices with no fewer rows than columns; far wider ones fail ("Size of work is too small").',
        flops=each_matrix(arithmetic.orthogonal),
    ),
)


def mapping(case: Case) -> Mapping[str, AnyContent]:
    """A linear map between tensors that are equally large.

    A map of vectors is diagonally dominant. Other maps have random contents, which are never singular in practice;
    small whole numbers may be, so in integer dtypes the map is twice the identity.
    """
    a = case.tensor("a")
    if len(a.shape) == 2:
        return {"a": DOMINANT}
    order = math.isqrt(a.type.elements)
    return {"a": Uniform(-1.0, 1.0) if "float" in a.dtype else Literal_((2, *[0] * order))}


MAPPED: dict[str, Shape] = {"small": (4, 4), "common": (8, 8), "large": (16, 16), "skewed": (64, 1), "vectors": (256,)}


@linalg_rule(
    "_npi_tensorsolve",
    flops=lambda case: arithmetic.solution(case.elements("b"), 1),  # one system with an unknown for each element
    canonical=sized(lambda _spec, shape: inputs(a=Draft(shape + shape), b=Draft(shape)), MAPPED),
    contents=mapping,
)
def tensorsolve(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """A map of tensors of one shape onto themselves, and the result; `a_axes` names the unknown's axes in front."""
    shape = draw(mapped(spec.elements))
    a_axes = tuple(range(len(shape))) if draw(st.booleans()) else ()
    return inputs(a=Draft(shape + shape), b=Draft(shape), **({"a_axes": a_axes} if a_axes else {}))


@st.composite
def mapped(draw: st.DrawFn, elements: int) -> Shape:
    """A shape of one to three axes, the square of whose elements is within the budget."""
    return draw(factorings(draw(extents(1, min(128, math.isqrt(elements)))), draw(st.integers(1, 3))))


@linalg_rule(
    "_npi_tensorinv",
    # The inverse of one matrix, whose rows are the first `ind` axes.
    flops=lambda case: 2.0 * math.prod(case.shape("a")[: case.number("ind", 2)]) ** 3,
    canonical=sized(lambda _spec, shape: inputs(a=Draft(shape + shape), ind=len(shape)), MAPPED),
    contents=mapping,
)
def tensorinv(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """The first `ind` axes have the same product as the others, in the same groups or in others."""
    front = draw(mapped(spec.elements))
    back = draw(factorings(math.prod(front), draw(st.integers(1, 3))))
    return inputs(a=Draft(front + back), ind=len(front))
