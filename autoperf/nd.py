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

from autoperf.api.design_groups import attribute_of_design
from autoperf.api.operator_benchmarks import operator_class


def __getattr__(name: str) -> Any:
    """The class of an operator, or the function of a group. Raises AttributeError for any other name."""
    return attribute_of_design(name, __name__, operator_class)
