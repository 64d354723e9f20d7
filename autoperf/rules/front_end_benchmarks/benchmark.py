"""A front-end benchmark: a call of MXNet's Python package, its inputs and preparation; all benchmarks by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, TypeAlias

from hypothesis import strategies as st

from autoperf.core.errors import RuleError
from autoperf.core.operator import FRONT_END_NAMESPACE, Operator, Role, TensorArgument, TensorKind
from autoperf.core.tensors import Shape
from autoperf.rules import front_end_benchmarks
from autoperf.rules.rule import Draft, Inputs, InputSpec, Rule, modules_of, top_level
from autoperf.rules.table import ELEMENTWISE_SHAPES, drawn_size

Prepare: TypeAlias = Callable[..., Callable[[], object]]
MakeTensors: TypeAlias = Callable[[Shape], Mapping[str, Draft]]


def one(shape: Shape) -> Mapping[str, Draft]:
    """An array `x`."""
    return {"x": Draft(shape)}


def two(shape: Shape) -> Mapping[str, Draft]:
    """Two arrays of one shape, `x` and `y`."""
    return {"x": Draft(shape), "y": Draft(shape)}


@dataclass(frozen=True)
class Benchmark:
    """One call of the front end.

    `call` is the source that a user writes. `tensors` has the arrays of a size, by name. `prepare` gets the package
    `mxnet` and these arrays (`mx.nd.NDArray`), and returns the timed function, whose result is freed after each call.
    """

    name: str
    call: str
    prepare: Prepare
    tensors: MakeTensors = one
    shapes: Mapping[str, Shape] = field(default_factory=lambda: ELEMENTWISE_SHAPES)

    @property
    def operator(self) -> Operator:
        """The operator that stands for the benchmark in selections, measurements and reports."""
        names = self.tensors(next(iter(self.shapes.values())))
        tensors = tuple(TensorArgument(name, TensorKind.SINGLE) for name in names)
        return Operator(self.name, Role.FORWARD, FRONT_END_NAMESPACE, description=self.call, tensors=tensors)

    def rule(self) -> Rule:
        """The rule that makes its inputs."""
        module = self.prepare.__module__.removeprefix("autoperf.").replace(".", "/")
        calls = {profile: self._inputs(shape) for profile, shape in self.shapes.items()}
        source = f"{module}.py:{self.name}"
        return Rule((self.name,), FRONT_END_NAMESPACE, lambda _spec: calls, self._draw, source, inferable=False)

    def _draw(self, draw: st.DrawFn, spec: InputSpec) -> Inputs:
        """Each extent between the smallest and the largest canonical one, within the limit of elements."""
        return self._inputs(drawn_size(draw, self.shapes.values(), spec.elements))

    def _inputs(self, shape: Shape) -> Inputs:
        return Inputs(self.tensors(shape), way="front_end")


def is_before_numpy(mx: Any) -> bool:
    """From 2.0 on, loaders, image functions and metrics take arrays of `mx.np`, and optimizers lists."""
    return int(mx.__version__.partition(".")[0]) < 2


def of_release(mx: Any, array: Any) -> Any:
    """An array of `mx.nd` as loaders, image functions and metrics of this release take it."""
    return array if is_before_numpy(mx) else array.as_np_ndarray()


@cache
def front_end_benchmarks_by_name() -> dict[str, Benchmark]:
    """Every benchmark by its name. Raises RuleError for two of one name."""
    by_name: dict[str, Benchmark] = {}
    for module in modules_of(front_end_benchmarks, "benchmark"):
        for entry in top_level(module):
            if isinstance(entry, Benchmark) and by_name.setdefault(entry.name, entry) is not entry:
                raise RuleError(f"two front-end benchmarks are called {entry.name}; keep one")
    return by_name
