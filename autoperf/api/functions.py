"""Functions and contexts of MXNet's front end that a caller hands over, by module and name; nothing is imported."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeAlias

from autoperf.backends.releases import FILE_NAME
from autoperf.core.errors import UsageError
from autoperf.core.layers import PREFIX as LAYER_PREFIX

Function: TypeAlias = str | Callable[..., Any]
"""A function of MXNet's front end, or the name of one or of an operator."""

_LAYERS = "mxnet.gluon."
_ROOTS = {"ndarray": "nd", "numpy": "np", "numpy_extension": "npx", "symbol": "sym"}
# The modules of a front end that are namespaces; the others only hold the code.
_SPACES = frozenset({"contrib", "linalg", "random", "sparse", "image", "control_flow", "numpy", "numpy_extension"})


def operator_path(function: Function) -> str:
    """The path of a function or of a layer's class, such as `nd.linalg.gemm`; a name is unchanged.

    Raises UsageError for anything that isn't a function of mx.nd, mx.np, mx.npx or mx.sym, or a class of mx.gluon.
    """
    if isinstance(function, str):
        return function
    name, module = getattr(function, "__name__", ""), str(getattr(function, "__module__", ""))
    if isinstance(function, type) and module.startswith(_LAYERS):
        return f"{LAYER_PREFIX}{name}"
    if isinstance(function, type) or not name:
        raise _not_a_function(function)
    first, *rest = module.removeprefix("mxnet.").split(".")
    # Generated functions have the front end's module without the package; that of NumPy itself is `numpy`.
    if first not in _ROOTS or module == "numpy":
        raise _not_a_function(function)
    spaces = [part for part in rest if part in _SPACES] or (["_internal"] if name.startswith("_") else [])
    return ".".join((_ROOTS[first], *spaces, name))


def functions_of(operators: Function | Iterable[Function]) -> tuple[Function, ...]:
    """The functions of one, or of several. Raises UsageError for any other value, and for an empty list."""
    if isinstance(operators, str) or callable(operators):
        return (operators,)
    if not isinstance(operators, Iterable):
        raise _not_a_function(operators)
    functions = tuple(operators)
    if not functions:
        raise UsageError("invalid list of functions: it is empty; name at least one, such as 'nd.add'")
    return functions


def operator_label(function: Function) -> str:
    """The own name of a function or a class: `add` for mx.nd.add and for "nd.add"."""
    return operator_path(function).rpartition(".")[2].removeprefix(LAYER_PREFIX)


def library_of(functions: Iterable[Function]) -> str | None:
    """The library of the imported mxnet package that the functions come from; None if there are only names."""
    package = sys.modules.get("mxnet") if any(callable(function) for function in functions) else None
    source = getattr(package, "__file__", None)
    library = Path(source).parent / FILE_NAME if source else None
    return str(library) if library and library.is_file() else None


def device_text(ctx: object) -> str:
    """`cpu` or `gpu(1)` for a text or an mx.Context. Raises UsageError for anything else."""
    if isinstance(ctx, str):
        return ctx
    kind = getattr(ctx, "device_type", None)
    if kind not in ("cpu", "gpu"):
        raise UsageError(f"invalid ctx {ctx!r}: expected mx.cpu(), mx.gpu(0), 'cpu' or 'gpu(0)'")
    return f"gpu({getattr(ctx, 'device_id', 0)})" if kind == "gpu" else "cpu"


def _not_a_function(function: object) -> UsageError:
    return UsageError(
        f"invalid function {function!r}: expected a function of mx.nd, mx.np, mx.npx or mx.sym, a layer's class of "
        "mx.gluon, or a name such as 'nd.add'"
    )
