"""Resolves operator names as users spell them, and finds the Python functions that may call an operator."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import NamedTuple, TypeAlias

from autoperf.core.errors import UnknownNameError, UsageError
from autoperf.core.operator import UNREGISTERED_NAMESPACES, Operator, Registry, Role

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


_NAMESPACE = re.compile(r"^(?:_?(?:np|npi|npx|contrib|sparse|image)?_)+(?=.)")


def without_namespace(operator: str) -> str:
    """The name without its namespace: `_npi_exp` and `exp` are `exp`; `broadcast_add` and `_npi_add` stay apart."""
    return _NAMESPACE.sub("", operator)


OTHER_NAMES = "AUTOPERF_OPERATORS"
"""The variable that names operators of a release in place of others: `_np_max=_npi_max,Pooling_v1=Pooling`."""


def other_names(environment: Mapping[str, str]) -> dict[str, str]:
    """The registered name to call in place of each of these. Raises UsageError for another text."""
    pairs = [text.partition("=") for text in environment.get(OTHER_NAMES, "").split(",") if text.strip()]
    if not all(name.strip() and other.strip() for name, _, other in pairs):
        raise UsageError(f"invalid {OTHER_NAMES}: expected NAME=OTHER, such as _np_max=_npi_max, with commas between")
    return {name.strip(): other.strip() for name, _, other in pairs}


def namespaces_of(operator: Operator) -> frozenset[str]:
    """The namespaces of an operator's names: `softmax` is `nd` and `npx`. What isn't registered has one of its own."""
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
_NUMPY_ROOTS = ("np", "npx")
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
    """A function's path as a key of `Meanings`, the likelier first: `np.add` for `nd.np.add`; none for a bare name."""
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
    return parts[1:] if len(parts) > 1 and parts[0] in _LEGACY and parts[1] in _NUMPY_ROOTS else parts


def _path(text: str) -> tuple[str, ...]:
    """The parts before the last dot, without `mx` and with short names."""
    return tuple(_SYNONYMS.get(part, part) for part in without_root(text).split(".")[:-1])


class OtherInputs(NamedTuple):
    """The operators that a function calls for the inputs `given`: all of `names` that a release registers."""

    given: str
    names: tuple[str, ...]


@dataclass(frozen=True)
class Means:
    """A function that calls one operator: the first of `names` that a release registers.

    `given` states the inputs, `others` the operators for other inputs, and `also` further operators that it calls.
    """

    names: tuple[str, ...]
    given: str = ""
    others: tuple[OtherInputs, ...] = ()
    also: tuple[str, ...] = ()

    def note(self, path: str, name: str, known: Container[str]) -> str:
        """The note for a user who wrote the function's path and gets the operator of this name; none for its own."""
        if self == Means(self.names) and name in spellings(path):
            return ""
        chosen = f"{path} means {name}" + (f" for {self.given}" if self.given else "")
        besides = [f"it also calls {' and '.join(names)}"] if (names := _registered(self.also, known)) else []
        others = [
            f"for {other.given} it is {' and '.join(names)}"
            for other in self.others
            if (names := _registered(other.names, known))
        ]
        return "; ".join([chosen, *besides, *([", ".join(others)] if others else [])])


@dataclass(frozen=True)
class NoOperator:
    """A function that calls several operators or none; `why` says it as a clause, empty if it just calls them all.

    With `unless_registered`, an operator that a release registers by the function's name is the function's operator.
    """

    why: str
    calls: tuple[str, ...] = ()
    unless_registered: bool = False

    def error(self, path: str, known: Container[str]) -> UsageError:
        """The error for a user who wrote the function's path; it proposes known operators."""
        proposals = _registered(self.calls, known)
        why = self.why or f"it calls {' and '.join(proposals)}"
        advice = f"; choose from {', '.join(proposals)}" if proposals else ""
        return UsageError(f"{path} is not an operator: {why}{advice}")


@dataclass(frozen=True)
class BySeries:
    """A function that 1.x and 2.x compute in different ways."""

    series_1: Means | NoOperator
    series_2: Means | NoOperator


Meaning: TypeAlias = Means | NoOperator
# By the path of a function, such as `nd.add`.
Meanings: TypeAlias = Mapping[str, Meaning | BySeries]


def meaning_of(meaning: Meaning | BySeries, mxnet: str) -> Meaning:
    """The meaning in this version of MXNet."""
    if not isinstance(meaning, BySeries):
        return meaning
    return meaning.series_1 if mxnet.startswith(("0.", "1.")) else meaning.series_2


def _registered(names: tuple[str, ...], known: Container[str]) -> list[str]:
    return [name for name in names if name in known]


# The namespaces in which candidates for an unknown bare name are searched.
_SPACES = ("nd", "nd.linalg", "nd.random", "nd.contrib", "nd.image", "nd.sparse", "np", "np.linalg", "np.random", "npx")


class Match(NamedTuple):
    """An operator and its registered name that matched; `note` says what a Python function maps to."""

    operator: Operator
    name: str
    note: str = ""


class Names:
    """Looks up operators by users' names; `meanings` has the Python functions that are more than a name."""

    def __init__(self, registry: Registry, meanings: Meanings | None = None) -> None:
        self._mxnet = registry.mxnet
        self._meanings = {path: meaning_of(meaning, registry.mxnet) for path, meaning in (meanings or {}).items()}
        self._operators = {name: operator for operator in registry.selectable for name in operator.names}
        self._order = {operator.name: index for index, operator in enumerate(registry.selectable)}
        self._unregistered = {name: operator for operator in registry.unregistered for name in operator.names}

    def resolve(self, text: str) -> Match:
        """The operator of a name. Raises UnknownNameError, and UsageError for a function of several or of none."""
        match = self._match(text)
        if match is None:
            candidates, refusals = self._candidates(text)
            if refusals and not candidates:
                raise refusals[0]
            raise UnknownNameError("operator", text, self._known_names(text), candidates)
        return match

    def meaning(self, text: str) -> Meaning | None:
        """The meaning of a Python function beyond its name, in this release."""
        meanings = (self._meanings.get(path) for path in front_end_paths(text))
        return next((meaning for meaning in meanings if meaning is not None), None)

    def registered(self, names: Iterable[str]) -> tuple[str, ...]:
        """The names that this release registers."""
        return tuple(name for name in names if name in self._operators)

    def _match(self, text: str) -> Match | None:
        """Raises UsageError as `resolve` does."""
        operator = self._operators.get(text)
        if operator is not None:
            return Match(operator, text)
        meaning = self.meaning(text)
        if isinstance(meaning, Means):
            return self._by_meaning(text, meaning)
        if meaning is not None and not meaning.unless_registered:
            raise meaning.error(text, self._operators)
        for candidate in (*(generated(text) if meaning is None else spellings(text)), layer_name(text)):
            operator = self._operators.get(candidate)
            if operator is not None:
                return Match(operator, candidate)
        if meaning is not None:
            raise meaning.error(text, self._operators)
        return None

    def _by_meaning(self, text: str, meaning: Means) -> Match:
        for name in meaning.names:
            operator = self._operators.get(name)
            if operator is not None:
                return Match(operator, name, meaning.note(text, name, self._operators))
        names = " or ".join(meaning.names)
        raise UsageError(f"{text} is not an operator: it calls {names}, which MXNet {self._mxnet} doesn't register")

    def _candidates(self, text: str) -> tuple[list[str], list[UsageError]]:
        """The Python paths with a function or a layer of this name, with its operator; and why others have none.

        For a path, the operators whose registered names look like its function's, by a path that calls them, if any.
        """
        if "." in text:
            names = (name for name in spellings(text) if name in self._operators)
            return list(dict.fromkeys(self._path_to(name, text.rpartition(".")[2]) for name in names)), []
        operators, refusals = dict[str, str](), list[UsageError]()
        for space in _SPACES:
            path = f"{space}.{text}"
            try:
                match = self._match(path)
            except UsageError as refusal:
                refusals.append(refusal)
                continue
            if match:
                operators.setdefault(match.operator.name, f"{path} ({match.name})")
        paths = dict.fromkeys(operator.description for operator in self._unregistered.values())
        layers = [path for path in paths if path.startswith(GLUON) and path.rpartition(".")[2] == text]
        return [*operators.values(), *layers], refusals

    def _path_to(self, name: str, function: str) -> str:
        """The Python path with this function that calls an operator; its registered name if there is none."""
        for space in _SPACES:
            with suppress(UsageError):
                match = self._match(f"{space}.{function}")
                if match and match.operator is self._operators[name]:
                    return f"{space}.{function}"
        return name

    def notes(self, patterns: Iterable[str]) -> list[str]:
        """The notes for these names: which operator each Python function maps to."""
        exact = [pattern for pattern in patterns if not is_glob(pattern)]
        return [match.note for match in map(self._match, exact) if match and match.note]

    def _known_names(self, text: str) -> Iterator[str]:
        """Names to compare an unknown name with: forward operators, and paths if the name is a path."""
        for name, operator in self._operators.items():
            if operator.role is Role.FORWARD:
                yield name
        head, dot, _ = text.rpartition(".")
        if dot:
            yield from (path for path, meaning in self._meanings.items() if isinstance(meaning, Means))
        if layer_name(text) != text:
            descriptions = (operator.description for operator in self._unregistered.values())
            yield from (path for path in descriptions if path.startswith(GLUON))
        for prefix in filter(None, registered_prefixes(text)):
            paths = {name: f"{head}.{name.removeprefix(prefix)}" for name in self._operators if name.startswith(prefix)}
            yield from (path for name, path in paths.items() if name in generated(path))

    def matching(self, pattern: str) -> list[Match]:
        """The operators with a name that matches a glob (case-sensitive), each by its first such name, sorted by name.

        Raises UnknownNameError if none matches. Backward kernels match only patterns with `_backward`, and front-end
        benchmarks and composites only patterns that no operator matches.
        """
        matches = {**self._matching_functions(pattern), **self._matching_operators(pattern)}
        glob = layer_name(pattern)
        for name, operator in self._unregistered.items() if not matches else ():
            if fnmatchcase(name, glob):
                matches.setdefault(operator.name, Match(operator, name))
        if not matches:
            raise UnknownNameError("operator pattern", pattern, self._operators)
        return sorted(matches.values(), key=lambda match: self._order[match.operator.name])

    def _matching_operators(self, pattern: str) -> dict[str, Match]:
        matches = dict[str, Match]()
        for glob, within in globs(pattern):
            for name, operator in self._operators.items():
                if name in self._unregistered or (operator.role is Role.BACKWARD and "_backward" not in pattern):
                    continue
                if fnmatchcase(name, glob) and within in (None, namespace_of(name)):
                    matches.setdefault(operator.name, Match(operator, name))
        return matches

    def _matching_functions(self, pattern: str) -> dict[str, Match]:
        """The operators of Python functions; the pattern of a whole namespace selects its registered names alone."""
        path = without_root(pattern)
        if "." not in path or path.endswith(".*"):
            return {}
        functions = [
            self._by_meaning(name, meaning)
            for name, meaning in self._meanings.items()
            if isinstance(meaning, Means) and fnmatchcase(name, path) and self.registered(meaning.names)
        ]
        return {match.operator.name: match for match in functions}

    def select(self, patterns: Sequence[str] = (), namespaces: Sequence[str] = ()) -> list[Operator]:
        """The forward operators of the given names and globs, within the namespaces, in the registry's order.

        No pattern means all operators, no namespace all namespaces; an operator belongs to the namespaces of all its
        names. Raises UnknownNameError for a name without match, UsageError for a backward kernel.
        """
        for namespace in namespaces:
            if namespace not in NAMESPACES:
                raise UnknownNameError("namespace", namespace, NAMESPACES)
        matches = (self.matching(each) if is_glob(each) else [self.resolve(each)] for each in patterns or ("*",))
        chosen = {match.operator.name: match.operator for found in matches for match in found}
        for operator in chosen.values():
            if operator.role is Role.BACKWARD:
                raise UsageError(
                    f"{operator.name} is a backward kernel: it is measured with the operator whose gradient it computes"
                )
        selected = frozenset(namespaces)
        return [
            operator
            for operator in sorted(chosen.values(), key=lambda operator: self._order[operator.name])
            if not selected or selected & namespaces_of(operator)
        ]


# Where the package keeps its generated functions of names that it doesn't publish, by prefix.
_INTERNAL = (("_npi_", "nd.numpy._internal"), ("_npx_", "npx._op"), ("_np_", "np._op"))


def python_functions(operator: str, meanings: Meanings, mxnet: str) -> list[str]:
    """Paths of functions that may call an operator by this registered name, such as `nd.add`, the likelier first.

    First functions of the operator's own name, then functions written in Python, and last the package's internal one.
    """
    known = {path: meaning_of(meaning, mxnet) for path, meaning in meanings.items()}
    spelled = [path for path in _spelled(operator) if path not in known or _calls(known[path], operator)]
    written = [path for path, meaning in known.items() if _calls(meaning, operator)]
    arrays = [path for path in written if not path.startswith("sym")]
    own = sorted(spelled, key=lambda path: takes_numpy_arrays(path) != operator.startswith("_np"))
    return list(dict.fromkeys([*own, *sorted(arrays, key=lambda path: path.count(".")), *_internal(operator)]))


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


def _internal(operator: str) -> Iterator[str]:
    for prefix, module in _INTERNAL:
        if operator.startswith(prefix):
            yield f"{module}.{operator.removeprefix(prefix)}"
            return
    if operator.startswith("_"):
        yield f"nd._internal.{operator}"
