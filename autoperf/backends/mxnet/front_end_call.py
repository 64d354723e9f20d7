"""Calls MXNet's Python front end in the place of an operator."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any

from autoperf.backends.contents import materialise
from autoperf.backends.mxnet.capi.front_end import front_end
from autoperf.backends.mxnet.capi.library import Library
from autoperf.core.case import Case, Input
from autoperf.core.errors import EngineError, UsageError


class FrontEndInvocation:
    """A call of the front end, in the place of the invocation of an operator.

    Its arrays are the front end's own, and so are its results, which live until `free`.
    """

    def __init__(self, library: Library, case: Case) -> None:
        """Imports the front end, the first time, and prepares the call.

        Raises EngineError if there is no front end beside the library, or if it lacks what the call needs.
        """
        # Not at the top: rules import Hypothesis, which the processes that time operators don't need.
        from autoperf.rules.front_end_benchmarks.catalog import front_end_benchmarks_by_name  # noqa: PLC0415

        benchmark = front_end_benchmarks_by_name().get(case.operator)
        if benchmark is None:
            raise UsageError(f"unknown front-end benchmark {case.operator!r}")
        package = front_end(library.path)
        arrays = {item.name: _array(package, case, item) for item in case.inputs}
        self._result: object = None
        try:
            self._function = benchmark.prepare(package, **arrays)
        except AttributeError as error:
            if not _is_module_of(package, error.obj):
                raise
            raise EngineError(f"MXNet {library.version} has no {benchmark.call}: {error}") from error

    def __call__(self) -> tuple[int, ...]:
        """Calls the front end and keeps what it returns; no handles, since the results aren't ours."""
        self._result = self._function()
        return ()

    def free(self, _handles: Sequence[int]) -> None:
        """Frees the result of the last call."""
        self._result = None


def _is_module_of(package: ModuleType, value: object) -> bool:
    return isinstance(value, ModuleType) and value.__name__.split(".")[0] == package.__name__


def _array(package: Any, case: Case, item: Input) -> Any:
    values = materialise(item.tensor, case.digest, item.name)
    return package.nd.array(values, dtype=item.tensor.dtype)
