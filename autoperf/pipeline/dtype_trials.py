"""Finds out which dtypes an operator takes: MXNet's inference judges its small case, and a trial in a fork decides."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from autoperf.cases.build import BuildResult, Recipe, build, dtypes_of
from autoperf.core.case import Case
from autoperf.core.coverage import DtypeAnswers
from autoperf.core.errors import UserRuleError
from autoperf.executor.messages import CaseFailure
from autoperf.executor.settings import Settings
from autoperf.executor.trial_client import DryRunClient, Job
from autoperf.generator.render import Origin, render, write
from autoperf.pipeline.dtypes import ASKED, Answers, Remembered, question, remember, remembered, smallest
from autoperf.pipeline.release import Release
from autoperf.pipeline.scratch import scratch_folder
from autoperf.pipeline.selection import Target
from autoperf.rules.rule import Rule

PATIENCE = 10.0

OnOperator: TypeAlias = Callable[[int, int], None]


def find_out(release: Release, chosen: Sequence[Target], on_operator: OnOperator | None = None) -> Answers:
    """What the cache knows of these operators, and by trying what it doesn't; `on_operator` hears how far it is.

    An answer that came about by a process that was lost from outside is not kept: it says little of the operator.
    Raises AutoperfError if MXNet can't be loaded for the trials.
    """
    answers = remembered(release.library, chosen)
    missing = [target for target in chosen if target.rule and target.operator.name not in answers]
    if not missing:
        return answers
    kept: dict[str, Remembered] = {}
    try:
        for done, (target, rule, (found, certain)) in enumerate(_ask(release, missing), 1):
            answers[target.operator.name] = found
            if certain:
                kept[target.operator.name] = Remembered(question(target, rule), found)
            if on_operator:
                on_operator(done, len(missing))
    finally:
        # What was found out before Ctrl-C need not be asked again.
        remember(release.library, kept)
    return answers


def small_case(release: Release, target: Target, rule: Rule, dtype: str) -> BuildResult:
    """The one case with which a dtype is asked, or why it can't be made."""
    profile, _ = smallest(target, rule, dtype)
    recipe = Recipe(samples=0, profiles=frozenset((profile,)), dtype=dtype)
    return build(target.operator, rule, recipe, release.client)


def _ask(release: Release, missing: Sequence[Target]) -> Iterator[tuple[Target, Rule, tuple[DtypeAnswers, bool]]]:
    settings = Settings(timeout=PATIENCE)
    with (
        scratch_folder() as folder,
        DryRunClient(release.library, settings, folder) as trier,
    ):
        for target in missing:
            if not target.rule:
                continue
            # Of a user's own rule that fails there is no answer; the release keeps what it did wrong.
            with contextlib.suppress(UserRuleError):
                yield target, target.rule, _answers(release, target, target.rule, trier, folder)


def _answers(
    release: Release, target: Target, rule: Rule, trier: DryRunClient, scratch: Path
) -> tuple[DtypeAnswers, bool]:
    """The answers for one operator, and whether they are certain: a dtype is taken if its case runs."""
    made = {dtype: small_case(release, target, rule, dtype) for dtype in ASKED}
    cases = {dtype: built.cases[0] for dtype, built in made.items() if built.cases}
    refused = {dtype: built.rejections[0].reason for dtype, built in made.items() if not built.cases}
    refused |= _indifferent(cases, rule.dtype)
    wanted = {dtype: case for dtype, case in cases.items() if dtype not in refused}
    failures = _tried(wanted, Origin(release.registry.mxnet, 0, rule.source, release.tier(rule).value), trier, scratch)
    refused |= {dtype: failure.reason for dtype, failure in failures.items()}
    answers = DtypeAnswers(
        taken=tuple(dtype for dtype in ASKED if dtype not in refused),
        refused={dtype: refused[dtype] for dtype in ASKED if dtype in refused},
    )
    return answers, not any(failure.killed or failure.broken for failure in failures.values())


def _indifferent(cases: Mapping[str, Case], natural: str) -> dict[str, str]:
    """Where several dtypes give one case, it speaks for one of them alone: the natural one, or that of its data."""
    counts = Counter(case.digest for case in cases.values())
    refused = {}
    for dtype, case in cases.items():
        types = dtypes_of(case)
        own = natural if natural in types or not types else types[0]
        if counts[case.digest] > 1 and dtype != own:
            refused[dtype] = f"its data is {own}, whatever is asked for"
    return refused


def _tried(wanted: Mapping[str, Case], origin: Origin, trier: DryRunClient, scratch: Path) -> dict[str, CaseFailure]:
    """Why those cases don't run that don't."""
    if not wanted:
        return {}
    rendered = render(list(wanted.values()), origin)
    file = write(rendered, scratch)
    answers = {dtype: trier.forward(Job(file, rendered.functions[case.id], case)) for dtype, case in wanted.items()}
    return {dtype: answer for dtype, answer in answers.items() if isinstance(answer, CaseFailure)}
