"""What the contract of all rules can't say of products."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autoperf.core.operator import Operator, Role
from autoperf.rules.operators import gemm, tensor_products
from autoperf.rules.rule import Draft, Inputs, InputSpec

BUDGET = 4096


def drawn(name: str) -> InputSpec:
    return InputSpec(Operator(name, Role.FORWARD, "np"), elements=BUDGET)


def zeros(call: Inputs) -> list[np.ndarray]:
    flat: list[Draft] = []
    for draft in call.tensors.values():
        flat.extend([draft] if isinstance(draft, Draft) else draft)
    return [np.zeros(draft.shape, dtype="float32") for draft in flat]


@given(st.data())
def test_einsum_agrees_with_numpy_and_its_loops_are_bounded(data: st.DataObject) -> None:
    call = data.draw(tensor_products.einsum.strategy(drawn("_npi_einsum")))
    subscripts = str(call.params["subscripts"])
    operands = zeros(call)
    np.einsum(subscripts, *operands)
    terms = subscripts.split("->", maxsplit=1)[0].replace("...", ".").split(",")
    extent = {
        label: size
        for term, operand in zip(terms, operands, strict=True)
        for label, size in zip(term, operand.shape, strict=True)
    }
    assert math.prod(extent.values()) <= BUDGET * 4


@given(st.data())
def test_tensordot_sums_axes_of_equal_length(data: st.DataObject) -> None:
    call = data.draw(tensor_products.tensordot.strategy(drawn("_npi_tensordot")))
    a, b = zeros(call)
    axes = call.params["a_axes_summed"], call.params["b_axes_summed"]
    assert axes[0], "summing no axis aborts MXNet"
    assert np.tensordot(a, b, axes).size <= BUDGET  # type: ignore[arg-type]


@pytest.mark.parametrize(("rule", "product"), [(gemm.matmul, np.matmul), (gemm.numpy_dot, np.dot)])
def test_products_agree_with_numpy(rule, product) -> None:
    @given(st.data())
    def agrees(data: st.DataObject) -> None:
        left, right = zeros(data.draw(rule.strategy(drawn("product"))))
        assert product(left, right).size <= BUDGET

    agrees()
