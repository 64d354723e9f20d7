"""The functions of MXNet's Python package that may call an operator: the reverse of `names`."""

from __future__ import annotations

from collections.abc import Iterator

from autoperf.registry.meanings import Meaning, Meanings, Means, meaning_of
from autoperf.registry.spellings import FUNCTION_PREFIXES

_GRAPHS = "sym"
_NUMPY_ROOTS = ("np", "npx")
# Where the package keeps its generated functions of names that it doesn't publish, by prefix.
_INTERNAL = (("_npi_", "nd.numpy._internal"), ("_npx_", "npx._op"), ("_np_", "np._op"))


def python_functions(operator: str, meanings: Meanings, mxnet: str) -> list[str]:
    """Paths of functions that may call an operator by this registered name, such as `nd.add`, the likelier first.

    First functions of the operator's own name, then functions written in Python, and last the package's internal one.
    """
    known = {path: meaning_of(meaning, mxnet) for path, meaning in meanings.items()}
    spelled = [path for path in _spelled(operator) if path not in known or _calls(known[path], operator)]
    written = [path for path, meaning in known.items() if _calls(meaning, operator)]
    arrays = [path for path in written if not path.startswith(_GRAPHS)]
    own = sorted(spelled, key=lambda path: takes_numpy_arrays(path) != operator.startswith("_np"))
    return list(dict.fromkeys([*own, *sorted(arrays, key=_depth), *_internal(operator)]))


def takes_numpy_arrays(path: str) -> bool:
    """Whether a function takes arrays of `mx.np`, not of `mx.nd`."""
    parts = path.split(".")
    return parts[0] in _NUMPY_ROOTS or parts[1] in ("numpy", *_NUMPY_ROOTS)


def _spelled(operator: str) -> Iterator[str]:
    if not operator.startswith("_"):
        yield f"nd.{operator}"
    for parts, prefixes in FUNCTION_PREFIXES.items():
        root = () if parts[0] in _NUMPY_ROOTS else ("nd",)
        for prefix in filter(None, prefixes):
            if operator.startswith(prefix):
                yield ".".join((*root, *parts, operator.removeprefix(prefix)))


def _calls(meaning: Meaning, operator: str) -> bool:
    return isinstance(meaning, Means) and any(
        operator in names for names in (meaning.names, *(other.names for other in meaning.others))
    )


def _depth(path: str) -> int:
    return path.count(".")


def _internal(operator: str) -> Iterator[str]:
    for prefix, module in _INTERNAL:
        if operator.startswith(prefix):
            yield f"{module}.{operator.removeprefix(prefix)}"
            return
    if operator.startswith("_"):
        yield f"nd._internal.{operator}"
