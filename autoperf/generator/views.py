"""Template values of a case: its decorator, its arguments, and a file's imports."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from autoperf.core.case import Case
from autoperf.core.tensors import TensorSpec
from autoperf.generator.literals import argument, content_kind, graph_source, literal, plain, tensor_source

FORMAT = 1


@lru_cache(maxsize=2)
def template(name: str) -> Template:
    """The template of this name, with the filters `literal` and `plain`; undefined variables raise."""
    environment = Environment(
        loader=PackageLoader("autoperf.generator"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 - the output is Python, and every value goes through a filter
    )
    environment.filters["literal"] = literal
    environment.filters["plain"] = plain
    return environment.get_template(name)


def imports(cases: Iterable[Case], entry: str) -> list[str]:
    """The names that a file with these cases imports from `autoperf.bench`; `entry` is its entry point."""
    kinds, graphs = set(), set()
    for case in cases:
        kinds |= {content_kind(item.tensor.content) for item in case.inputs}
        graphs |= {"graph", "node"} if case.graphs else set()
    tensors = {"tensor"} if kinds else set()
    return sorted({"Suite", "case", entry, *kinds, *tensors, *graphs}, key=lambda name: (not name[0].isupper(), name))


def view(case: Case, function: str, operator: str = "") -> dict[str, object]:
    """The template values of one case, whose function has this name; `operator` is the file's if it has several."""
    decoration = [literal(case.id), f"profile={literal(case.profile)}"]
    if operator and case.operator != operator:
        decoration.append(f"operator={literal(case.operator)}")
    if case.in_place:
        decoration.append(f"in_place={literal(case.in_place)}")
    if not case.training:
        decoration.append("training=False")
    if case.way != "call" and not (case.graphs and case.way == "graph"):
        decoration.append(f"way={literal(case.way)}")
    return {"function": function, "decoration": decoration, "arguments": _arguments(case)}


def _arguments(case: Case) -> Sequence[str]:
    single: dict[str, TensorSpec] = {}
    lists: dict[str, list[TensorSpec]] = {}
    order: list[str] = []
    for item in case.inputs:
        stem, bracket, _ = item.name.partition("[")
        if stem not in order:
            order.append(stem)
        if bracket:
            lists.setdefault(stem, []).append(item.tensor)
        else:
            single[stem] = item.tensor
    tensors = [
        argument(
            name, f"[{', '.join(map(tensor_source, lists[name]))}]" if name in lists else tensor_source(single[name])
        )
        for name in order
    ]
    graphs = [argument(name, graph_source(graph)) for name, graph in case.graphs.items()]
    return tensors + graphs + [argument(name, literal(value)) for name, value in case.params.items()]
