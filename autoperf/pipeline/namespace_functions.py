"""The function of a name in a namespace, such as `batch_norm` in nd, where it is called BatchNorm."""

from __future__ import annotations

from typing import NamedTuple

from autoperf.core.errors import AutoperfError, UnknownNameError, UsageError
from autoperf.core.operator import Operator
from autoperf.registry.names import Names
from autoperf.rules.function_names import names_of_function

_NUMPY_PREFIX = "_npi_"


class NamespaceFunction(NamedTuple):
    """A function's path, such as `nd.BatchNorm`, and its operator."""

    path: str
    operator: Operator


def function_in(names: Names, namespace: str, name: str) -> NamespaceFunction:
    """The function of this name, or else of its other name, in nd, np, npx or sym.

    Raises UnknownNameError if there is neither, UsageError for a function that calls several operators, or none.
    """
    attempts = [_function(names, f"{namespace}.{spelling}") for spelling in names_of_function(name)]
    function = next((attempt for attempt in attempts if isinstance(attempt, NamespaceFunction)), attempts[0])
    if isinstance(function, AutoperfError):
        raise function
    return function


def _function(names: Names, path: str) -> NamespaceFunction | AutoperfError:
    """The function of a path, or why there is none."""
    try:
        match = names.resolve(path)
    except (UnknownNameError, UsageError) as refusal:
        return refusal
    namespace, _, name = path.partition(".")
    # An operator of mx.np is no function of mx.npx, unless the front end has one that calls it.
    if namespace == "npx" and match.name.startswith(_NUMPY_PREFIX) and not names.meaning(path):
        return UnknownNameError("operator", path, (), [f"np.{name}"])
    return NamespaceFunction(path, match.operator)
