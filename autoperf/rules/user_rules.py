"""A user's own rules, read from files: for operators of one's own build, or for other inputs than the built-in ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TypeAlias

from hypothesis import strategies as st

from autoperf.core.case import Case
from autoperf.core.errors import AutoperfError, RuleError, UserRuleError
from autoperf.core.operator import Operator
from autoperf.rules.catalog import Catalog, catalog_of
from autoperf.rules.input_checks import check_canonical, check_inputs
from autoperf.rules.rule import Exclusion, Inputs, InputSpec, Rule
from autoperf.rules.sandbox import Limits, Sandbox
from autoperf.rules.sandbox_messages import (
    Canonical,
    CanonicalRequest,
    Counted,
    Drawn,
    DrawRequest,
    FlopsRequest,
    Matched,
    MatchRequest,
    RuleData,
)

DrawBlock: TypeAlias = Callable[[InputSpec, str, int, int], list[Inputs]]


@dataclass(frozen=True)
class UserRule(Rule):
    """A rule of a user's, whose functions run in the sandbox.

    Where they fail they raise UserRuleError, and SandboxError where they don't come to an end or end their process.
    """

    draw_block: DrawBlock = field(kw_only=True)

    def drawn(self, spec: InputSpec, seed: str, size: int, start: int = 0) -> list[Inputs]:
        """Draws number `start` to `start + size - 1` of a seed, without those that the rule's strategy rejects."""
        return self.draw_block(spec, seed, size, start)


@dataclass(frozen=True)
class UserRules:
    """The rules of a user's files, and the process that runs them."""

    catalog: Catalog
    sandbox: Sandbox


@contextmanager
def user_rules(paths: Sequence[Path], limits: Limits | None = None) -> Iterator[UserRules]:
    """The rules in these Python files, and in the Python files of these folders, as long as the context lasts.

    Raises RuleError for a path that has no rule, for a file that fails, and for two rules for one name.
    """
    with Sandbox(paths, limits) as sandbox:
        described = sandbox.describe()
        rules = [_user_rule(sandbox, number, data) for number, data in enumerate(described.rules)]
        excluded = [Exclusion(one.names, one.reason, one.evidence, one.since) for one in described.exclusions]
        yield UserRules(catalog_of([*rules, *excluded]), sandbox)


def _user_rule(sandbox: Sandbox, number: int, data: RuleData) -> UserRule:
    functions = _Functions(sandbox, number, data.source)
    return UserRule(
        names=data.names,
        category=data.category,
        canonical=functions.canonical,
        draw=functions.draw,
        source=data.source,
        matches=functions.matches if data.matches else None,
        dtype=data.dtype,
        fill=data.fill,
        rank=data.rank,
        inferable=data.inferable,
        dtypes=data.dtypes,
        flops=functions.flops if data.flops else None,
        draw_block=functions.draw_block,
    )


@contextmanager
def _untrusted() -> Iterator[None]:
    """What the sandbox has checked already is checked again, since a user's code may answer in its place."""
    try:
        yield
    except AutoperfError as error:
        raise UserRuleError(str(error)) from error


@dataclass(frozen=True)
class _Functions:
    """What a rule can be asked, answered by the sandbox; what it answers is checked here too."""

    sandbox: Sandbox
    number: int
    source: str

    def canonical(self, spec: InputSpec) -> Mapping[str, Inputs]:
        request = CanonicalRequest(self.number, spec)
        reply = self.sandbox.ask(request, Canonical, self.number, f"{self.source}: its canonical inputs")
        with _untrusted():
            return check_canonical(self.source, reply.inputs)

    def draw_block(self, spec: InputSpec, seed: str, size: int, start: int) -> list[Inputs]:
        request = DrawRequest(self.number, spec, seed, size, start)
        reply = self.sandbox.ask(request, Drawn, self.number, f"{self.source}: its draw")
        with _untrusted():
            return list(map(partial(check_inputs, self.source), reply.inputs))

    def draw(self, _draw: st.DrawFn, _spec: InputSpec) -> Inputs:
        raise RuleError(f"{self.source}: a user's rule draws in its own process only")

    def matches(self, operator: Operator) -> bool:
        request = MatchRequest(self.number, operator)
        return self.sandbox.ask(request, Matched, self.number, f"{self.source}: its matcher").matches

    def flops(self, case: Case) -> float:
        request = FlopsRequest(self.number, case)
        return self.sandbox.ask(request, Counted, self.number, f"{self.source}: its flops").flops
