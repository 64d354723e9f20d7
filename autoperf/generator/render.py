"""One readable Python file for each operator: it says in plain code what each case is, and it is what runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from autoperf.core.case import Case
from autoperf.core.errors import OutputError, RuleError
from autoperf.core.names import NAME
from autoperf.generator.literals import identifier
from autoperf.generator.views import FORMAT, imports, template, view

# What a rendered file uses of Python's own, and what Python gives each module.
_PYTHONS = ("dict", "SystemExit", "__builtins__", "__debug__", "__doc__", "__file__", "__name__")


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
    for name in (operator, category):
        if not NAME.fullmatch(name):
            raise RuleError(f"{name!r} is no name, so no file can be called so")
    functions = _function_names(cases)
    text = template("operator.py.jinja").render(
        operator=operator,
        category=category,
        mxnet=origin.mxnet,
        seed=origin.seed,
        source=origin.source,
        tier=origin.tier,
        format=FORMAT,
        filename=f"{operator}.py",
        imports=imports(cases, "main"),
        cases=[view(case, function) for case, function in zip(cases, functions, strict=True)],
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


def _function_names(cases: Sequence[Case]) -> list[str]:
    """A Python name for each case, made of its profile, and of a number where another has that already."""
    reserved = {*_PYTHONS, "SUITE", *imports(cases, "main")}
    taken = set(reserved)
    numbers: dict[str, int] = {}
    names = []
    for case in cases:
        stem = identifier(case.profile)
        name = stem = f"{stem}_" if stem in reserved else stem
        while name in taken:
            numbers[stem] = numbers.get(stem, 1) + 1
            name = f"{stem}_{numbers[stem]}"
        taken.add(name)
        names.append(name)
    return names
