"""Checks of the data of a rule: names, profiles, dtypes and contents."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from autoperf.core.errors import RuleError, UnknownNameError
from autoperf.core.tensors import DTYPES, AnyContent
from autoperf.core.texts import escape_controls, is_name
from autoperf.rules.categories import CATEGORIES
from autoperf.rules.dims import invalid_dims

MAX_PROFILE = 100


def check_names(source: str, names: object) -> None:
    """Raises RuleError unless `names` is a tuple of names that an operator could have."""
    if not isinstance(names, tuple):
        raise RuleError(f"{source}: invalid operators {names!r}: expected a tuple of names")
    for name in names:
        if not isinstance(name, str):
            raise RuleError(f"{source}: invalid operator {name!r} of type {type(name).__name__}: expected a name")
        if not is_name(name):
            raise RuleError(f"{source}: invalid operator {name!r}: expected a name of letters, digits and underscores")


def check_category(source: str, category: object) -> None:
    """Raises RuleError for an unknown category."""
    if not isinstance(category, str) or category not in CATEGORIES:
        raise RuleError(f"{source}: unknown category {category!r}; rules/categories.py lists them")


def check_dtypes(source: str, dtypes: object) -> None:
    """Raises RuleError unless `dtypes` is a tuple, UnknownNameError for an unknown dtype."""
    if not isinstance(dtypes, tuple):
        raise RuleError(f"{source}: invalid dtypes {dtypes!r}: expected a tuple")
    for dtype in dtypes:
        if dtype not in DTYPES:
            raise UnknownNameError(f"dtype in {source}", str(dtype), DTYPES)


def check_profile(source: str, profile: object) -> None:
    """Raises RuleError for a profile whose name is empty, too long or not printable."""
    if not isinstance(profile, str):
        raise RuleError(f"{source}: invalid profile {profile!r} of type {type(profile).__name__}: expected a name")
    plain = escape_controls(profile) == profile and "\n" not in profile and "\t" not in profile
    if not plain or not profile.strip() or len(profile) > MAX_PROFILE:
        raise RuleError(
            f"{source}: invalid profile {profile!r}: expected a name of 1 to {MAX_PROFILE} printable characters"
        )


def check_contents(source: str, contents: object) -> dict[str, AnyContent]:
    """The contents by names of tensors. Raises RuleError for other values."""
    try:
        return msgspec.convert(msgspec.to_builtins(contents), dict[str, AnyContent])
    except (msgspec.ValidationError, TypeError, ValueError) as error:
        raise RuleError(f"{source}: invalid contents: {error}") from error


def check_dims(source: str, dims: object) -> None:
    """Raises RuleError unless `dims` has the dimensions of tensors as text."""
    if not isinstance(dims, Mapping) or not all(isinstance(text, str) for text in [*dims, *dims.values()]):
        raise RuleError(f'{source}: invalid dims {dims!r}: expected texts by tensor, as {{"data": "n c h w"}}')
    if problem := invalid_dims(dims):
        raise RuleError(f"{source}: invalid dimension {problem}: expected letters, parameters and numbers, as heads*n")


def check_limits(source: str, limits: object) -> None:
    """Raises RuleError unless `limits` has a text for the words of each refusal."""
    texts = [*limits, *limits.values()] if isinstance(limits, Mapping) else [""]
    if not all(isinstance(text, str) and text.strip() for text in texts):
        raise RuleError(f"{source}: invalid limits {limits!r}: expected texts by the words with which MXNet refuses")
