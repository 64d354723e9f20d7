"""Findings of earlier hunts are held against today's counts of work."""

from __future__ import annotations

import msgspec
import pytest

from autoperf.core.case import Case
from autoperf.core.finding import Finding
from autoperf.core.operator import Value
from autoperf.core.tensors import ArrayType, Integers
from autoperf.rules.catalog import catalog
from tests.finding_values import finding
from tests.values import case, inputs, tensor
from tools.recounted_findings import is_outdated

RULES = catalog().named


def call(operator: str, *shape: int, outputs: bool = True, **params: Value) -> Case:
    """A call of one tensor, and an output like it."""
    made = (ArrayType(shape, "float32"),) if outputs else ()
    return case(operator, inputs=inputs(data=tensor(*shape)), params=params, outputs=made)


def found(slow: Case, fast: Case, ratio: float = 4.0, step: str = "a step") -> Finding:
    """A finding of so large a ratio of times, for work that was counted as equal."""
    times = {"actual_us": 100.0 * ratio, "contrast_us": 100.0, "expected_us": 100.0}
    return msgspec.structs.replace(finding(slow, fast, ratio), step=step, **times)


@pytest.mark.parametrize("outputs", [True, False])
def test_a_contrast_that_has_nothing_to_do_is_outdated(outputs: bool) -> None:
    slow, fast = call("_shuffle", 8192, 1, outputs=outputs), call("_shuffle", 1, 8192, outputs=outputs)
    assert is_outdated(found(slow, fast), RULES, 2.0)
    assert not is_outdated(found(fast, slow), RULES, 2.0)
    assert not is_outdated(msgspec.structs.replace(found(slow, fast), sides=("a", "b")), RULES, 2.0)


@pytest.mark.parametrize("sides", [(), ("a", "b")])
def test_tensors_that_do_not_fit_are_no_finding(sides: tuple[str, ...]) -> None:
    fitting, unfit = (
        case("Correlation", inputs=inputs(data1=tensor(1, 3, 8, 8), data2=tensor(1, channels, 8, 8)))
        for channels in (3, 4)
    )
    assert is_outdated(msgspec.structs.replace(found(unfit, unfit), sides=sides), RULES, 2.0)
    assert not is_outdated(msgspec.structs.replace(found(fitting, fitting), sides=sides), RULES, 2.0)


def test_less_work_may_leave_a_ratio() -> None:
    slow, fast = call("LRN", 1, 4, 8, 8, nsize=3), call("LRN", 1, 1, 16, 16, nsize=3)
    assert is_outdated(found(slow, fast, 2.0), RULES, 2.0)
    assert not is_outdated(found(slow, fast, 9.0), RULES, 2.0)


def test_shorter_sequences_are_less_work() -> None:
    slow, fast = (
        case(
            "SequenceMask",
            inputs=inputs(data=tensor(*shape), sequence_length=tensor(100, content=Integers(1, 129))),
            params={"use_sequence_length": True},
            outputs=(ArrayType(shape, "float32"),),
        )
        for shape in ((128, 100, 8), (1024, 100, 1))
    )
    assert is_outdated(found(slow, fast), RULES, 2.0)


def test_a_transposition_is_not_compared_with_a_copy() -> None:
    slow, fast = call("transpose", 64, 32, axes=(1, 0)), call("transpose", 32, 64, axes=(0, 1))
    assert is_outdated(found(slow, fast), RULES, 2.0)
    slow, fast = call("transpose", 64, 32, 8, axes=(0, 2, 1)), call("transpose", 32, 64, 8, axes=(1, 2, 0))
    assert not is_outdated(found(slow, fast), RULES, 2.0)
