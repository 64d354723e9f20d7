"""How users spell operators, and the namespaces of registered names, by prefix."""

from __future__ import annotations

from collections.abc import Mapping

from autoperf.core.errors import UsageError
from autoperf.core.operator import UNREGISTERED_NAMESPACES, Operator

PREFIXES: dict[str, tuple[str, ...]] = {
    "np": ("_np_", "_npi_"),
    "npx": ("_npx_",),
    "contrib": ("_contrib_",),
    "linalg": ("_linalg_",),
    "random": ("_random_", "_sample_"),
    "image": ("_image_",),
    "sparse": ("_sparse_",),
}
NAMESPACES = ("nd", *PREFIXES, "internal")


def namespace_of(name: str) -> str:
    """The namespace of one registered name."""
    for namespace, prefixes in PREFIXES.items():
        if name.startswith(prefixes):
            return namespace
    return "internal" if name.startswith("_") else "nd"


def function_of(name: str) -> str:
    """`np.max` of `_np_max` and of `_npi_max`, its names in different releases; other names as they are."""
    prefix = next((prefix for prefix in PREFIXES["np"] if name.startswith(prefix)), "")
    return f"np.{name.removeprefix(prefix)}" if prefix else name


OTHER_NAMES = "AUTOPERF_OPERATORS"
"""The variable that names operators of a release in place of others: `_np_max=_npi_max,Pooling_v1=Pooling`."""


def other_names(environment: Mapping[str, str]) -> dict[str, str]:
    """The registered name to call in place of each of these. Raises UsageError for another text."""
    pairs = [text.partition("=") for text in environment.get(OTHER_NAMES, "").split(",") if text.strip()]
    if not all(name.strip() and other.strip() for name, _, other in pairs):
        raise UsageError(f"invalid {OTHER_NAMES}: expected NAME=OTHER, such as _np_max=_npi_max, with commas between")
    return {name.strip(): other.strip() for name, _, other in pairs}


def namespaces_of(operator: Operator) -> frozenset[str]:
    """The namespaces of all names of an operator: `softmax` is `nd`, and `npx` by its alias `_npx_softmax`.

    Front-end benchmarks and composites, which aren't registered, have one of their own.
    """
    if operator.namespace in UNREGISTERED_NAMESPACES:
        return frozenset({operator.namespace})
    return frozenset(namespace_of(name) for name in operator.names)


_GLOB = frozenset("*?[")
_ROOTS = ("mx.", "mxnet.")
GLUON = "gluon."
_LEGACY = frozenset({"nd", "sym", "ndarray", "symbol"})
_UNPREFIXED = frozenset({"op", "_internal", "_legacy"})

# The registered prefixes of a Python path, the likelier first; "" is the bare name.
FUNCTION_PREFIXES: dict[tuple[str, ...], tuple[str, ...]] = {
    ("np",): ("_np_", "_npi_"),
    ("np", "linalg"): ("_npi_", "_np_", "_linalg_"),
    ("np", "random"): ("_npi_", "_npi_random_", "_npi__random_"),
    ("npx",): ("_npx_", "_npi_", "_contrib_"),
    ("npx", "control_flow"): ("_npx_",),
    ("npx", "random"): ("_npi_", "_npx_"),
    ("npx", "image"): ("_npx__image_", "_image_"),
    ("contrib",): ("_contrib_",),
    ("linalg",): ("_linalg_", "linalg_"),
    ("random",): ("_random_", "random_", "_sample_", "sample_"),
    ("image",): ("_image_", "_cv"),
    ("sparse",): ("_sparse_", ""),
}
# Of these modules, the package generates functions for names with these prefixes alone; it has written the others.
_GENERATED: dict[tuple[str, ...], tuple[str, ...]] = {
    ("np",): ("_np_",),
    ("np", "linalg"): (),
    ("np", "random"): (),
    ("npx",): ("_npx_",),
    ("npx", "control_flow"): (),
    ("npx", "random"): (),
    ("npx", "image"): ("_npx__image_",),
    ("random",): (),
    ("image",): ("_image_",),
}
_NUMPY_LIKE = frozenset({"np", "npx"})
_SYNONYMS = {"numpy": "np", "numpy_extension": "npx"}
_ROOT_NAMES = {"nd": "nd", "ndarray": "nd", "sym": "sym", "symbol": "sym", "np": "np", "npx": "npx"}


def is_glob(text: str) -> bool:
    """Whether a name has a wildcard."""
    return not _GLOB.isdisjoint(text)


def spellings(text: str) -> list[str]:
    """The registered names for a user's text, the likelier first: itself, then the names behind a Python path."""
    _, _, last = text.rpartition(".")
    return list(dict.fromkeys([text, *(prefix + last for prefix in registered_prefixes(text))]))


def generated(text: str) -> list[str]:
    """The registered names for which MXNet's package generates a function at this path, or the text itself."""
    _, _, last = text.rpartition(".")
    parts = _inner(_path(text))
    inner = parts[1:] if parts and parts[0] in _LEGACY else parts
    if inner not in _GENERATED:
        return spellings(text)
    likes = [f"_random_{last}"] if inner == ("random",) and last.endswith("_like") else []
    return [text, *(prefix + last for prefix in _GENERATED[inner]), *likes]


def without_root(text: str) -> str:
    """The Python path without `mx.` or `mxnet.`; any other text as it is."""
    for root in _ROOTS:
        text = text.removeprefix(root)
    return text


def layer_name(text: str) -> str:
    """The name that stands for a layer of Gluon: gluon_nn_Dense for `mx.gluon.nn.Dense`; any other text as it is."""
    path = without_root(text)
    return path.replace(".", "_") if path.startswith(GLUON) else text


def front_end_paths(text: str) -> list[str]:
    """The Python function's path for a user's text, as a key of `Meanings`, the likelier first; none for a bare name.

    `nd.np.add` and `sym.np.add` are `np.add` too.
    """
    parts = _path(text)
    if not parts:
        return []
    name = text.rpartition(".")[2]
    root = _ROOT_NAMES.get(parts[0])
    path = (root, *parts[1:]) if root else ("nd", *parts)
    return [".".join([*spelled, name]) for spelled in dict.fromkeys((path, _inner(path)))]


def registered_prefixes(text: str) -> tuple[str, ...]:
    """The registered prefixes of a Python path; none if the text isn't one."""
    parts = _inner(_path(text))
    if parts in FUNCTION_PREFIXES:
        return FUNCTION_PREFIXES[parts]
    if not parts or parts[0] not in _LEGACY | _UNPREFIXED:
        return ()
    inner = parts[1:]
    if "_internal" in (parts[0], *inner[:1]):
        return ("", "_")
    if not inner or inner[0] in _UNPREFIXED:
        # Never `_`: mx.nd.add isn't _add, it calls broadcast_add; Meanings has the front end's handwritten functions.
        return ("",)
    return FUNCTION_PREFIXES.get(inner, ())


def globs(pattern: str) -> list[tuple[str, str | None]]:
    """The globs over registered names for a pattern, each with its namespace (None: any).

    The path of a namespace (`np.*`, `nd.linalg.*`) selects names with that namespace's prefixes. Deeper paths
    (`np.linalg.*`) select nothing: the registry doesn't distinguish them.
    """
    parts, last = _path(pattern), pattern.rpartition(".")[2]
    if not parts:
        return [(pattern, None)]
    if len(parts) == 1 and parts[0] in _LEGACY:
        return [(last, "nd")]
    namespace = parts[-1]
    known = len(parts) == 1 or (len(parts) == 2 and parts[0] in _LEGACY)
    return [(prefix + last, namespace) for prefix in PREFIXES.get(namespace, ())] if known else []


def _inner(parts: tuple[str, ...]) -> tuple[str, ...]:
    """The public namespace of `nd.np`, `sym.npx` and their like, which implement it; any other as it is."""
    return parts[1:] if len(parts) > 1 and parts[0] in _LEGACY and parts[1] in _NUMPY_LIKE else parts


def _path(text: str) -> tuple[str, ...]:
    """The parts before the last dot, without `mx` and with short names."""
    return tuple(_SYNONYMS.get(part, part) for part in without_root(text).split(".")[:-1])
