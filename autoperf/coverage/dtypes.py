"""The dtypes that operators accept, by inference and by trials, cached for each library beside its registry."""

from __future__ import annotations

import contextlib
import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

import msgspec

from autoperf.backends.lookup import MXNET, backend_of
from autoperf.cases.build import BuildResult, Recipe, build, dtypes_of, inference_call, resolve
from autoperf.cases.release import Release
from autoperf.cases.selection import Target
from autoperf.core.case import Case
from autoperf.core.coverage import DtypeAnswers
from autoperf.core.errors import UserRuleError
from autoperf.core.files import cache_folder
from autoperf.measurement.batches import Job
from autoperf.measurement.messages import CaseFailure
from autoperf.measurement.scratch import scratch_folder
from autoperf.measurement.settings import Settings
from autoperf.measurement.trial_client import DryRunClient
from autoperf.registry import cache
from autoperf.registry.calls import Completion
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
    inputs = []
    for dtype in TESTED_DTYPES:
        call, spec = small_call(target, rule, dtype)[1], InputSpec(target.operator, dtype)
        given = Completion(inputs=tuple(inference_call(call, spec).inputs.items()))
        stated = rule.contents_of(resolve(call, spec, rule, SMALL_PROFILE, given))
        inputs.append((msgspec.to_builtins(call), msgspec.to_builtins(dict(stated))))
    traits = rule.inferable, rule.dtype, rule.dtypes
    return hashlib.sha256(msgspec.msgpack.encode((inputs, traits), order="deterministic")).hexdigest()[:24]


def small_call(target: Target, rule: Rule, dtype: str) -> tuple[str, Inputs]:
    """The profile and the call that test a dtype: the small profile, or the first one if there is none."""
    canonical = rule.canonical(InputSpec(target.operator, dtype))
    profile = SMALL_PROFILE if SMALL_PROFILE in canonical else next(iter(canonical))
    return profile, canonical[profile]


def _path(library: Path) -> Path:
    return cache_folder() / f"dtypes-{cache.library_key(library, backend_of(MXNET))}.json"


def _load(library: Path) -> dict[str, CachedAnswers]:
    return cache.load(_path(library), dict[str, CachedAnswers]) or {}


TIMEOUT_SECONDS = 10.0

ProgressCallback: TypeAlias = Callable[[int, int], None]


def try_dtypes(release: Release, chosen: Sequence[Target], on_progress: ProgressCallback | None = None) -> Answers:
    """The cached answers for these operators, and new ones by trials; `on_progress` gets (done, total).

    An answer is not cached if its process was killed from outside, which says little of the operator.
    Raises AutoperfError if MXNet can't be loaded for the trials.
    """
    answers = cached_answers(release.library, chosen)
    missing = [target for target in chosen if target.rule and target.operator.name not in answers]
    if not missing:
        return answers
    fresh: dict[str, CachedAnswers] = {}
    try:
        for done, (target, rule, (answer, certain)) in enumerate(_try_all(release, missing), 1):
            answers[target.operator.name] = answer
            if certain:
                fresh[target.operator.name] = CachedAnswers(inputs_digest(target, rule), answer)
            if on_progress:
                on_progress(done, len(missing))
    finally:
        # Answers from before Ctrl-C need not be computed again.
        cache_answers(release.library, fresh)
    return answers


def small_case(release: Release, target: Target, rule: Rule, dtype: str) -> BuildResult:
    """The case that tests a dtype, or the reason why there is none."""
    profile, _ = small_call(target, rule, dtype)
    recipe = Recipe(draws=0, profiles=frozenset((profile,)), dtypes=(dtype,))
    return build(target.operator, rule, recipe, release.client)


def _try_all(release: Release, missing: Sequence[Target]) -> Iterator[tuple[Target, Rule, tuple[DtypeAnswers, bool]]]:
    settings = Settings(timeout=TIMEOUT_SECONDS)
    with scratch_folder() as folder, DryRunClient(release.library, settings, folder) as client:
        for target in missing:
            if not target.rule:
                continue
            # A user's own rule that fails has no answer; the release keeps the failure.
            with contextlib.suppress(UserRuleError):
                yield target, target.rule, _answers(release, target, target.rule, client)


def _answers(release: Release, target: Target, rule: Rule, client: DryRunClient) -> tuple[DtypeAnswers, bool]:
    """The answers for one operator, and whether they are certain; a dtype is accepted if its case runs."""
    built = {dtype: small_case(release, target, rule, dtype) for dtype in TESTED_DTYPES}
    cases = {dtype: result.cases[0] for dtype, result in built.items() if result.cases}
    refused = {dtype: result.rejections[0].reason for dtype, result in built.items() if not result.cases}
    refused |= _duplicates(cases, rule.dtype)
    answers = {dtype: client.forward(Job(case)) for dtype, case in cases.items() if dtype not in refused}
    failures = {dtype: answer for dtype, answer in answers.items() if isinstance(answer, CaseFailure)}
    refused |= {dtype: failure.reason for dtype, failure in failures.items()}
    dtypes = DtypeAnswers(
        taken=tuple(dtype for dtype in TESTED_DTYPES if dtype not in refused),
        refused={dtype: refused[dtype] for dtype in TESTED_DTYPES if dtype in refused},
    )
    return dtypes, not any(failure.killed or failure.broken for failure in failures.values())


def _duplicates(cases: Mapping[str, Case], default: str) -> dict[str, str]:
    """Reasons against dtypes that give the same case as another one: the case counts for the dtype of its data only."""
    counts = Counter(case.digest for case in cases.values())
    refused = {}
    for dtype, case in cases.items():
        types = dtypes_of(case)
        actual = default if default in types or not types else types[0]
        if counts[case.digest] > 1 and dtype != actual:
            refused[dtype] = f"its data is {actual}, whatever is asked for"
    return refused
