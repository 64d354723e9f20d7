"""tools/caller_costs.py groups the cases of a run by the kind of their Python function."""

from __future__ import annotations

from types import ModuleType

import pytest

from tests.scripts import load_script


@pytest.fixture(scope="module")
def script() -> ModuleType:
    return load_script("tools", "caller_costs.py")


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        ("mx.nd.softmax", "mx.nd generated"),
        ("mx.nd.add", "mx.nd written in Python"),
        ("mx.np.add", "mx.np written in Python"),
        ("mx.npx.relu", "mx.np generated"),
        ("mx.nd._internal._copyto", "mx.nd internal wrapper"),
        ("mx.nd.numpy._internal.add", "mx.np internal wrapper"),
        ("", "none"),
    ],
)
def test_functions_have_kinds(script: ModuleType, function: str, expected: str) -> None:
    assert script.kind(function, "1.9.1") == expected


def test_each_kind_has_a_row(script: ModuleType) -> None:
    common = {"status": "measured", "category": "unary", "forward_wall_median_us": 20.0}
    called = [
        {
            **common,
            "python_function": "mx.nd.exp",
            "forward_python_median_us": 20.0 + cost,
            "forward_front_end_us": cost,
            "forward_front_end_low_us": cost - 9.0,
            "forward_front_end_high_us": cost + 9.0,
        }
        for cost in (8.0, 10.0, 12.0)
    ]
    none = {**common, "python_function": None}
    first, second = script.rows_of([*called, none], "1.9.1")
    assert first[:6] == ["1.9.1", "mx.nd generated", "3", "20.0 us", "30.0 us", "10.0 us"]
    assert first[7:] == ["1", ""]
    assert second == ["1.9.1", "none", "1", "", "", "", "", "", ""]
