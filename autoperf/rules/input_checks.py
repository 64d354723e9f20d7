"""Whether what a user's rule gives is made of what calls are made of."""

from __future__ import annotations

import json
from collections.abc import Mapping

import msgspec

from autoperf.core.errors import RuleError, UnknownNameError
from autoperf.core.names import is_name
from autoperf.core.operator import Value
from autoperf.core.tensors import DTYPES, Content, density_problem
from autoperf.rules.rule import Draft, Inputs
from autoperf.rules.rule_checks import check_profile


def check_canonical(source: str, canonical: object) -> dict[str, Inputs]:
    """The canonical inputs by profile. Raises RuleError, and UnknownNameError for a dtype."""
    if not isinstance(canonical, Mapping) or not canonical:
        raise RuleError(f"{source}: canonical is no mapping of profiles to inputs(...), or an empty one")
    for profile in canonical:
        check_profile(source, profile)
    return {profile: check_inputs(source, call) for profile, call in canonical.items()}


def check_inputs(source: str, call: object) -> Inputs:
    """The call, if it can be written down and read back. Raises RuleError, and UnknownNameError for a dtype."""
    if not isinstance(call, Inputs):
        raise RuleError(f"{source}: where inputs(...) belongs stands a value of type {type(call).__name__}")
    for name in (*call.tensors, *call.params, *call.graphs):
        if not is_name(name):
            raise RuleError(f"{source}: {name!r} is no name that an input or a parameter could have")
    for name, given in call.tensors.items():
        for draft in given if isinstance(given, tuple) else (given,):
            _check_draft(source, name, draft)
    try:
        msgspec.convert(dict(call.params), dict[str, Value])
        json.dumps(call.params, allow_nan=False)
    except (msgspec.ValidationError, ValueError) as error:
        raise RuleError(f"{source}: a parameter is no plain value: {error}") from error
    return _storable(source, call)


def _storable(source: str, call: Inputs) -> Inputs:
    """The call as it is read back from what is written of it."""
    try:
        return msgspec.msgpack.decode(msgspec.msgpack.encode(call), type=Inputs)
    except (msgspec.MsgspecError, TypeError, ValueError, OverflowError, RecursionError) as error:
        raise RuleError(f"{source}: its inputs can't be stored: {error}") from error


def _check_draft(source: str, name: str, draft: object) -> None:
    if not isinstance(draft, Draft):
        raise RuleError(f"{source}: the tensor {name} is no Draft but of type {type(draft).__name__}")
    if draft.dtype is not None and draft.dtype not in DTYPES:
        raise UnknownNameError(f"dtype of {name} in {source}", str(draft.dtype), DTYPES)
    if any(type(size) is not int or size < 0 for size in draft.shape):
        raise RuleError(f"{source}: the tensor {name} has the shape {draft.shape}, which no tensor has")
    if draft.content is not None and not isinstance(draft.content, Content):
        raise RuleError(f"{source}: the content of {name} is {draft.content!r}, not Uniform(...) or its like")
    wrong = density_problem(draft.density, draft.content)
    if wrong:
        raise RuleError(f"{source}: tensor {name}: {wrong}")
