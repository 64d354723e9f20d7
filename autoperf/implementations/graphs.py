"""Graphs of operators in another framework: one function of straight-line Python, with a line for each node."""

from __future__ import annotations

import ast
import keyword
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
import numpy as np

from autoperf.core.case import with_lists
from autoperf.core.errors import EngineError
from autoperf.core.operator import Value
from autoperf.core.tensors import ArrayType, Shape
from autoperf.implementations.expressions import Names, input_names, names_of, prepared, results_of
from autoperf.implementations.implementation import CAST, FRAMEWORKS, Implementation


def used_names(texts: Iterable[str]) -> set[str]:
    """The names that expressions read or set."""
    return {node.id for text in texts for node in _walk(text) if isinstance(node, ast.Name)}


def set_names(text: str) -> set[str]:
    """The names that an expression sets itself: by `:=`, in comprehensions, and as arguments of its lambdas."""
    nodes = list(_walk(text))
    stored = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    return stored | {node.arg for node in nodes if isinstance(node, ast.arg)}


def renamed(text: str, names: Mapping[str, str]) -> str:
    """An expression with other expressions in the place of its names; a name that it sets becomes another name."""
    return ast.unparse(_Renamer(names).visit(ast.parse(text.strip(), mode="eval")))


def literal(value: Any) -> str | None:
    """The value as Python source; None for a value that isn't a number, a text, None or a tuple of these."""
    if isinstance(value, tuple) and type(value) is tuple:
        parts = [literal(part) for part in value]
        return None if None in parts else f"({''.join(f'{part}, ' for part in parts)})"
    plain = value is None or type(value) in (bool, int, str) or (type(value) is float and math.isfinite(value))
    return repr(value) if plain else None


def _walk(text: str) -> Iterable[ast.AST]:
    return ast.walk(ast.parse(text.strip(), mode="eval"))


class _Renamer(ast.NodeTransformer):
    """Replaces names; those of keyword arguments and attributes are none."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """The expression in the place of a name."""
        text = self._names.get(node.id)
        if text is None:
            return node
        return ast.Name(text, ast.Store()) if isinstance(node.ctx, ast.Store) else ast.parse(text, mode="eval").body

    def visit_arg(self, node: ast.arg) -> ast.arg:
        """The new name of a lambda's argument."""
        return ast.arg(self._names.get(node.arg, node.arg))


class GraphNode(msgspec.Struct, frozen=True):
    """A node; `inputs` are references (`split[1]`) by the names of its operator, `parameters` are with defaults."""

    name: str
    implementation: Implementation
    inputs: dict[str, str]
    parameters: dict[str, Value]
    outputs: tuple[ArrayType, ...]

    @property
    def references(self) -> list[str]:
        """The references to its outputs."""
        return [f"{self.name}[{number}]" if number else self.name for number in range(len(self.outputs))]

    @property
    def updated(self) -> list[str]:
        """The references to the inputs that it updates, whose new values follow its outputs."""
        return [self.inputs[name] for name in input_names(self.implementation.updates, list(self.inputs))]


class GraphProgram(msgspec.Struct, frozen=True):
    """A case's graph: its inputs by variable, its nodes in order, its outputs; the new values of `updates` follow."""

    variables: dict[str, str]
    nodes: tuple[GraphNode, ...]
    outputs: tuple[str, ...]
    updates: tuple[str, ...] = ()
    training: bool = False


class StraightLine(NamedTuple):
    """The body of a function, the values of its names (the inputs first), and notes of conversions before it."""

    source: str
    scope: dict[str, Any]
    note: str


def straight_line(graph: GraphProgram, framework: str, arrays: Names) -> StraightLine:
    """Writes a graph over arrays, running each line: prepared values may need it. Raises EngineError with the node."""
    writer = _Writer(graph, framework, arrays)
    for place, node in enumerate(graph.nodes):
        writer.add(node, place)
    return writer.result()


class _Translation(NamedTuple):
    """A node's expression, the assignments before it, the constants that both name, and the note of a conversion."""

    text: str
    lines: dict[str, str]
    constants: dict[str, Any]
    note: str


class _Writer:
    """Translates the nodes of a graph in their order. A *name* is a local variable, a *reference* the graph's own."""

    def __init__(self, graph: GraphProgram, framework: str, arrays: Names) -> None:
        self._graph, self._framework = graph, framework
        self._inputs = with_lists(arrays.items())
        self._values: dict[str, Any] = {**names_of(framework), **self._inputs}
        self._taken = set(self._values)
        self._lines: list[str] = []
        self._notes: dict[str, None] = {}
        # An input may have the name of a function of the vocabulary.
        self._functions = {name: self._fresh(name) for name in names_of(framework).keys() & self._inputs.keys()}
        self._constants = {fresh: names_of(framework)[name] for name, fresh in self._functions.items()}
        self._values |= self._constants
        self._names: dict[str, str] = {}
        members: dict[str, list[str]] = {}
        for variable, given in graph.variables.items():
            stem, bracket, _ = given.partition("[")
            name = self._names[variable] = self._fresh(variable) if bracket else given
            if bracket:
                members.setdefault(stem, []).append(name)
        # The members of a list are unpacked first.
        for stem, names in members.items():
            self._lines.append(f"{', '.join(names)}, = {stem}")
            self._values |= zip(names, self._inputs[stem], strict=True)
        self._types: dict[str, ArrayType] = {}
        self._last_uses = _last_uses(graph)

    def add(self, node: GraphNode, place: int) -> None:
        """Writes the lines of the node at this place.

        A value that isn't of MXNet's type (comparisons give booleans, sums of all elements scalars) is converted only
        if the operator would compute another type with it, as one writes it by hand.
        """
        try:
            translation, value = self._fitting(node)
        except Exception as error:
            raise EngineError(f"node {node.name}: {type(error).__name__}: {error}") from error
        self._constants |= translation.constants
        self._values |= translation.constants
        self._notes |= {translation.note: None} if translation.note else {}
        results = results_of(value)
        names = [self._fresh(reference.rstrip("]").replace("[", "_")) for reference in node.references]
        names += [self._fresh(node.name) for _ in results[len(names) :]]
        listed = ", ".join(names) + ("," if isinstance(value, list | tuple) and len(names) == 1 else "")
        assignments = {**translation.lines, listed: translation.text}
        self._lines += [f"{target} = {text}" for target, text in assignments.items()]
        self._values |= zip(names, results, strict=True)
        self._names |= zip((*node.references, *node.updated), names, strict=False)
        self._types |= zip(node.references, node.outputs, strict=True)
        self._delete(node, place, [*translation.lines, *names])

    def result(self) -> StraightLine:
        """The whole function."""
        returned = [self._names[reference] for reference in (*self._graph.outputs, *self._graph.updates)]
        source = "\n".join([*self._lines, f"return {', '.join(returned)}", ""])
        return StraightLine(source, {**self._inputs, **self._constants}, "; ".join(self._notes))

    def _fitting(self, node: GraphNode) -> tuple[_Translation, Any]:
        """A node's translation and value: of its inputs as they are, or else of inputs of MXNet's types."""
        unlike = [
            reference
            for reference in dict.fromkeys(node.inputs.values())
            if (wanted := self._types.get(reference))
            and _type(self._values[self._names[reference]]) != (wanted.shape, wanted.dtype)
        ]
        try:
            translation = self._translated(node)
            value = self._evaluated(translation)
            if not unlike or _fits(node, results_of(value)):
                return translation, value
        except Exception:
            # A framework may refuse booleans or scalars.
            if not unlike:
                raise
        for reference in unlike:
            name, kind = self._names[reference], self._types[reference]
            shape, dtype = _type(self._values[name])
            text = name if dtype == kind.dtype else FRAMEWORKS[self._framework].conversion.format(name, kind.dtype)
            text += f".reshape({kind.shape})" if shape != kind.shape else ""
            self._lines.append(f"{name} = {text}")
            self._values[name] = self._run(text, {})
        translation = self._translated(node)
        return translation, self._evaluated(translation)

    def _translated(self, node: GraphNode) -> _Translation:
        """The node over the names of this function, with parameters as literals or constants."""
        chosen = node.implementation
        given = {name: self._names[reference] for name, reference in node.inputs.items()}
        parameters = {**node.parameters, "training": self._graph.training, "outputs": node.outputs}
        arrays = {name: self._values[it] for name, it in given.items()}
        values = {**parameters, **prepared(chosen, self._framework, arrays, parameters)}
        texts = {**self._functions}
        for name, it in with_lists(given.items()).items():
            texts[name] = f"[{', '.join(it)}]" if isinstance(it, list) else it
        constants: dict[str, Any] = {}
        lines: dict[str, str] = {}
        computed = self._computed(node, values)
        for name in (*parameters, *chosen.prepare):
            if name in computed:
                lines[fresh := self._fresh(name)] = self._renamed(chosen.prepare[name], texts)
                texts[name] = fresh
            elif name in used_names((chosen.expression, *(chosen.prepare[each] for each in computed))):
                texts[name] = literal(values[name]) or self._fresh(name)
                constants |= {} if literal(values[name]) else {texts[name]: values[name]}
        # A note of a conversion holds only if that comes before the function.
        is_true = not chosen.prepare or any(map(_has_arrays, constants.values()))
        note = "; ".join(part for part in chosen.note.split("; ") if is_true and part != CAST)
        return _Translation(self._renamed(chosen.expression, texts), lines, constants, note)

    def _computed(self, node: GraphNode, values: Names) -> set[str]:
        """The prepared arrays that the function makes of arrays, except for indices among the graph's own inputs."""
        live = set(with_lists(node.inputs.items()))
        are_own = all(reference in self._graph.variables for reference in node.inputs.values())
        computed = set()
        for name, text in node.implementation.prepare.items():
            is_live = bool(used_names((text,)) & live) and _has_arrays(values[name])
            live.discard(name)
            if is_live and not (are_own and not _has_arrays(values[name], floating=True)):
                live.add(name)
                computed.add(name)
        return computed

    def _renamed(self, text: str, texts: Mapping[str, str]) -> str:
        return renamed(text, {**texts, **{name: self._fresh(name) for name in set_names(text)}})

    def _evaluated(self, translation: _Translation) -> Any:
        own = dict(translation.constants)
        for name, text in translation.lines.items():
            own[name] = self._run(text, own)
        return self._run(translation.text, own)

    def _run(self, text: str, own: Names) -> Any:
        return eval(text, {**self._values, **own})  # noqa: S307 - the tables' own text, or the user's

    def _delete(self, node: GraphNode, place: int, made: Sequence[str]) -> None:
        """Ends the names that no later line uses, so that their memory is free, as MXNet frees arrays."""
        references = [each for each in (*node.inputs.values(), *node.references) if each not in self._graph.variables]
        kept = {self._names[each] for each in references if self._last_uses.get(each, -1) > place}
        kept |= {self._names[each] for each in node.updated}
        over = dict.fromkeys((*made, *(self._names[each] for each in references)))
        dead = [name for name in over if name not in kept]
        if dead and place < len(self._graph.nodes) - 1:
            self._lines.append(f"del {', '.join(dead)}")
            for name in dead:
                self._values.pop(name, None)

    def _fresh(self, stem: str) -> str:
        name = f"{stem}_" if keyword.iskeyword(stem) else stem
        number = 1
        while name in self._taken:
            number += 1
            name = f"{stem}_{number}"
        self._taken.add(name)
        return name


def _last_uses(graph: GraphProgram) -> dict[str, int]:
    """The place of the last node that uses each reference; beyond all nodes for those that are returned."""
    uses = {reference: place for place, node in enumerate(graph.nodes) for reference in node.inputs.values()}
    return uses | dict.fromkeys((*graph.outputs, *graph.updates), len(graph.nodes))


def _fits(node: GraphNode, results: Sequence[Any]) -> bool:
    """Whether results have MXNet's types, apart from those that the comparison of results allows."""
    pairs = zip(map(_type, results), node.outputs, strict=False)
    is_cast = node.implementation.cast
    return len(results) >= len(node.outputs) and all(
        (shape == wanted.shape or (shape, wanted.shape) == ((), (1,)))
        and (dtype == wanted.dtype or (is_cast and "float" not in dtype))
        for (shape, dtype), wanted in pairs
    )


def _type(value: Any) -> tuple[Shape, str]:
    return tuple(np.shape(value)), str(getattr(value, "dtype", type(value))).removeprefix("torch.")


def _has_arrays(value: Any, *, floating: bool = False) -> bool:
    if isinstance(value, Mapping):
        return _has_arrays(tuple(value.values()), floating=floating)
    if isinstance(value, slice):
        return _has_arrays((value.start, value.stop, value.step), floating=floating)
    if isinstance(value, list | tuple):
        return any(_has_arrays(part, floating=floating) for part in value)
    return hasattr(value, "shape") and hasattr(value, "dtype") and (not floating or "float" in str(value.dtype))
