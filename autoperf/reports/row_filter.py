"""The selection of rows of a stored run or comparison by operator, category and profile."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Protocol

from autoperf.core.errors import UnknownNameError
from autoperf.core.layers import PREFIX
from autoperf.core.modes import profile_names
from autoperf.registry.spellings import layer_name, spellings
from autoperf.rules.categories import CATEGORIES, GROUPS, find_group

_GLOB = frozenset("*?[")


class NamedRow(Protocol):
    """The attributes of a row that a filter reads."""

    @property
    def operator(self) -> str:
        """The operator's name."""

    @property
    def category(self) -> str:
        """The row's category."""

    @property
    def profile(self) -> str:
        """The profile of the case."""


@dataclass(frozen=True, slots=True)
class RowFilter:
    """Names or globs of operators, categories or opperf's groups, and profiles; empty means all.

    A category may be one of a rule, or of the run alone, such as `network`. An operator may be named as in the run, or
    as Python calls it: `gluon.nn.Dense` for gluon_Dense, `np.add`.
    """

    operators: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    profiles: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """Whether it leaves out anything."""
        return bool(self.operators or self.categories or self.profiles)

    def positions(self, rows: Iterable[NamedRow], source: str = "run") -> list[int]:
        """The positions of the rows that it keeps.

        Raises UnknownNameError for a name that no row has; its message says that it isn't in this `source`.
        """
        names: dict[str, set[str]] = {"operator": set(), "category": set(), "profile": set()}
        kept = []
        for position, row in enumerate(rows):
            for kind, known in names.items():
                known.update(profile_names(row.profile) if kind == "profile" else {getattr(row, kind)})
            if self.keeps(row):
                kept.append(position)
        self._check(names, source)
        return kept

    def keeps(self, row: NamedRow) -> bool:
        """Whether a row is shown."""
        return (
            (not self.operators or any(_is_named(row.operator, name) for name in self.operators))
            and (not self.categories or any(_is_in(row, name) for name in self.categories))
            and (not self.profiles or not profile_names(row.profile).isdisjoint(self.profiles))
        )

    def _check(self, names: dict[str, set[str]], source: str) -> None:
        for name in self.operators:
            if not any(_is_named(operator, name) for operator in names["operator"]):
                raise UnknownNameError(f"operator of this {source}", name, names["operator"])
        for name in self.categories:
            if name not in names["category"] and find_group(name) is None:
                raise UnknownNameError("category", name, {*names["category"], *CATEGORIES, *GROUPS})
        for name in self.profiles:
            if name not in names["profile"]:
                raise UnknownNameError(f"profile of this {source}", name, names["profile"])


def _is_named(name: str, pattern: str) -> bool:
    if name.startswith(PREFIX):
        return any(fnmatchcase(known, layer_name(pattern)) for known in _layer_names(name))
    return fnmatchcase(name, pattern) if _GLOB & set(pattern) else name in spellings(pattern)


def _layer_names(name: str) -> tuple[str, ...]:
    """The names of a layer by the modules that have it: gluon_nn_Dense."""
    # Not at the top: most reports need no rules, whose import takes a while.
    from autoperf.rules.gluon_layers.layer import gluon_layers_by_name  # noqa: PLC0415

    layer = gluon_layers_by_name().get(name)
    return layer.operator.names if layer else (name,)


def _is_in(row: NamedRow, name: str) -> bool:
    group = find_group(name)
    return row.category == name or (group is not None and group.holds(row.category, (row.operator,)))
