"""Trials of dtypes: MXNet's inference checks an operator's small case, and a dry run in a fork decides."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

from autoperf.cases.build import BuildResult, Recipe, build, dtypes_of
from autoperf.core.case import Case
from autoperf.core.coverage import DtypeAnswers
from autoperf.core.errors import UserRuleError
from autoperf.executor.batches import Job
from autoperf.executor.messages import CaseFailure
from autoperf.executor.settings import Settings
from autoperf.executor.trial_client import DryRunClient
from autoperf.pipeline.dtypes import (
    TESTED_DTYPES,
    Answers,
    CachedAnswers,
    cache_answers,
    cached_answers,
    inputs_digest,
    small_call,
)
from autoperf.pipeline.release import Release
from autoperf.pipeline.scratch import scratch_folder
from autoperf.pipeline.selection import Target
from autoperf.rules.rule import Rule

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
    """The one case that tests a dtype, or why it can't be made."""
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
