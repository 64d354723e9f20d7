"""Runs composites in the test's process: each way over the same inputs."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import NamedTuple

import msgspec
import numpy as np

from autoperf.backends.contents import differentiable_inputs, materialise
from autoperf.backends.mxnet.call import Call, describe
from autoperf.backends.mxnet.capi.library import Library
from autoperf.backends.mxnet.capi.ndarray import NDArray
from autoperf.backends.passes import CPU, backward, forward
from autoperf.backends.protocol import BackwardRequest
from autoperf.cases.build import Recipe, build
from autoperf.cases.release import Release
from autoperf.core.case import Case, Input
from autoperf.core.tensors import Literal_
from autoperf.measurement.runner import Runner
from autoperf.rules.catalog import catalog
from autoperf.rules.rule import Rule

Arrays = Mapping[str, np.ndarray]


class Computed(NamedTuple):
    """What a pass of a composite returns: its outputs, and the gradients of its inputs by name."""

    outputs: list[np.ndarray]
    gradients: dict[str, np.ndarray]


@functools.cache
def composites() -> dict[str, Rule]:
    """The rule of each composite by name."""
    return {name: rule for name, rule in catalog().named.items() if rule.category == "composite"}


def small_cases(release: Release, name: str) -> dict[str, Case]:
    """The smallest case of a composite by the way to run it."""
    operator = next(item for item in release.registry.composites if item.name == name)
    made = build(operator, composites()[name], Recipe(draws=0, profiles=frozenset({"small"})), release.client)
    assert not made.rejections
    return {case.profile.partition(":")[2]: case for case in made.cases}


def contents(case: Case) -> dict[str, np.ndarray]:
    """The inputs of a case by name, as MXNet gets them."""
    return {item.name: materialise(item.tensor, case.digest, item.name) for item in case.inputs}


def with_contents(case: Case, arrays: Arrays) -> Case:
    """The case over these inputs."""
    inputs = [Input(item.name, _literal(item, arrays[item.name])) for item in case.inputs]
    return msgspec.structs.replace(case, inputs=tuple(inputs))


def _literal(item: Input, values: np.ndarray) -> object:
    return msgspec.structs.replace(item.tensor, content=Literal_(tuple(values.ravel().tolist())))


def computed(library: Library, case: Case, arrays: Arrays) -> Computed:
    """The results of a case over these inputs, under head gradients of one if it has a backward pass."""
    names = differentiable_inputs(case) if case.has_backward else ()
    call = Call(library, with_contents(case, arrays), CPU)
    call.request_gradients(BackwardRequest(names))
    runner = Runner(call)
    handles = forward(call)
    outputs = [NDArray(library, handle) for handle in handles]
    if names:
        call.make_heads([describe(library, handle) for handle in handles])
        backward(call, handles)
    results = Computed(
        [output.to_numpy() for output in outputs],
        {name: gradient.to_numpy() for name, gradient in call.gradients.items()},
    )
    for output in outputs:
        output.handle = None
    runner.release(handles)
    call.free()
    return results
