"""Layers of Gluon as classes, by the names of the design of MXNet's operator benchmarks.

    from autoperf.gluon import Conv2D

    convolution = Conv2D(inputs={"data": (32, 3, 256, 256), "channels": 64, "kernel_size": (3, 3)})
    convolution.run_benchmark()
    convolution.print_benchmark_results()

Any layer that autoperf measures has a class (docs/reference/layers.md), called imperatively.
`run_all_gluon_nn_convolution_operations_benchmarks()` and its like measure a group of them.
"""

from __future__ import annotations

from typing import Any

from autoperf.api.design_groups import attribute_of_design
from autoperf.api.operator_benchmarks import layer_class


def __getattr__(name: str) -> Any:
    """The class of a layer, or the function of a group. Raises AttributeError for any other name."""
    return attribute_of_design(name, __name__, layer_class)
