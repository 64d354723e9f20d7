"""Operators as classes, by the names of the design of MXNet's operator benchmarks.

    from autoperf.nd import Add

    add = Add(inputs={"dtype": "float64"})
    add.run_benchmark()
    add.print_benchmark_results()

`Add` is mx.nd.add: any function of mx.nd has a class, in its own spelling (`FullyConnected`) or with its words
capitalised (`BatchDot`). `run_all_arithmetic_operations_benchmarks()` and its like measure a group of the design.
"""

from __future__ import annotations

import re
from typing import Any

from autoperf.api.operator_benchmarks import OperatorBenchmark, group_driver

_DRIVER = re.compile(r"run_all_([a-z0-9_]+)_operations_benchmarks")


def __getattr__(name: str) -> Any:
    """The class of an operator, or the function of a group. Raises AttributeError for any other name."""
    driver = _DRIVER.fullmatch(name)
    if driver:
        return group_driver(driver[1])
    if not name[:1].isupper():
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return type(name, (OperatorBenchmark,), {"__module__": __name__, "__doc__": f"Measures mx.nd's {name}."})
