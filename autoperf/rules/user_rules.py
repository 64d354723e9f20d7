"""Rules of a user, read from files: for operators of custom builds, or for other inputs than the built-in ones.

Lines in these files are implementations of operators in other frameworks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
from hypothesis import strategies as st

from autoperf.core.case import Case
from autoperf.core.errors import RuleError
from autoperf.core.operator import Operator
from autoperf.implementations.implementation import Implementation
from autoperf.implementations.line_checks import UserLine
from autoperf.rules.catalog import Catalog, catalog_of
from autoperf.rules.rule import Inputs, InputSpec, Rule
from autoperf.rules.sandbox import CANONICAL, DRAW, HOLDS, OPTIONAL, Limits, RuleData, RuleFunction, Sandbox

DrawBlock: TypeAlias = Callable[[InputSpec, str, int, int], list[Inputs]]


@dataclass(frozen=True)
class UserRule(Rule):
    """A user's rule, whose functions run in the sandbox.

    They raise UserRuleError if they fail, and SandboxError if they time out or end the process.
    """

    draw_block: DrawBlock = field(kw_only=True)

    def drawn(self, spec: InputSpec, seed: str, size: int, start: int = 0) -> list[Inputs]:
        """Draws number `start` to `start + size - 1` of a seed, without those that the rule's strategy rejects."""
        return self.draw_block(spec, seed, size, start)


@dataclass(frozen=True)
class UserRules:
    """The rules of a user's files, and the sandbox that runs them; by number, the lines follow the rules."""

    catalog: Catalog
    sandbox: Sandbox
    lines: Mapping[int, UserLine] = field(default_factory=dict)

    def implementations(self, framework: str, operator: Operator, case: Case) -> Iterator[Implementation]:
        """The implementations in a framework by lines that hold for a case. Raises UserRuleError for a condition."""
        for number, entry in self.lines.items():
            line = entry.line
            if framework not in line.expressions or not set(line.operators) & set(operator.names):
                continue
            if not line.when or self.sandbox.call(number, entry.source, HOLDS, operator, case):
                yield msgspec.structs.replace(line.implementation(framework, operator.name), origin="user")


@contextmanager
def user_rules(paths: Sequence[Path], limits: Limits | None = None) -> Iterator[UserRules]:
    """A context with the rules and lines in these Python files and folders.

    Raises RuleError for a path that has neither, for a file that fails, and for two rules for one name.
    """
    with Sandbox(paths, limits) as sandbox:
        described = sandbox.describe()
        rules = [_user_rule(sandbox, number, data) for number, data in enumerate(described.rules)]
        lines = dict(enumerate(described.lines, len(rules)))
        yield UserRules(catalog_of([*rules, *described.exclusions]), sandbox, lines)


def _user_rule(sandbox: Sandbox, number: int, data: RuleData) -> UserRule:
    def function(called: RuleFunction[Any]) -> Callable[..., Any]:
        return partial(sandbox.call, number, data.source, called)

    def draw(_draw: st.DrawFn, _spec: InputSpec) -> Inputs:
        raise RuleError(f"{data.source}: a user's rule draws in the sandbox only")

    fields = msgspec.structs.asdict(data)
    given = fields.pop("functions")
    functions: dict[str, Any] = {each.name: function(each) for each in OPTIONAL if each.name in given}
    return UserRule(**fields, **functions, canonical=function(CANONICAL), draw=draw, draw_block=function(DRAW))
