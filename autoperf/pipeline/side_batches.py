"""The cases of a run on its sides: made once, and each side runs or skips each of them, with a reason."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from autoperf.cases.build import Recipe
from autoperf.cases.deduction import with_own_contents
from autoperf.core.case import FILE, NON_ARGUMENTS, Case
from autoperf.core.errors import UserRuleError
from autoperf.core.graph import FRONT_END as FRONT_END_WAYS
from autoperf.core.outcome import Outcome, Status
from autoperf.core.versions import parts
from autoperf.executor.batches import Job, outcome
from autoperf.executor.settings import Settings
from autoperf.executor.suite_reader import read_suite
from autoperf.pipeline.batches import Batch, OperatorBatches, named_case
from autoperf.pipeline.selection import target_of
from autoperf.pipeline.sides import SelectedOperator, Side, common_name
from autoperf.pipeline.signatures import CaseChecker, Signature
from autoperf.pipeline.skipped_outcomes import numbered, skipped_outcomes
from autoperf.pipeline.suite_generation import Prepared, prepare
from autoperf.registry.calls import Completion, call_of

NO_EXECUTOR_SINCE = (2, 0)


def selected_batches(
    sides: Sequence[Side], chosen: Iterable[SelectedOperator], recipe: Recipe
) -> Iterator[OperatorBatches]:
    """Makes the cases of one operator after the other, queued or skipped on each side."""
    for selected in chosen:
        name = common_name(selected.target.operator, sides)
        prepared = _prepared(selected, recipe, name)
        jobs = list(map(Job, prepared.built.cases))
        skipped = tuple(numbered(skipped_outcomes(prepared)))
        yield tuple(_batch(side, name, jobs, skipped, selected) for side in sides)


def group_batches(sides: Sequence[Side], cases: Sequence[Case], skipped: tuple[Outcome, ...] = ()) -> OperatorBatches:
    """Queues given cases of one operator on each side."""
    return tuple(_batch(side, cases[0].operator, list(map(Job, cases)), skipped) for side in sides)


def file_batches(
    sides: Sequence[Side], path: Path, scratch: Path, settings: Settings, keep: Callable[[Case], bool] | None = None
) -> OperatorBatches:
    """Queues the cases of a Python file that `keep` selects, read within the limits of a case.

    Raises CaseFileError, also for a name that no release knows.
    """
    suite = read_suite(path, scratch, settings.timeout, settings.bytes_allowed)
    CaseChecker(side.release for side in sides).check_suite(path, suite)
    jobs = [Job(_with_own_contents(case, sides)) for case in filter(keep, map(named_case, suite.cases))]
    return tuple(_batch(side, suite.header.operator, jobs) for side in sides)


def _with_own_contents(case: Case, sides: Sequence[Side]) -> Case:
    """The case with marks at contents other than those of the rule, by the first side that has the operator."""
    targets = (
        target_of(side.operators[case.operator], side.release.catalog)
        for side in sides
        if case.operator in side.operators
    )
    target = next(targets, None)
    if target is None or target.rule is None:
        return case
    try:
        return with_own_contents(case, target.operator, target.rule)
    except UserRuleError:
        return case


def _prepared(selected: SelectedOperator, recipe: Recipe, name: str) -> Prepared:
    """The cases of an operator under this name."""
    prepared = prepare(selected.source.release, selected.target, recipe)
    cases = [msgspec.structs.replace(case, operator=name) for case in prepared.built.cases]
    return replace(prepared, built=replace(prepared.built, cases=cases))


def _batch(
    side: Side,
    name: str,
    jobs: Sequence[Job],
    skipped: tuple[Outcome, ...] = (),
    selected: SelectedOperator | None = None,
) -> Batch:
    """The jobs that a side can run, and a skipped outcome with the reason for each other one."""
    reasons = {job.case.id: _lacking(side, job.case) for job in jobs}
    if not (selected and side is selected.source):
        if selected and selected.target.rule:
            skipped = tuple(_of_source(selected.source, outcome) for outcome in skipped)
        reasons |= _missing(side, name, [job.case for job in jobs if not reasons[job.case.id]], selected)
    refused = (
        outcome(job.case, Status.SKIPPED, 0.0, reason=reasons[job.case.id]) for job in jobs if reasons[job.case.id]
    )
    return Batch(name, tuple(job for job in jobs if not reasons[job.case.id]), (*skipped, *refused))


def _missing(side: Side, name: str, cases: Sequence[Case], selected: SelectedOperator | None) -> dict[str, str]:
    """What each case, made for another release, needs and this side doesn't have, by case id; empty if nothing."""
    missing = _MissingFeatures(side, name, selected)
    reasons = {case.id: missing.reason(case) for case in cases}
    if selected and selected.target.rule and selected.target.rule.inferable:
        reasons |= _refusals(side, [case for case in cases if not reasons[case.id]])
    return reasons


def _of_source(source: Side, outcome: Outcome) -> Outcome:
    """The outcome with the release that its reason is about, since cases are made with one release only."""
    if outcome.status is Status.FAILED:
        # A user's own rule is at fault, whatever the release.
        return outcome
    reason = f"under {source.title}, which the cases were made with: {outcome.reason}"
    return msgspec.structs.replace(outcome, reason=reason)


class _MissingFeatures:
    """The inputs and parameters of an operator's cases that a side's release does not have."""

    def __init__(self, side: Side, name: str, selected: SelectedOperator | None) -> None:
        self._side, self._name = side, name
        self._operator = side.operators.get(name)
        self._signature = Signature(side.release, self._operator) if self._operator else None
        # For cases made by a rule, the inputs are those of the release that the cases were made with.
        self._source_inputs = {tensor.name for tensor in selected.target.operator.tensors} if selected else None

    def reason(self, case: Case) -> str:
        """The first missing feature of a case; empty if there is none."""
        if self._operator is None or self._signature is None:
            return f"{self._side.title} has no operator {self._name}"
        stems = [item.name.partition("[")[0] for item in case.inputs]
        missing = [f"input {stem}" for stem in stems if not self._has_input(case, stem)]
        missing += [f"parameter {name}" for name in case.params if not self._signature.takes_parameter(name)]
        missing += [f"parameter {FILE}"] if FILE in stems and not self._operator.parameter(FILE) else []
        if missing:
            return f"{self._side.title} has no {missing[0]} of {self._name}"
        if case.graphs and not self._signature.holds_graphs():
            return f"{self._side.title} runs {self._name} without a graph ({', '.join(case.graphs)})"
        return ""

    def _has_input(self, case: Case, stem: str) -> bool:
        if self._operator is None or self._signature is None or stem == FILE:
            return True
        if self._source_inputs is not None:
            return stem not in self._source_inputs - {tensor.name for tensor in self._operator.tensors}
        return self._signature.takes_input(stem, case.graphs.values())


def _lacking(side: Side, case: Case) -> str:
    """What a side would need for the execution mode of a case, as a reason to skip it; empty if it has all."""
    lacking = ""
    if case.way in FRONT_END_WAYS and not side.release.backend.has_package(side.release.library):
        lacking = f"the Python package, which is not in {side.release.library.parent}"
    if case.way == "executor" and parts(side.mxnet) >= NO_EXECUTOR_SINCE:
        lacking = "the executor of 1.x"
    what = "layers of Gluon" if case.way == "layer" else case.operator
    return f"{side.title} can't run {what} without {lacking}" if lacking else ""


def _refusals(side: Side, cases: Sequence[Case]) -> dict[str, str]:
    """Why the side's inference refuses each case, by case id; empty if it does not."""
    completions = side.release.client.complete([call_of(case) for case in cases])
    return {case.id: _refusal(side, case, completion) for case, completion in zip(cases, completions, strict=True)}


def _refusal(side: Side, case: Case, completion: Completion) -> str:
    if completion.error:
        return f"{side.title} refuses these inputs: {completion.error}"
    expected = [name for name, _ in completion.inputs]
    given = [item.name for item in case.inputs if item.name not in NON_ARGUMENTS]
    missing = [name for name in expected if name not in given]
    if missing:
        return f"{side.title} requires more inputs of {case.operator}: {', '.join(missing)}"
    if expected != given:
        return f"{side.title} takes the inputs of {case.operator} in another order: {', '.join(expected)}"
    return ""
