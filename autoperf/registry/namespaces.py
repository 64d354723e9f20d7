"""The namespaces of registered names, by prefix.

`np` is `_np_` and `_npi_`, `npx` is `_npx_`, `contrib`, `linalg`, `image` and `sparse` are the prefixes of that name,
`random` is `_random_` and `_sample_`; any other name with a leading underscore is `internal`, and the rest is `nd`.
"""

from __future__ import annotations

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


def namespaces_of(operator: Operator) -> frozenset[str]:
    """The namespaces of all names of an operator: `softmax` is `nd`, and `npx` by its alias `_npx_softmax`.

    Front-end benchmarks and composites, which aren't registered, have one of their own.
    """
    if operator.namespace in UNREGISTERED_NAMESPACES:
        return frozenset({operator.namespace})
    return frozenset(namespace_of(name) for name in operator.names)
