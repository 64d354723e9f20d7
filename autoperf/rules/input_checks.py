"""Checks of the inputs that user rules return."""

from __future__ import annotations

import json
from collections.abc import Mapping

import msgspec

from autoperf.core.errors import RuleError, UnknownNameError
from autoperf.core.names import is_name
from autoperf.core.operator import Value
from autoperf.core.tensors import DTYPES, Content, tensor_problem
from autoperf.rules.rule import Draft, Inputs
from autoperf.rules.rule_checks import check_profile


def check_canonical(source: str, canonical: object) -> dict[str, Inputs]:
    """The canonical inputs by profile. Raises RuleError, and UnknownNameError for a dtype."""
    if not isinstance(canonical, Mapping) or not canonical:
        raise RuleError(f"{source}: invalid canonical: expected a mapping of profiles to inputs(...), not empty")
    for profile in canonical:
        check_profile(source, profile)
    return {profile: check_inputs(source, call) for profile, call in canonical.items()}


def check_inputs(source: str, call: object) -> Inputs:
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
