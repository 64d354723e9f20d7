"""Which dtypes operators were found to take, remembered for each library beside its registry.

An answer is kept under a digest of the inputs that it was found out with, so that a rule that changed is asked again.
The cache only saves time: what is missing or broken is found out again, and a place that can't be written is no error.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

import msgspec

from autoperf.core.coverage import DtypeAnswers
from autoperf.core.errors import UserRuleError
from autoperf.core.paths import cache_folder
from autoperf.pipeline.selection import Target
from autoperf.registry import cache
from autoperf.rules.rule import Inputs, InputSpec, Rule

ASKED = ("float16", "float32", "float64", "int8", "uint8", "int32", "int64", "bool")
"""The dtypes that every operator is asked about."""
SMALLEST = "small"

Answers: TypeAlias = dict[str, DtypeAnswers]


class Remembered(msgspec.Struct, frozen=True):
    """What was found out about an operator, and with which inputs: `key` is their digest."""

    key: str
    answers: DtypeAnswers


def remembered(library: Path, chosen: Sequence[Target]) -> Answers:
    """What the cache knows of these operators."""
    known = _load(library)
    answers: Answers = {}
    for target in chosen:
        found = known.get(target.operator.name)
        if target.rule and found and found.key == _question(target, target.rule):
            answers[target.operator.name] = found.answers
    return answers


def remember(library: Path, fresh: Mapping[str, Remembered]) -> None:
    """Add to what the cache has by now, to which another process may have added too."""
    if fresh:
        cache.save(_path(library), msgspec.json.encode({**_load(library), **fresh}))


def _question(target: Target, rule: Rule) -> str | None:
    """The same, or None where a user's own rule fails."""
    try:
        return question(target, rule)
    except UserRuleError:
        return None


def question(target: Target, rule: Rule) -> str:
    """A digest of the inputs that the operator is asked with, in every dtype, before inference completes them."""
    calls = [smallest(target, rule, dtype)[1] for dtype in ASKED]
    asked = [msgspec.to_builtins(call) for call in calls]
    told = msgspec.to_builtins(rule.fill), rule.inferable, rule.dtype, rule.dtypes
    return hashlib.sha256(msgspec.msgpack.encode((asked, told), order="deterministic")).hexdigest()[:24]


def smallest(target: Target, rule: Rule, dtype: str) -> tuple[str, Inputs]:
    """The profile and the call with which a dtype is asked: the small one, or the first where there is none."""
    canonical = rule.canonical(InputSpec(target.operator, dtype))
    profile = SMALLEST if SMALLEST in canonical else next(iter(canonical))
    return profile, canonical[profile]


def _path(library: Path) -> Path:
    return cache_folder() / f"dtypes-{cache.library_key(library)}.json"


def _load(library: Path) -> dict[str, Remembered]:
    try:
        return msgspec.json.decode(_path(library).read_bytes(), type=dict[str, Remembered])
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return {}
