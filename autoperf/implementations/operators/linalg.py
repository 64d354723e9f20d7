"""Products of matrices and tensors, factorizations, solvers and matrix functions."""

from __future__ import annotations

from itertools import product
from typing import Any

from autoperf.implementations.implementation import TableLine, line

_OF_VECTORS: dict[str, Any] = {
    "compared": "np.abs(result)",
    "undifferentiated": "torch jax",
    "precision": "float16",
    "note": "vectors are compared without their signs, and in half precision, since close values mix them",
}
_FLAGS = (False, True)
_TRIANGLE = {True: "tril", False: "triu"}


def _transposed(text: str, flag: bool) -> str:
    return f"xp.swapaxes({text}, -1, -2)" if flag else text


def _products(name: str, extra: str) -> list[TableLine]:
    """The product of two matrices, each transposed or not."""
    return [
        line(
            name,
            f"alpha * ({_transposed('A', left)} @ {_transposed('B', right)}){extra}",
            when=f"transpose_a == {left} and transpose_b == {right} and axis == -2",
        )
        for left, right in product(_FLAGS, repeat=2)
    ]


def _triangular(transpose: bool, rightside: bool, lower: bool) -> list[TableLine]:
    """The product with a triangular matrix, and the solution for one, on either side."""
    condition = f"transpose == {transpose} and rightside == {rightside} and lower == {lower}"
    matrix = _transposed(f"xp.{_TRIANGLE[lower]}(A)", transpose)
    both = f"B @ {matrix}" if rightside else f"{matrix} @ B"
    upper, given = transpose == lower, _transposed("A", transpose)
    return [
        line("_linalg_trmm", f"alpha * ({both})", when=condition),
        line(
            "_linalg_trsm",
            torch=f"torch.linalg.solve_triangular({given}, alpha * B, upper={upper}, left={not rightside})",
            jax=f"lax.linalg.triangular_solve(A, alpha * B, left_side={not rightside}, lower={lower}, "
            f"transpose_a={transpose})",
            when=condition,
        ),
        line(
            "_linalg_trsm",
            numpy=f"alpha * np.swapaxes(np.linalg.solve({_transposed(matrix, True)}, np.swapaxes(B, -1, -2)), -1, -2)"
            if rightside
            else f"alpha * np.linalg.solve({matrix}, B)",
            when=condition,
        ),
    ]


_BATCH = {
    (False, False): "lhs @ rhs",
    (True, False): "lhs.swapaxes(-1, -2) @ rhs",
    (False, True): "lhs @ rhs.swapaxes(-1, -2)",
    (True, True): "lhs.swapaxes(-1, -2) @ rhs.swapaxes(-1, -2)",
}
_DOT = {
    (False, False): "xp.tensordot(lhs, rhs, 1)",
    (True, False): "xp.tensordot(lhs, rhs, ([0], [0]))",
    (False, True): "xp.tensordot(lhs, rhs, ([-1], [-1]))",
    (True, True): "xp.tensordot(lhs, rhs, ([0], [-1]))",
}


def _transposes(left: bool, right: bool) -> str:
    return f"bool(transpose_a) == {left} and bool(transpose_b) == {right}"


LINES = (
    line("_linalg_det", "xp.linalg.det(A)"),
    line("_linalg_slogdet", "xp.linalg.slogdet(A)"),
    line("_linalg_extractdiag", torch="torch.diagonal(A, offset, -2, -1)", both="np.diagonal(A, offset, -2, -1)"),
    line("_linalg_makediag", torch="torch.diag_embed(A, offset)", both="diag_embed(A, offset)"),
    line(
        "_linalg_extracttrian",
        "A[..., rows, columns]",
        prepare={
            "rows": "triangle(A.shape[-1], offset, lower)[0]",
            "columns": "triangle(A.shape[-1], offset, lower)[1]",
        },
    ),
    line("_linalg_maketrian", "from_triangle(A, offset, lower)"),
    line("_linalg_gelqf", "lq(xp, A)", compared="np.abs(result)", undifferentiated="torch jax"),
    *_products("_linalg_gemm", " + beta * C"),
    *_products("_linalg_gemm2", ""),
    line("_linalg_syrk", "alpha * (xp.swapaxes(A, -1, -2) @ A)", when="transpose"),
    line("_linalg_syrk", "alpha * (A @ xp.swapaxes(A, -1, -2))", when="not transpose"),
    *(entry for flags in product(_FLAGS, repeat=3) for entry in _triangular(*flags)),
    line(
        "_linalg_potri",
        torch="torch.cholesky_inverse(A)",
        both="np.linalg.inv(A @ np.swapaxes(A, -1, -2))",
        undifferentiated="torch jax",
    ),
    line("_linalg_sumlogdiag", "xp.log(xp.diagonal(A, 0, -2, -1)).sum(-1)"),
    line("_npi_polyval", torch="polyval(p, x)"),
    line("_npi_tensorsolve", "xp.linalg.tensorsolve(a, b)", when="not a_axes"),
    line(
        "_npi_tensorsolve", torch="torch.linalg.tensorsolve(a, b, a_axes)", both="np.linalg.tensorsolve(a, b, a_axes)"
    ),
    line(
        "_npi_pinv_scalar_rcond",
        torch="torch.linalg.pinv(A, rcond, hermitian=hermitian)",
        both="np.linalg.pinv(A, rcond, hermitian)",
    ),
    line("_npi_pinv", both="np.linalg.pinv(A, rcond, hermitian)"),
    line("_npi_eigvals", "xp.linalg.eigvals(A).real", compared="np.sort(result, -1)"),
    line("_npi_svd", torch="torch.linalg.svd(A, False)", both="np.linalg.svd(A, False)", **_OF_VECTORS),
    line("_npi_eigh", "xp.linalg.eigh(A, UPLO)", **_OF_VECTORS),
    line("_linalg_syevd", "transposed_first(xp, *xp.linalg.eigh(A, 'L'))", **_OF_VECTORS),
    *(line("batch_dot", text, when=_transposes(*key)) for key, text in _BATCH.items()),
    *(
        line(
            "dot",
            text.replace("swapaxes(-1, -2)", "T"),
            when=f"{_transposes(*key)} and len(lhs.shape) == 2 and len(rhs.shape) == 2",
        )
        for key, text in _BATCH.items()
    ),
    *(line("dot", text, when=_transposes(*key)) for key, text in _DOT.items()),
    line("_npi_einsum", "xp.einsum(subscripts, *data)"),
    line("_npi_tensordot", "xp.tensordot(a, b, (a_axes_summed, b_axes_summed))"),
    line("_npi_tensordot_int_axes", "xp.tensordot(a, b, axes)"),
    line("khatri_rao", "khatri_rao(args)"),
)
