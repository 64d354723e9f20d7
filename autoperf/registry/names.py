"""Resolves what users write: registered names, aliases, Python's paths such as `nd.linalg.gemm`, and globs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple

from autoperf.core.errors import UnknownNameError, UsageError
from autoperf.core.operator import Operator, Registry, Role
from autoperf.registry.namespaces import NAMESPACES, PREFIXES, namespace_of, namespaces_of

_GLOB = frozenset("*?[")
_ROOTS = ("mx.", "mxnet.")
_LEGACY = frozenset({"nd", "sym", "ndarray", "symbol"})
_UNPREFIXED = frozenset({"op", "_internal", "_legacy"})

# The prefixes with which a Python path is registered, the likelier first; "" is the bare name.
_PREFIXES: dict[tuple[str, ...], tuple[str, ...]] = {
    ("np",): ("_np_", "_npi_"),
    ("np", "linalg"): ("_npi_", "_np_", "_linalg_"),
    ("np", "random"): ("_npi_", "_npi_random_", "_npi__random_"),
    ("npx",): ("_npx_", "_npi_", "_contrib_"),
    ("npx", "random"): ("_npi_", "_npx_"),
    ("npx", "image"): ("_npx__image_", "_image_"),
    ("contrib",): ("_contrib_",),
    ("linalg",): ("_linalg_", "linalg_"),
    ("random",): ("_random_", "random_", "_sample_", "sample_"),
    ("image",): ("_image_", "_cv"),
    ("sparse",): ("_sparse_", ""),
}
_SYNONYMS = {"numpy": "np", "numpy_extension": "npx"}


class Match(NamedTuple):
    """An operator, and the registered name by which it was found: its canonical name or an alias."""

    operator: Operator
    name: str

    @property
    def alias(self) -> bool:
        """Whether it was found by an alias."""
        return self.name != self.operator.name


class Names:
    """All names of a registry, to look up what users write."""

    def __init__(self, registry: Registry) -> None:
        self._operators = {name: operator for operator in registry.operators for name in operator.names}
        self._order = {operator.name: place for place, operator in enumerate(registry.operators)}

    def resolve(self, text: str) -> Match:
        """The operator of one name; raises UnknownNameError with the nearest names if there is none."""
        for candidate in spellings(text):
            operator = self._operators.get(candidate)
            if operator is not None:
                return Match(operator, candidate)
        raise UnknownNameError("operator", text, self._near(text))

    def _near(self, text: str) -> Iterator[str]:
        """Names to compare a mistake with: of forward operators, and as paths if the mistake is one."""
        for name, operator in self._operators.items():
            if operator.role is Role.FORWARD:
                yield name
        head, dot, _ = text.rpartition(".")
        for candidate in self._operators if dot else ():
            for prefix in _prefixes(text):
                if prefix and candidate.startswith(prefix):
                    yield f"{head}.{candidate.removeprefix(prefix)}"

    def matching(self, pattern: str) -> list[Match]:
        """The operators of which a name matches a glob (case counts), each by its first such name, in name order.

        Raises UnknownNameError if there is none. Backward kernels match only a pattern that names them.
        """
        found = dict[str, Match]()
        for glob, within in _globs(pattern):
            for name, operator in self._operators.items():
                if operator.role is Role.BACKWARD and "_backward" not in pattern:
                    continue
                if fnmatchcase(name, glob) and within in (None, namespace_of(name)):
                    found.setdefault(operator.name, Match(operator, name))
        if not found:
            raise UnknownNameError("operator pattern", pattern, self._operators)
        return sorted(found.values(), key=lambda match: self._order[match.operator.name])

    def select(self, patterns: Sequence[str] = (), namespaces: Sequence[str] = ()) -> list[Operator]:
        """The forward operators of the given names and globs, within the namespaces, in the registry's order.

        No pattern means all operators, no namespace all namespaces; an operator belongs to the namespaces of all its
        names. Raises UnknownNameError for what matches nothing, UsageError for a backward kernel, which is measured
        with the operator whose gradient it computes.
        """
        for namespace in namespaces:
            if namespace not in NAMESPACES:
                raise UnknownNameError("namespace", namespace, NAMESPACES)
        chosen = {match.operator.name: match.operator for match in self._matches(patterns or ("*",))}
        for operator in chosen.values():
            if operator.role is Role.BACKWARD:
                raise UsageError(
                    f"{operator.name} is a backward kernel: it is measured with the operator whose gradient it computes"
                )
        wanted = frozenset(namespaces)
        return [
            operator
            for operator in sorted(chosen.values(), key=lambda operator: self._order[operator.name])
            if not wanted or wanted & namespaces_of(operator)
        ]

    def _matches(self, patterns: Iterable[str]) -> Iterator[Match]:
        for pattern in patterns:
            if is_glob(pattern):
                yield from self.matching(pattern)
            else:
                yield self.resolve(pattern)


def select(registry: Registry, patterns: Sequence[str] = (), namespaces: Sequence[str] = ()) -> list[Operator]:
    """`Names.select` on a registry."""
    return Names(registry).select(patterns, namespaces)


def is_glob(text: str) -> bool:
    """Whether a name has a wildcard in it."""
    return not _GLOB.isdisjoint(text)


def spellings(text: str) -> list[str]:
    """The registered names that a user's text can mean, the likelier first: itself, then those of a Python path."""
    _, _, last = text.rpartition(".")
    return list(dict.fromkeys([text, *(prefix + last for prefix in _prefixes(text))]))


def _prefixes(text: str) -> tuple[str, ...]:
    """The prefixes of the registered names that a Python path can mean; none if it is no path."""
    parts = _path(text)
    if parts in _PREFIXES:
        return _PREFIXES[parts]
    if not parts or parts[0] not in _LEGACY | _UNPREFIXED:
        return ()
    inner = parts[1:]
    if not inner or inner[0] in _UNPREFIXED:
        return ("", "_")
    return _PREFIXES.get(inner, ())


def _globs(pattern: str) -> list[tuple[str, str | None]]:
    """The globs over registered names that a pattern means, each with the namespace that it is for (None: any).

    The path of a namespace (`np.*`, `nd.linalg.*`) means the names with that namespace's own prefixes. Deeper paths
    (`np.linalg.*`) mean nothing: the registry does not tell them apart.
    """
    parts, last = _path(pattern), pattern.rpartition(".")[2]
    if not parts:
        return [(pattern, None)]
    if len(parts) == 1 and parts[0] in _LEGACY:
        return [(last, "nd")]
    namespace = parts[-1]
    known = len(parts) == 1 or (len(parts) == 2 and parts[0] in _LEGACY)
    return [(prefix + last, namespace) for prefix in PREFIXES.get(namespace, ())] if known else []


def _path(text: str) -> tuple[str, ...]:
    """What stands before the last dot, without `mx` and with short names."""
    for root in _ROOTS:
        text = text.removeprefix(root)
    return tuple(_SYNONYMS.get(part, part) for part in text.split(".")[:-1])
