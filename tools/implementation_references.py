"""Runs MXNet over the cases of its operators, forward and backward, and keeps the results for other frameworks.

python tools/implementation_references.py FOLDER [OPERATOR...]
"""

from __future__ import annotations

import contextlib
import pickle
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from autoperf.backends.contents import differentiable_inputs
from autoperf.backends.mxnet.call import Call
from autoperf.backends.mxnet.capi.library import Library, open_library
from autoperf.backends.passes import CPU, wait
from autoperf.backends.protocol import BackwardRequest
from autoperf.backends.results import CaseResults, results_of_case
from autoperf.cases.build import Recipe, build
from autoperf.cases.release import Release, open_release
from autoperf.core.case import Case
from autoperf.core.errors import AutoperfError, EngineError
from autoperf.core.operator import Operator, TensorKind
from autoperf.processes.forks import ForkError, forked
from autoperf.rules.rule import DRAWN, Rule
from tools.implementation_files import Expected, OperatorResults, save

SMALL = "small"
RECIPES = (
    Recipe(seed=1, draws=6, profiles=frozenset({SMALL, DRAWN}), elements=2000),
    Recipe(
        seed=1,
        draws=2,
        profiles=frozenset({SMALL, DRAWN}),
        elements=2000,
        dtypes=("float64", "float16", "int32", "int64"),
    ),
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
                save(folder, OperatorResults(operator, rule.category, tuple(run_all(library, operator, cases))))


def cases_of(operator: Operator, rule: Rule, release: Release) -> list[Case]:
    """The small and some drawn cases of an operator, also in other dtypes; the first one if there are none."""
    results = [build(operator, rule, recipe, release.client) for recipe in RECIPES]
    cases = {case.digest: case for result in results for case in result.cases}
    return list(cases.values()) or build(operator, rule, Recipe(draws=0), release.client).cases[:1]


def run_all(library: Library, operator: Operator, cases: Sequence[Case]) -> Iterator[Expected]:
    """MXNet's results of each case of an operator, in forks, since it may crash."""
    answers = forked(lambda case: pickle.dumps(_result(library, operator, case)), cases, LIMIT)
    for case, answer in zip(cases, answers, strict=True):
        yield Expected(case, error=str(answer)) if isinstance(answer, ForkError) else pickle.loads(answer)  # noqa: S301 - our own child's


def _result(library: Library, operator: Operator, case: Case) -> Expected:
    try:
        return result_of(library, operator, case)
    except AutoperfError as error:
        return Expected(case, error=str(error))


def result_of(library: Library, operator: Operator, case: Case) -> Expected:
    """MXNet's results of a case: with the gradients of all inputs together, or else of one, or without any.

    The gradients of auxiliary states are left out: MXNet writes other numbers into them. Raises EngineError.
    """
    states = {tensor.name for tensor in operator.tensors if tensor.kind is TensorKind.AUXILIARY}
    names = tuple(name for name in differentiable_inputs(case) if name not in states)
    for group in [names, *((name,) for name in names)] if names else []:
        with contextlib.suppress(EngineError):
            return Expected(case, _results(library, case, BackwardRequest(group)))
    return Expected(case, _results(library, case, None))


def _results(library: Library, case: Case, request: BackwardRequest | None) -> CaseResults:
    library.seed(1)
    call = Call(library, case, CPU)
    try:
        return results_of_case(call, request)
    finally:
        with contextlib.suppress(EngineError):
            wait(call)


if __name__ == "__main__":
    main(sys.argv[1:])
