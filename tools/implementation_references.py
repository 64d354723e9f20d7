"""Runs MXNet over the cases of its operators, forward and backward, and keeps the results for other frameworks.

python tools/implementation_references.py FOLDER [OPERATOR...]
"""

from __future__ import annotations

import contextlib
import pickle
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from autoperf.backends.contents import differentiable_inputs
from autoperf.backends.mxnet.call import Call
from autoperf.backends.mxnet.capi.library import Library, open_library
from autoperf.backends.mxnet.capi.ndarray import NDArray
from autoperf.backends.passes import backward, forward, wait
from autoperf.backends.protocol import CPU, BackwardRequest
from autoperf.cases.build import Recipe, build
from autoperf.core.case import FILE, Case
from autoperf.core.errors import AutoperfError, EngineError
from autoperf.core.operator import Operator
from autoperf.pipeline.release import Release, open_release
from autoperf.processes.forks import ForkError, forked
from autoperf.rules.rule import DRAWN, Rule
from tools.implementation_files import Expected, OperatorResults, contents, head_gradients, save

SMALL = "small"
RECIPES = (
    Recipe(seed=1, draws=6, profiles=frozenset({SMALL, DRAWN}), elements=2000),
    Recipe(seed=1, draws=2, profiles=frozenset({SMALL, DRAWN}), elements=2000, dtypes=("float64",)),
)
LIMIT = 20.0


def main(arguments: Sequence[str]) -> None:
    """Writes MXNet's results; ends with the usage without a folder."""
    if not arguments:
        sys.exit(__doc__)
    folder, names = Path(arguments[0]), arguments[1:]
    folder.mkdir(parents=True, exist_ok=True)
    with open_release() as release:
        library = open_library(release.library)
        for operator in release.registry.forward:
            rule = release.catalog.find(operator)
            if isinstance(rule, Rule) and (operator.name in names or not names):
                cases = cases_of(operator, rule, release)
                save(folder, OperatorResults(operator, rule.category, tuple(run_all(library, cases))))


def cases_of(operator: Operator, rule: Rule, release: Release) -> list[Case]:
    """The small and some drawn cases of an operator, also in double precision; the first one if there are none."""
    results = [build(operator, rule, recipe, release.client) for recipe in RECIPES]
    cases = {case.digest: case for result in results for case in result.cases}
    return list(cases.values()) or build(operator, rule, Recipe(draws=0), release.client).cases[:1]


def run_all(library: Library, cases: Sequence[Case]) -> Iterator[Expected]:
    """MXNet's results of each case, in forks, since it may crash."""
    answers = forked(lambda case: pickle.dumps(_result(library, case)), cases, LIMIT)
    for case, answer in zip(cases, answers, strict=True):
        yield Expected(case, error=str(answer)) if isinstance(answer, ForkError) else pickle.loads(answer)  # noqa: S301 - our own child's


def _result(library: Library, case: Case) -> Expected:
    try:
        return result_of(library, case)
    except AutoperfError as error:
        return Expected(case, error=str(error))


def result_of(library: Library, case: Case) -> Expected:
    """MXNet's results of a case. Raises EngineError."""
    library.seed(1)
    call = Call(library, case, CPU)
    outputs = _arrays(library, forward(call))
    inputs = contents(case)
    after = {item.name: call.inputs[item.name].to_numpy() for item in case.arguments if item.name != FILE}
    changed = {name: value for name, value in after.items() if not np.array_equal(value, inputs[name], equal_nan=True)}
    updated = {name: value for name, value in changed.items() if name not in case.in_place}
    return Expected(case, outputs, _gradients(library, case, outputs), updated)


def _gradients(library: Library, case: Case, outputs: Sequence[Any]) -> dict[str, Any]:
    """The gradients that aren't zero everywhere; of all inputs together, or else one by one."""
    names = differentiable_inputs(case)
    for group in [names, *((name,) for name in names)] if names else []:
        gradients: dict[str, Any] = {}
        with contextlib.suppress(EngineError):
            gradients = _backward(library, case, group, outputs)
        if gradients:
            return {name: array for name, array in gradients.items() if np.any(array)}
    return {}


def _backward(library: Library, case: Case, names: tuple[str, ...], outputs: Sequence[Any]) -> dict[str, Any]:
    call = Call(library, case, CPU)
    call.request_gradients(BackwardRequest(names))
    try:
        recorded = tuple(forward(call))
        call.make_heads(call.describe(recorded))
        for head, values in zip(call.heads, head_gradients(case, outputs), strict=True):
            head.fill(values)
        backward(call, recorded)
        return {name: array.to_numpy() for name, array in call.gradients.items()}
    finally:
        with contextlib.suppress(EngineError):
            wait(call)


def _arrays(library: Library, handles: Sequence[int]) -> tuple[Any, ...]:
    return tuple(_array(library, handle) for handle in handles)


def _array(library: Library, handle: int) -> Any:
    array = NDArray(library, handle)
    values = array.to_numpy()
    array.handle = None
    return values


if __name__ == "__main__":
    main(sys.argv[1:])
