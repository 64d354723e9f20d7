"""Calls MXNet's Python front end in the place of an operator."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any

from autoperf.backends.contents import materialise
from autoperf.backends.mxnet.capi.front_end import front_end
from autoperf.backends.mxnet.capi.library import Library
from autoperf.core.case import Case, Input
from autoperf.core.errors import EngineError, UsageError


class PackageInvocation:
    """A call of the Python package, in the place of the invocation of an operator.

    Its results are the package's, and live until `free`.
    """

    def __init__(self, call: Callable[[], object]) -> None:
        self._call = call
        self._result: object = None

    def __call__(self) -> tuple[int, ...]:
        """Makes the call and keeps its result; there are no handles, since the results aren't ours."""
        self._result = self._call()
        return ()

    @property
    def results(self) -> list[Any]:
        """The arrays that the last call returned, those of nested lists too."""
        return list(_flat(self._result))

    def free(self, _handles: Sequence[int]) -> None:
        """Frees the results of the last call."""
        self._result = None


def front_end_invocation(library: Library, case: Case) -> PackageInvocation:
    """The call of a benchmark of the front end, which is imported the first time.

    Raises EngineError if there is no front end beside the library, or if it lacks a name of the call.
    """
    # Not at the top: rules import Hypothesis, which the processes that time operators don't need.
    from autoperf.rules.front_end_benchmarks.catalog import front_end_benchmarks_by_name  # noqa: PLC0415

    benchmark = front_end_benchmarks_by_name().get(case.operator)
    if benchmark is None:
        raise UsageError(f"unknown front-end benchmark {case.operator!r}")
    package = front_end(library.path)
    arrays = {item.name: _array(package, case, item) for item in case.inputs}
    try:
        return PackageInvocation(benchmark.prepare(package, **arrays))
    except AttributeError as error:
        if not _is_module_of(package, error.obj):
            raise
        raise EngineError(f"MXNet {library.version} has no {benchmark.call}: {error}") from error


def _flat(result: object) -> Iterator[Any]:
    """The arrays of nested lists."""
    if isinstance(result, list | tuple):
        for member in result:
            yield from _flat(member)
    elif result is not None:
        yield result


def _is_module_of(package: ModuleType, value: object) -> bool:
    return isinstance(value, ModuleType) and value.__name__.split(".")[0] == package.__name__


def _array(package: Any, case: Case, item: Input) -> Any:
    values = materialise(item.tensor, case.digest, item.name)
    return package.nd.array(values, dtype=item.tensor.dtype)
