"""The dtypes that operators accept, cached for each library beside its registry.

An answer is stored with a digest of the inputs that were tested, so that a changed rule is tested again.
The cache only saves time: missing or broken entries are computed again, and a failed write is ignored.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

import msgspec

from autoperf.backends.lookup import MXNET, backend_of
from autoperf.core.coverage import DtypeAnswers
from autoperf.core.errors import UserRuleError
from autoperf.core.paths import cache_folder
from autoperf.pipeline.selection import Target
from autoperf.registry import cache
from autoperf.rules.rule import Inputs, InputSpec, Rule

TESTED_DTYPES = ("float16", "float32", "float64", "int8", "uint8", "int32", "int64", "bool")
"""The dtypes that are tested with every operator."""
SMALL_PROFILE = "small"

Answers: TypeAlias = dict[str, DtypeAnswers]


class CachedAnswers(msgspec.Struct, frozen=True):
    """The answers for an operator; `key` is the digest of the tested inputs."""

    key: str
    answers: DtypeAnswers


def cached_answers(library: Path, chosen: Sequence[Target]) -> Answers:
    """The cached answers for these operators."""
    known = _load(library)
    answers: Answers = {}
    for target in chosen:
        cached = known.get(target.operator.name)
        if target.rule and cached and cached.key == _key(target, target.rule):
            answers[target.operator.name] = cached.answers
    return answers


def cache_answers(library: Path, fresh: Mapping[str, CachedAnswers]) -> None:
    """Adds answers to the cache, which another process may have extended meanwhile."""
    if fresh:
        cache.save(_path(library), msgspec.json.encode({**_load(library), **fresh}))


def _key(target: Target, rule: Rule) -> str | None:
    """The digest of the tested inputs; None if a user's own rule fails."""
    try:
        return inputs_digest(target, rule)
    except UserRuleError:
        return None


def inputs_digest(target: Target, rule: Rule) -> str:
    """The digest of the inputs that are tested, in every dtype, before inference completes them."""
    calls = [small_call(target, rule, dtype)[1] for dtype in TESTED_DTYPES]
    inputs = [msgspec.to_builtins(call) for call in calls]
    traits = msgspec.to_builtins(rule.fill), rule.inferable, rule.dtype, rule.dtypes
    return hashlib.sha256(msgspec.msgpack.encode((inputs, traits), order="deterministic")).hexdigest()[:24]


def small_call(target: Target, rule: Rule, dtype: str) -> tuple[str, Inputs]:
    """The profile and the call that test a dtype: the small profile, or the first one if there is none."""
    canonical = rule.canonical(InputSpec(target.operator, dtype))
    profile = SMALL_PROFILE if SMALL_PROFILE in canonical else next(iter(canonical))
    return profile, canonical[profile]


def _path(library: Path) -> Path:
    return cache_folder() / f"dtypes-{cache.library_key(library, backend_of(MXNET))}.json"


def _load(library: Path) -> dict[str, CachedAnswers]:
    try:
        return msgspec.json.decode(_path(library).read_bytes(), type=dict[str, CachedAnswers])
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return {}
