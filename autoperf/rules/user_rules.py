"""Rules of a user, read from files: for operators of custom builds, or for other inputs than the built-in ones."""

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
from autoperf.core.work import Work
from autoperf.rules.catalog import Catalog, catalog_of
from autoperf.rules.input_checks import check_canonical, check_inputs
from autoperf.rules.rule import Exclusion, Inputs, InputSpec, Rule
from autoperf.rules.sandbox import Limits, Sandbox
from autoperf.rules.sandbox_messages import (
    BackwardWorkRequest,
    Canonical,
    CanonicalRequest,
    Counted,
    CountedBackward,
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
    """A user's rule, whose functions run in the sandbox.

    They raise UserRuleError if they fail, and SandboxError if they time out or end the process.
    """

    draw_block: DrawBlock = field(kw_only=True)

    def drawn(self, spec: InputSpec, seed: str, size: int, start: int = 0) -> list[Inputs]:
        """Draws number `start` to `start + size - 1` of a seed, without those that the rule's strategy rejects."""
        return self.draw_block(spec, seed, size, start)


@dataclass(frozen=True)
class UserRules:
    """The rules of a user's files, and the sandbox that runs them."""

    catalog: Catalog
    sandbox: Sandbox


@contextmanager
def user_rules(paths: Sequence[Path], limits: Limits | None = None) -> Iterator[UserRules]:
    """A context with the rules in these Python files and folders.

    Raises RuleError for a path that has no rule, for a file that fails, and for two rules for one name.
    """
    with Sandbox(paths, limits) as sandbox:
        described = sandbox.describe()
        rules = [_user_rule(sandbox, number, data) for number, data in enumerate(described.rules)]
        excluded = [
            Exclusion(exclusion.names, exclusion.reason, exclusion.evidence, exclusion.since)
            for exclusion in described.exclusions
        ]
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
        backward=functions.backward if data.backward else None,
        limits=data.limits,
        layer=data.layer,
        draw_block=functions.draw_block,
    )


@contextmanager
def _as_user_rule_error() -> Iterator[None]:
    """Turns failed checks into UserRuleError; replies are checked again, since user code may forge them."""
    try:
        yield
    except AutoperfError as error:
        raise UserRuleError(str(error)) from error


@dataclass(frozen=True)
class _Functions:
    """The functions of a rule, which the sandbox runs; their results are checked here too."""

    sandbox: Sandbox
    number: int
    source: str

    def canonical(self, spec: InputSpec) -> Mapping[str, Inputs]:
        request = CanonicalRequest(self.number, spec)
        reply = self.sandbox.ask(request, Canonical, self.number, f"{self.source}: its canonical inputs")
        with _as_user_rule_error():
            return check_canonical(self.source, reply.inputs)

    def draw_block(self, spec: InputSpec, seed: str, size: int, start: int) -> list[Inputs]:
        request = DrawRequest(self.number, spec, seed, size, start)
        reply = self.sandbox.ask(request, Drawn, self.number, f"{self.source}: its draw")
        with _as_user_rule_error():
            return list(map(partial(check_inputs, self.source), reply.inputs))

    def draw(self, _draw: st.DrawFn, _brief: InputSpec) -> Inputs:
        raise RuleError(f"{self.source}: a user's rule draws in the sandbox only")

    def matches(self, operator: Operator) -> bool:
        request = MatchRequest(self.number, operator)
        return self.sandbox.ask(request, Matched, self.number, f"{self.source}: its matcher").matches

    def flops(self, case: Case) -> float:
        request = FlopsRequest(self.number, case)
        return self.sandbox.ask(request, Counted, self.number, f"{self.source}: its flops").flops

    def backward(self, case: Case, gradients: tuple[str, ...]) -> Work:
        request = BackwardWorkRequest(self.number, case, gradients)
        return self.sandbox.ask(request, CountedBackward, self.number, f"{self.source}: its backward work").work
