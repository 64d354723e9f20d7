"""An input that a hunt tries: a rule's call, which can be edited, and the case that MXNet's inference makes of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from autoperf.cases.build import Completer
from autoperf.cases.resolution import members, request, resolve
from autoperf.core.case import Case
from autoperf.core.errors import RuleError, SandboxError, UserRuleError
from autoperf.core.operator import Operator, Value
from autoperf.core.work import Work, work_of
from autoperf.registry.calls import Completion
from autoperf.rules.rule import DRAWN, Draft, Inputs, InputSpec, Rule


@dataclass(frozen=True)
class Point:
    """A call whose undrafted tensors are of `dtype`, the case that it makes, and the work that the case asks for."""

    call: Inputs
    dtype: str
    case: Case
    work: Work

    @property
    def key(self) -> str:
        """What tells it from others."""
        return self.case.digest


Wanted: TypeAlias = tuple[Inputs, str]
"""A call and its dtype."""


class PointFactory:
    """Makes points of one operator; what inference refuses, or what is too large, makes none."""

    def __init__(
        self, operator: Operator, rule: Rule, completer: Completer, *, elements: int, max_bytes: int = 2**30
    ) -> None:
        self.operator, self.rule = operator, rule
        self._completer = completer
        self._elements = elements
        self._max_bytes = max_bytes

    def spec(self, dtype: str) -> InputSpec:
        """What the rule is told."""
        return InputSpec(self.operator, dtype, self._elements)

    def canonical(self, dtype: str) -> list[Point]:
        """The inputs that the rule knows by name."""
        calls = self.rule.canonical(self.spec(dtype)).values()
        return [point for point in self.make([(call, dtype) for call in calls], edited=False) if point]

    def drawn(self, dtype: str, seed: str, size: int, start: int) -> list[Point]:
        """Draws number `start` and following of a seed, without those that make no point."""
        calls = self.rule.drawn(self.spec(dtype), seed, size, start)
        return [point for point in self.make([(call, dtype) for call in calls]) if point]

    def given(self, case: Case) -> Point | None:
        """The point of a case that somebody else has made."""
        (point,) = self.make([(call_of(case, self.operator.variadic_count), self.rule.dtype)])
        return point

    def make(self, wanted: Sequence[Wanted], *, edited: bool = True) -> list[Point | None]:
        """A point, or None, for each.

        Raises SandboxError where a user's own formula ends its process, and UserRuleError where it fails on inputs
        that nobody has edited.
        """
        calls = [request(call, self.spec(dtype)) for call, dtype in wanted]
        if self.rule.inferable:
            completions = self._completer.complete(calls) if calls else []
        else:
            completions = [Completion(inputs=tuple(call.inputs.items()), dynamic=True) for call in calls]
        return [self._point(*one, completion, edited) for one, completion in zip(wanted, completions, strict=True)]

    def _point(self, call: Inputs, dtype: str, completion: Completion, edited: bool) -> Point | None:
        if completion.error or set(completion.unknown) - set(members(call)):
            return None
        case = resolve(call, self.spec(dtype), self.rule, DRAWN, completion)
        if case.input_bytes + case.output_bytes > self._max_bytes:
            return None
        try:
            return Point(call, dtype, case, work_of(case, self.rule.flops))
        except SandboxError:
            raise
        except (ArithmeticError, LookupError, TypeError, ValueError, RuleError) as error:
            if isinstance(error, UserRuleError) and not edited:
                raise
            # An edit may take a parameter to where the rule's formula doesn't reach: attention of no head.
            return None


def call_of(case: Case, counter: str = "") -> Inputs:
    """A case as a call in which every tensor is drafted; `counter` is the parameter that counts a list's tensors."""
    tensors: dict[str, Draft | tuple[Draft, ...]] = {}
    for item in case.inputs:
        stem, bracket, _ = item.name.partition("[")
        spec = item.tensor
        draft = Draft(spec.shape, spec.dtype, spec.content, spec.storage, spec.density)
        before = tensors.get(stem, ())
        tensors[stem] = (*before, draft) if bracket and isinstance(before, tuple) else draft
    # A loop's graph counts too, and its rule says so; what counts the tensors alone is counted anew.
    listed = sum("[" in item.name for item in case.inputs)
    params: dict[str, Value] = {
        name: value for name, value in case.params.items() if (name, value) != (counter, listed)
    }
    return Inputs(tensors, params, case.in_place, case.training, dict(case.graphs), case.way)
