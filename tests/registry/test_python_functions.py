"""Which functions of MXNet's Python package may call an operator."""

from __future__ import annotations

import pytest

from autoperf.registry.names import python_functions, takes_numpy_arrays
from autoperf.rules.front_end import FRONT_END


@pytest.mark.parametrize(
    ("operator", "first"),
    [
        ("softmax", "nd.softmax"),
        ("broadcast_add", "nd.broadcast_add"),
        ("_plus_scalar", "nd.add"),
        ("_npi_add", "np.add"),
        ("_random_normal", "nd.random.normal"),
        ("_contrib_ROIAlign", "nd.contrib.ROIAlign"),
        ("_linalg_gemm", "nd.linalg.gemm"),
        ("_npx_relu", "npx.relu"),
        ("_copyto", "nd._internal._copyto"),
    ],
)
def test_the_likeliest_function_comes_first(operator: str, first: str) -> None:
    assert python_functions(operator, FRONT_END, "1.9.1")[0] == first


def test_a_function_of_another_operator_is_left_out() -> None:
    # In 2.0 np.reshape calls _npx_reshape.
    assert "np.reshape" in python_functions("_np_reshape", FRONT_END, "1.9.1")
    assert "np.reshape" not in python_functions("_np_reshape", FRONT_END, "2.0.0b1")


def test_functions_that_are_written_in_python_are_known_by_their_operators() -> None:
    assert "np.add" in python_functions("_npi_add_scalar", FRONT_END, "1.9.1")


def test_functions_of_symbols_are_left_out() -> None:
    assert not any(path.startswith("sym") for path in python_functions("_maximum", FRONT_END, "1.9.1"))


def test_the_internal_function_comes_last() -> None:
    assert python_functions("_npi_add", FRONT_END, "1.9.1")[-1] == "nd.numpy._internal.add"


@pytest.mark.parametrize(
    ("path", "expected"),
    [("np.add", True), ("npx.relu", True), ("nd.numpy._internal.add", True), ("nd.np.add", True), ("nd.add", False)],
)
def test_arrays_by_namespace(path: str, expected: bool) -> None:
    assert takes_numpy_arrays(path) is expected
