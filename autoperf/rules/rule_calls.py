"""Calls the functions of a user's rules, in the process of the sandbox only, and checks the values that they return."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import replace

import msgspec
from hypothesis import strategies as st

from autoperf.core.case import Case
from autoperf.core.errors import RuleError, UnknownNameError
from autoperf.core.names import is_name
from autoperf.core.operator import Operator, Value
from autoperf.core.tensors import DTYPES, Content, tensor_problem
from autoperf.core.work import Work
from autoperf.rules.rule import Draft, Inputs, InputSpec, Rule
from autoperf.rules.rule_checks import check_profile
from autoperf.rules.rule_files import as_rule_error


def canonical_of(rule: Rule, spec: InputSpec) -> dict[str, Inputs]:
    """The rule's canonical inputs. Raises AutoperfError, which names the rule."""
    with as_rule_error(f"{rule.source}: its canonical inputs"):
        made = rule.canonical(spec)
    return _check_canonical(rule.source, made)


def drawn_of(rule: Rule, spec: InputSpec, seed: str, size: int, start: int) -> list[Inputs]:
    """Inputs that the rule draws. Raises AutoperfError, which names the rule."""

    def draw(drawing: st.DrawFn, spec: InputSpec) -> Inputs:
        with as_rule_error(rule.source):
            made = rule.draw(drawing, spec)
        return _check_inputs(rule.source, made)

    with as_rule_error(rule.source):
        return replace(rule, draw=draw).drawn(spec, seed, size, start)


def matches(rule: Rule, operator: Operator) -> bool:
    """Whether the rule applies to the operator by its signature. Raises AutoperfError, which names the rule."""
    with as_rule_error(f"{rule.source}: its matcher"):
        return bool(rule.matches and rule.matches(operator))


def flops_of(rule: Rule, case: Case) -> float:
    """The operations of a case. Raises AutoperfError, which names the rule."""
    what = f"{rule.source}: its flops"
    with as_rule_error(what):
        counted = float(rule.flops(case)) if rule.flops else 0.0
    _check_count(what, case, counted)
    return counted


def backward_work_of(rule: Rule, case: Case, gradients: tuple[str, ...]) -> Work:
    """The work of a case's backward pass. Raises AutoperfError, which names the rule."""
    what = f"{rule.source}: its backward work"
    if rule.backward is None:
        raise RuleError(f"{what}: expected a function")
    with as_rule_error(what):
        made = rule.backward(case, gradients)
        work = Work(*(float(getattr(made, field)) for field in Work.__struct_fields__))
    for field in Work.__struct_fields__:
        _check_count(what, case, getattr(work, field))
    return work


def _check_count(what: str, case: Case, counted: float) -> None:
    """Raises RuleError for a number that counts nothing."""
    if not math.isfinite(counted) or counted < 0:
        raise RuleError(f"{what}: invalid count {counted} of {case.id}: expected a finite number of at least 0")


def _check_canonical(source: str, canonical: object) -> dict[str, Inputs]:
    """The canonical inputs by profile. Raises RuleError, and UnknownNameError for a dtype."""
    if not isinstance(canonical, Mapping) or not canonical:
        raise RuleError(f"{source}: invalid canonical: expected a mapping of profiles to inputs(...), not empty")
    for profile in canonical:
        check_profile(source, profile)
    return {profile: _check_inputs(source, call) for profile, call in canonical.items()}


def _check_inputs(source: str, call: object) -> Inputs:
    """The call as it is stored. Raises RuleError, and UnknownNameError for a dtype."""
    if not isinstance(call, Inputs):
        raise RuleError(f"{source}: invalid inputs of type {type(call).__name__}: expected inputs(...)")
    for name in (*call.tensors, *call.params, *call.graphs):
        if not is_name(name):
            raise RuleError(
                f"{source}: invalid name {name!r} of an input or a parameter: expected letters, digits and underscores"
            )
    for name, drafts in call.tensors.items():
        for draft in drafts if isinstance(drafts, tuple) else (drafts,):
            _check_draft(source, name, draft)
    try:
        msgspec.convert(dict(call.params), dict[str, Value])
        json.dumps(call.params, allow_nan=False)
    except (msgspec.ValidationError, ValueError) as error:
        raise RuleError(f"{source}: invalid parameter: expected a plain value: {error}") from error
    return _storable(source, call)


def _storable(source: str, call: Inputs) -> Inputs:
    """The call after a round trip through serialisation."""
    try:
        return msgspec.msgpack.decode(msgspec.msgpack.encode(call), type=Inputs)
    except (msgspec.MsgspecError, TypeError, ValueError, OverflowError, RecursionError) as error:
        raise RuleError(f"{source}: its inputs can't be stored: {error}") from error


def _check_draft(source: str, name: str, draft: object) -> None:
    if not isinstance(draft, Draft):
        raise RuleError(f"{source}: invalid tensor {name} of type {type(draft).__name__}: expected a Draft")
    if draft.dtype is not None and draft.dtype not in DTYPES:
        raise UnknownNameError(f"dtype of {name} in {source}", str(draft.dtype), DTYPES)
    if any(type(size) is not int or size < 0 for size in draft.shape):
        raise RuleError(
            f"{source}: invalid shape {draft.shape} of the tensor {name}: expected whole numbers of at least 0"
        )
    if draft.content is not None and not isinstance(draft.content, Content):
        raise RuleError(
            f"{source}: invalid content {draft.content!r} of the tensor {name}: expected a content such as Uniform(...)"
        )
    problem = tensor_problem(draft.density, draft.content)
    if problem:
        raise RuleError(f"{source}: tensor {name}: {problem}")
