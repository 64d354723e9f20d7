"""The number that a function of MXNet's Python package is given for an operator's scalar."""

from __future__ import annotations

import pytest

from autoperf.backends.mxnet.python_call import scalar_of
from autoperf.core.operator import Value


@pytest.mark.parametrize(
    ("params", "number"),
    [({"scalar": 7.0, "is_int": True}, 7), ({"scalar": 7.0, "is_int": False}, 7.0), ({"scalar": 2.5}, 2.5)],
)
def test_a_whole_number_is_written_as_one(params: dict[str, Value], number: Value) -> None:
    written = scalar_of(params)
    assert (written, type(written)) == (number, type(number))
