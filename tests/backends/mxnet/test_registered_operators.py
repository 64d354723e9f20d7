"""Why operators that are registered by MXNet's package fail: messages of the engine, explained."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from autoperf.backends.mxnet.capi.front_end import RegisteredOperators

FAILED = (
    "MXNetError: Check failed: reinterpret_cast<CustomOpFBFunc>( params.info->callbacks[kCustomOpForward])(\n"
    'Stack trace:\n  File "../src/operator/custom/custom.cc", line 345\n'
)
ABSENT = (
    "MXNetError: Check failed: CustomOperator: :Get()->Find(params.op_type) != nullptr: Cannot find custom operator "
    'cliped\nStack trace:\n  File "../src/operator/custom/custom.cc", line 98\n'
)


class Properties:
    def __init__(self, high: str) -> None:
        self.high = float(high)


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> tuple[RegisteredOperators, Any]:
    """Registered operators, and a package whose `made` has what it would call by name."""
    made = dict[str, Callable[..., Any]]()
    monkeypatch.setattr(sys, "unraisablehook", lambda _event: None)
    module = SimpleNamespace(__name__="mxnet.operator", register=lambda name: lambda make: made.update({name: make}))
    operators = RegisteredOperators()
    operators.watch(SimpleNamespace(operator=module))
    module.made = made
    assert module.register("clipped")(Properties) is Properties
    return operators, module


def _print_error(module: Any) -> None:
    """As MXNet's package does it."""
    try:
        raise ValueError("two\nlines")
    except ValueError:
        module.print(f"Error in CustomOp.forward: {traceback.format_exc()}")


def test_an_exception_that_the_package_prints_is_the_cause(watched: tuple[RegisteredOperators, Any]) -> None:
    operators, module = watched
    assert operators.explained(FAILED).startswith("Check failed: ")
    _print_error(module)
    line = _print_error.__code__.co_firstlineno + 3
    assert operators.explained(FAILED) == f"CustomOp.forward: ValueError: two lines ({__file__}, line {line})"
    assert operators.explained("MXNetError: Check failed: a == b") == "Check failed: a == b"


def test_one_that_python_itself_prints_too(watched: tuple[RegisteredOperators, Any]) -> None:
    operators, module = watched
    event = SimpleNamespace(object=SimpleNamespace(__module__="other"), exc_value=SystemExit(1))
    sys.unraisablehook(event)
    assert "SystemExit" not in operators.explained(FAILED)
    sys.unraisablehook(SimpleNamespace(object=SimpleNamespace(__module__=module.__name__), exc_value=SystemExit(3)))
    assert operators.explained(FAILED) == "SystemExit: 3"


def test_properties_that_cannot_be_made_fail_when_they_are_used(watched: tuple[RegisteredOperators, Any]) -> None:
    """MXNet would crash."""
    operators, module = watched
    assert module.made["clipped"](high="2").high == 2.0
    refused = module.made["clipped"](high="abc")
    assert operators.explained(FAILED).startswith("clipped: ValueError: could not convert string to float: 'abc' (")
    with pytest.raises(ValueError, match="'abc'"):
        refused.list_arguments()
    try:
        refused.infer_shape([])
    except ValueError:
        module.print(f"Error in clipped.infer_shape: {traceback.format_exc()}")
    assert operators.explained(FAILED).startswith("clipped: ")


def test_an_unknown_name_is_told_with_those_that_are_known(watched: tuple[RegisteredOperators, Any]) -> None:
    operators, _ = watched
    assert operators.explained(ABSENT) == "unknown op_type 'cliped'; did you mean clipped?"
    assert operators.explained(ABSENT.replace("cliped", "other")) == "unknown op_type 'other'; known are clipped"
    assert RegisteredOperators().explained(ABSENT) == (
        "unknown op_type 'cliped'; name the file that registers it by --extension"
    )
