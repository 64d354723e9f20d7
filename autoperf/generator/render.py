"""Renders one Python file per operator, which defines each case in plain code and can be run by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from autoperf.core.case import Case
from autoperf.core.errors import OutputError, RuleError
from autoperf.core.names import IDENTIFIER, NAME
from autoperf.generator.literals import FORMAT, identifier, imports, template, view

# Built-in names that a rendered file uses, and names that Python defines in each module.
_BUILTIN_NAMES = ("dict", "SystemExit", "__builtins__", "__debug__", "__doc__", "__file__", "__name__")


@dataclass(frozen=True)
class RenderedFile:
    """The text of an operator's file."""

    operator: str
    category: str
    text: str

    @property
    def path(self) -> Path:
        """The file's path in the suite's folder: `category/operator.py`."""
        return Path(self.category) / f"{self.operator}.py"


@dataclass(frozen=True)
class Origin:
    """The origin of cases: the release, the seed, the rule, and the framework's name."""

    mxnet: str
    seed: int
    source: str
    tier: str
    framework: str = "MXNet"


def render(cases: Sequence[Case], origin: Origin) -> RenderedFile:
    """The file of one operator's cases. Raises RuleError for cases of several operators or an invalid name."""
    operators = {(case.operator, case.category) for case in cases}
    if len(operators) != 1:
        raise RuleError(f"invalid cases: expected one operator, not {sorted(operators)!r}")
    operator, category = next(iter(operators))
    for name in (operator, category):
        if not NAME.fullmatch(name):
            raise RuleError(f"invalid name {name!r}: expected {IDENTIFIER}")
    text = template("operator.py.jinja").render(
        operator=operator,
        category=category,
        framework=origin.framework,
        mxnet=origin.mxnet,
        seed=origin.seed,
        source=origin.source,
        tier=origin.tier,
        format=FORMAT,
        filename=f"{operator}.py",
        imports=imports(cases, "main"),
        cases=list(map(view, cases, _function_names(cases))),
    )
    return RenderedFile(operator, category, text)


def write(rendered: RenderedFile, folder: Path) -> Path:
    """Writes the file below `folder`. Raises OutputError."""
    path = folder / rendered.path
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(rendered.text, encoding="utf-8")
    except OSError as error:
        raise OutputError(f"can't write {path}: {error.strerror}") from error
    return path


def _function_names(cases: Sequence[Case]) -> list[str]:
    """A unique Python name for each case: its profile, with a number if needed."""
    reserved = {*_BUILTIN_NAMES, "SUITE", *imports(cases, "main")}
    used = set(reserved)
    numbers: dict[str, int] = {}
    names = []
    for case in cases:
        stem = identifier(case.profile)
        name = stem = f"{stem}_" if stem in reserved else stem
        while name in used:
            numbers[stem] = numbers.get(stem, 1) + 1
            name = f"{stem}_{numbers[stem]}"
        used.add(name)
        names.append(name)
    return names
