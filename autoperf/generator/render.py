"""One readable Python file for each operator: it says in plain code what each case is, and it is what runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from autoperf.core.case import Case
from autoperf.core.errors import OutputError, RuleError
from autoperf.core.tensors import TensorSpec
from autoperf.generator.literals import content_kind, graph_source, identifier, literal, tensor_source

FORMAT = 1


@dataclass(frozen=True)
class Rendered:
    """A file's text, and which of its functions is which case."""

    operator: str
    category: str
    text: str
    functions: dict[str, str]

    @property
    def path(self) -> Path:
        """Where the file belongs, below the suite's folder: `category/operator.py`."""
        return Path(self.category) / f"{self.operator}.py"


@dataclass(frozen=True)
class Origin:
    """Where cases come from: the release, the seed, and the rule that made them."""

    mxnet: str
    seed: int
    source: str
    tier: str


def render(cases: Sequence[Case], origin: Origin) -> Rendered:
    """The file of one operator's cases. Raises RuleError where they are not of one operator."""
    operators = {(case.operator, case.category) for case in cases}
    if len(operators) != 1:
        raise RuleError(f"a rendered file holds one operator's cases, not those of {sorted(operators)!r}")
    operator, category = next(iter(operators))
    functions = _function_names(cases)
    text = _template().render(
        operator=operator,
        category=category,
        mxnet=origin.mxnet,
        seed=origin.seed,
        source=origin.source,
        tier=origin.tier,
        format=FORMAT,
        filename=f"{operator}.py",
        imports=_imports(cases),
        cases=[_view(case, function) for case, function in zip(cases, functions, strict=True)],
    )
    named = {case.id: function for case, function in zip(cases, functions, strict=True)}
    return Rendered(operator, category, text, named)


def write(rendered: Rendered, folder: Path) -> Path:
    """Write the file below `folder`. Raises OutputError."""
    path = folder / rendered.path
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(rendered.text, encoding="utf-8")
    except OSError as error:
        raise OutputError(f"can't write {path}: {error.strerror}") from error
    return path


@lru_cache(maxsize=1)
def _template() -> Template:
    environment = Environment(
        loader=PackageLoader("autoperf.generator"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 - the output is Python, and every value goes through `literal`
    )
    environment.filters["literal"] = literal
    return environment.get_template("operator.py.jinja")


def _function_names(cases: Sequence[Case]) -> list[str]:
    taken = {"SUITE", "dict", *_imports(cases)}
    counts: dict[str, int] = {}
    names = []
    for case in cases:
        stem = identifier(case.profile)
        stem = f"{stem}_" if stem in taken else stem
        counts[stem] = counts.get(stem, 0) + 1
        names.append(stem if counts[stem] == 1 else f"{stem}_{counts[stem]}")
    return names


def _imports(cases: Sequence[Case]) -> list[str]:
    kinds = {content_kind(item.tensor.content) for case in cases for item in case.inputs}
    tensors = {"tensor"} if kinds else set()
    graphs = {"graph", "node"} if any(case.graphs for case in cases) else set()
    return sorted({"Suite", "case", "main", *kinds, *tensors, *graphs}, key=lambda name: (not name[0].isupper(), name))


def _view(case: Case, function: str) -> dict[str, object]:
    decoration = [literal(case.id), f"profile={literal(case.profile)}"]
    if case.in_place:
        decoration.append(f"in_place={literal(case.in_place)}")
    if not case.training:
        decoration.append("training=False")
    if case.way != "call" and not (case.graphs and case.way == "graph"):
        decoration.append(f"way={literal(case.way)}")
    return {"function": function, "decoration": decoration, "arguments": _arguments(case)}


def _arguments(case: Case) -> list[str]:
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
        f"{name}=[{', '.join(map(tensor_source, lists[name]))}]"
        if name in lists
        else f"{name}={tensor_source(single[name])}"
        for name in order
    ]
    graphs = [f"{name}={graph_source(graph)}" for name, graph in case.graphs.items()]
    return tensors + graphs + [f"{name}={literal(value)}" for name, value in case.params.items()]
