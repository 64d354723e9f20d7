"""Products of matrices and tensors."""

from __future__ import annotations

from autoperf.implementations.implementation import line

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


def _transposed(left: bool, right: bool) -> str:
    return f"bool(transpose_a) == {left} and bool(transpose_b) == {right}"


LINES = (
    *(line("batch_dot", text, when=_transposed(*key)) for key, text in _BATCH.items()),
    *(
        line(
            "dot",
            text.replace("swapaxes(-1, -2)", "T"),
            when=f"{_transposed(*key)} and len(lhs.shape) == 2 and len(rhs.shape) == 2",
        )
        for key, text in _BATCH.items()
    ),
    *(line("dot", text, when=_transposed(*key)) for key, text in _DOT.items()),
    line("_npi_einsum", "xp.einsum(subscripts, *data)"),
    line("_npi_tensordot", "xp.tensordot(a, b, (a_axes_summed, b_axes_summed))"),
    line("_npi_tensordot_int_axes", "xp.tensordot(a, b, axes)"),
    line("khatri_rao", "khatri_rao(args)"),
)
