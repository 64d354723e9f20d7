"""An input of a hunt: a rule's call, which can be edited, and the case that MXNet's inference completes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

import msgspec

from autoperf.backends.contents import differentiable_inputs
from autoperf.cases import build
from autoperf.core.case import Case, Input
from autoperf.core.errors import EngineError, RuleError, SandboxError, UserRuleError
from autoperf.core.operator import Operator, Value
from autoperf.core.tensors import AnyContent, Patterned, default_content
from autoperf.core.work import Work, work_of
from autoperf.hunt.edits import Dimension, resized
from autoperf.registry.calls import Completion
from autoperf.registry.client import RegistryClient
from autoperf.rules.rule import DRAWN, Draft, Inputs, InputSpec, Rule


@dataclass(frozen=True)
class Point:
    """A call, the dtype of its tensors without one, its case, the work of both passes, and the number of its side.

    `backward` is None without a formula for its work. A hunt of one build has only side 0.
    """

    call: Inputs
    dtype: str
    case: Case
    work: Work
    side: int = 0
    backward: Work | None = None

    @cached_property
    def key(self) -> str:
        """The identity of the point: the digest of the case, and the side."""
        return f"{self.case.digest}/{self.side}" if self.side else self.case.digest

    def resized(self, dimension: Dimension, size: int) -> list[TypedCall]:
        """Alternatives of the call with another length of a dimension, as by `edits.resized`."""
        return [(call, self.dtype) for call in resized(self.call, dimension, size)]


TypedCall: TypeAlias = tuple[Inputs, str]
"""A call and its dtype."""


class PointFactory:
    """Makes points of one operator on one side, except for calls that inference refuses or that are too large."""

    def __init__(
        self,
        operator: Operator,
        rule: Rule,
        completer: RegistryClient,
        *,
        elements: int,
        max_bytes: int = 2**30,
        side: int = 0,
    ) -> None:
        self.operator, self.rule, self.side = operator, rule, side
        self._completer = completer
        self.elements = elements
        self._max_bytes = max_bytes

    def spec(self, dtype: str, elements: int | None = None) -> InputSpec:
        """The input specification for the rule, with the factory's number of elements by default."""
        return InputSpec(self.operator, dtype, elements or self.elements)

    def canonical(self, dtype: str) -> list[Point]:
        """The rule's canonical inputs."""
        calls = self.rule.canonical(self.spec(dtype)).values()
        return [point for point in self.make([(call, dtype) for call in calls], edited=False) if point]

    def drawn(self, dtype: str, seed: str, size: int, start: int, elements: int | None = None) -> list[Point]:
        """The points of draws number `start` to `start + size - 1` of a seed."""
        calls = self.rule.drawn(self.spec(dtype, elements), seed, size, start)
        return [point for point in self.make([(call, dtype) for call in calls]) if point]

    def from_case(self, case: Case) -> Point | str:
        """The point of an existing case, or why it has none: inference, tensors that don't fit, its size."""
        dtypes = [item.tensor.dtype for item in case.inputs]
        dtype = self.rule.dtype if self.rule.dtype in dtypes or not dtypes else dtypes[0]
        call = call_of(case, self.operator.variadic_count)
        try:
            call = _as_stated(call, build.stated_contents(case, self.rule))
        except EngineError as error:
            return str(error)
        (made,) = self._made([(call, dtype)], edited=True)
        return made

    def make(self, requests: Sequence[TypedCall], *, edited: bool = True) -> list[Point | None]:
        """A point, or None, for each.

        Raises SandboxError where a user's own formula ends its process, and UserRuleError where it fails on inputs
        that are not `edited`.
        """
        return [made if isinstance(made, Point) else None for made in self._made(requests, edited=edited)]

    def first(self, requests: Sequence[TypedCall]) -> Point | None:
        """The point of the first of these calls that has one."""
        return next((point for point in self.make(requests) if point), None)

    def _made(self, requests: Sequence[TypedCall], *, edited: bool) -> list[Point | str]:
        calls = [build.inference_call(call, self.spec(dtype)) for call, dtype in requests]
        if self.rule.inferable:
            completions = self._completer.complete(calls) if calls else []
        else:
            completions = [Completion(inputs=tuple(call.inputs.items()), dynamic=True) for call in calls]
        return [
            self._point(*typed_call, completion, edited)
            for typed_call, completion in zip(requests, completions, strict=True)
        ]

    def _point(self, call: Inputs, dtype: str, completion: Completion, edited: bool) -> Point | str:
        if completion.error:
            return f"{self._completer.title} refuses these inputs: {completion.error}"
        if unknown := set(completion.unknown) - set(build.flat_tensors(call)):
            return f"the shape of {min(unknown)} is unknown"
        try:
            return self._completed(call, dtype, completion)
        except SandboxError:
            raise
        except (EngineError, UserRuleError) as error:
            if isinstance(error, UserRuleError) and not edited:
                raise
            return str(error)
        except (ArithmeticError, LookupError, TypeError, ValueError, RuleError) as error:
            # An edited parameter may be outside the formula's domain, such as attention with 0 heads.
            return f"the rule can't count its work: {error}"

    def _completed(self, call: Inputs, dtype: str, completion: Completion) -> Point | str:
        """The point of a call that inference accepted, or why it can't be hunted."""
        case = _with_own_contents(build.resolve(call, self.spec(dtype), self.rule, DRAWN, completion))
        if problem := self._problem(case):
            return problem
        work, backward = works_of(case, self.rule)
        return Point(_with_contents(call, case), dtype, case, work, self.side, backward)

    def _problem(self, case: Case) -> str:
        """Why a case that inference accepts can't be hunted; else empty."""
        # A list of tensors may have lost one that the operator writes.
        if lost := set(case.in_place) - {item.name for item in case.inputs}:
            return f"{min(lost)}, which the operator writes, is missing"
        if misfit := self.rule.misfit(case):
            return build.unchecked(misfit, self._completer.title)
        if case.input_bytes + case.output_bytes > self._max_bytes:
            return "its tensors take more memory than a hunt's may"
        return ""


def _with_contents(call: Inputs, case: Case) -> Inputs:
    """The call with what its tensors hold, marked where the rule states it, so that it follows changes of the call."""
    tensors = {item.name: item.tensor for item in case.inputs}

    def filled(name: str, draft: Draft) -> Draft:
        if draft.content and not draft.by_rule:
            return draft
        content = tensors[name].content
        is_default = content == default_content(tensors[name].dtype)
        return replace(draft, content=None if is_default else content, by_rule=not is_default)

    return build.with_drafts(call, filled)


def _as_stated(call: Inputs, stated: Mapping[str, AnyContent]) -> Inputs:
    """The call whose contents are marked where they are those that the rule states, or patterns of them."""

    def marked(name: str, draft: Draft) -> Draft:
        content = draft.content.content if isinstance(draft.content, Patterned) else draft.content
        return replace(draft, by_rule=content is not None and content == stated.get(name))

    return build.with_drafts(call, marked)


def works_of(case: Case, rule: Rule) -> tuple[Work, Work | None]:
    """The work of both passes by a rule; None for a backward pass without a formula, or not determined by the sizes.

    A backward pass without operations moves as much as the forward pass. Raises what the formula of the forward pass
    raises, and SandboxError.
    """
    forward = work_of(case, rule.counted, rule.moves, rule.unread, rule.updated(case))
    try:
        backward = rule.backward_work(case, differentiable_inputs(case)) if case.has_backward else None
    except SandboxError:
        raise
    except (ArithmeticError, LookupError, TypeError, ValueError, RuleError):
        return forward, None
    if backward and rule.moves and not backward.flops:
        backward = msgspec.structs.replace(backward, flops=forward.flops)
    return forward, backward


def _with_own_contents(case: Case) -> Case:
    """The case with a mark at contents that a hunt made, so that reports show them."""
    whole = default_content("int64")

    def marked(item: Input) -> Input:
        is_kept = "float" in item.tensor.dtype and item.tensor.content == whole
        is_own = is_kept or isinstance(item.tensor.content, Patterned)
        return msgspec.structs.replace(item, own_content=True) if is_own else item

    return msgspec.structs.replace(case, inputs=tuple(map(marked, case.inputs)))


def call_of(case: Case, counter: str = "") -> Inputs:
    """The call of a case, with every tensor specified; `counter` is the parameter that counts a list's tensors."""
    tensors: dict[str, Draft | tuple[Draft, ...]] = {}
    for item in case.inputs:
        stem, bracket, _ = item.name.partition("[")
        spec = item.tensor
        draft = Draft(spec.shape, spec.dtype, spec.content, spec.storage, spec.density)
        before = tensors.get(stem, ())
        tensors[stem] = (*before, draft) if bracket and isinstance(before, tuple) else draft
    # The counter is inferred from the tensors, unless it has another value, as in a rule for loops.
    listed = sum("[" in item.name for item in case.inputs)
    params: dict[str, Value] = {
        name: value for name, value in case.params.items() if (name, value) != (counter, listed)
    }
    return Inputs(tensors, params, case.in_place, case.training, dict(case.graphs), case.way)
