"""A finding says whether its slow and its fast input do equal work."""

from __future__ import annotations

import pytest

from autoperf.core.case import Case
from autoperf.core.operator import Value
from autoperf.hunt.findings import finding_sentence
from tests.finding_values import SOFTMAX, finding
from tests.values import case, inputs, tensor


def norm(*shape: int, operator: str = "BatchNorm", dtype: str = "float32", **params: Value) -> Case:
    return case(operator, inputs=inputs(data=tensor(*shape, dtype=dtype)), params=params)


@pytest.mark.parametrize(
    ("slow", "fast", "changed"),
    [
        (norm(8, 4, mode="a"), norm(8, 4, mode="b"), ("mode",)),
        (norm(8, 4, mode="a"), norm(8, 4), ("mode",)),
        (norm(8, 4, axis=0, mode="a"), norm(8, 4, axis=1, mode="a"), ()),
        (norm(8, 4, dtype="float16"), norm(8, 4), ()),
        (norm(8, 4, out_dtype="float16"), norm(8, 4, out_dtype="int8"), ()),
        (norm(8, 4, shape=(8, 4)), norm(4, 8, shape=(4, 8)), ()),
        (norm(8, 4, mode="a"), norm(8, 4, operator="_npx_batch_norm"), ()),
    ],
)
def test_another_value_of_a_parameter_may_be_other_work(slow: Case, fast: Case, changed: tuple[str, ...]) -> None:
    found = finding(slow, fast)
    assert found.changed_parameters == changed
    assert found.is_equal_work is not bool(changed)
    assert finding_sentence(found).endswith(" for equal work.") is found.is_equal_work


def test_an_input_that_goes_with_its_parameter_is_other_work() -> None:
    with_length = case("softmax", inputs=inputs(data=tensor(8), length=tensor(1)), params={"use_length": True})
    assert finding(with_length, case("softmax", inputs=inputs(data=tensor(8)))).changed_parameters == ("use_length",)
    assert SOFTMAX.is_equal_work
