"""Operators as classes, by the names of the design of MXNet's operator benchmarks.

    from autoperf.nd import Add

    add = Add(inputs={"dtype": "float64"})
    add.run_benchmark()
    add.print_benchmark_results()

`Add` is mx.nd.add: any function of mx.nd has a class, in its own spelling (`FullyConnected`) or with its words
capitalised (`BatchDot`); `IAdd` is `x += y`. `run_all_arithmetic_operations_benchmarks()` and its like measure a group
of the design. autoperf.gluon has the layers.
"""

from __future__ import annotations

from typing import Any

from autoperf.api.design_groups import group_function
from autoperf.api.operator_benchmarks import operator_class


def __getattr__(name: str) -> Any:
    """The class of an operator, or the function of a group. Raises AttributeError for any other name."""
    function = group_function(name)
    if function is not None:
        return function
    if not name[:1].isupper():
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return operator_class(name, __name__)
