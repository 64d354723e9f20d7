"""Sides of a run: cases are made once, and each side runs or skips each of them, with a reason."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path

import msgspec

from autoperf.capi.front_end import has_front_end
from autoperf.cases.build import Recipe
from autoperf.cases.large_tensors import built_cases
from autoperf.core.case import FILE, NON_ARGUMENTS, Case
from autoperf.core.errors import AutoperfError, UnknownNameError, UsageError, UserRuleError
from autoperf.core.graph import FRONT_END as FRONT_END_WAYS
from autoperf.core.operator import Operator
from autoperf.core.outcome import Outcome, Status
from autoperf.core.releases import unique_labels
from autoperf.core.versions import parts
from autoperf.executor.settings import Settings
from autoperf.executor.supervisor import outcome
from autoperf.executor.trial_client import Job
from autoperf.generator.render import Origin, render, write
from autoperf.pipeline.batches import Batch, OperatorBatches, jobs_of, read_batch, rendered_jobs
from autoperf.pipeline.release import Release
from autoperf.pipeline.selection import Selection, Target, target_of, targets
from autoperf.pipeline.signatures import CaseChecker, Signature
from autoperf.pipeline.skipped_outcomes import skipped_outcomes
from autoperf.pipeline.suite_generation import Prepared, prepare
from autoperf.registry.calls import Completion, call_of
from autoperf.registry.names import select
from autoperf.rules.composites.ways import ways_of
from autoperf.rules.front_end import FRONT_END
from autoperf.rules.rule import DRAWN, Inputs, InputSpec, Rule

NO_EXECUTOR_SINCE = (2, 0)


@dataclass(frozen=True)
class Side:
    """A release in a run; `label` names it in file names and tables."""

    label: str
    release: Release

    @property
    def mxnet(self) -> str:
        """The release's version."""
        return self.release.registry.mxnet

    @cached_property
    def operators(self) -> dict[str, Operator]:
        """Every operator by each of its names, and what stands for one."""
        return {name: operator for operator in self.release.registry.selectable for name in operator.names}


@dataclass(frozen=True)
class SelectedOperator:
    """A selected operator, and the side whose registry, rules and inference make its cases."""

    target: Target
    source: Side


def label_sides(releases: Sequence[Release]) -> list[Side]:
    """A side for each release, labelled by version; repeated versions are numbered: `1.9.1`, `1.9.1-2`."""
    labels = unique_labels([release.registry.mxnet for release in releases])
    return [Side(label, release) for label, release in zip(labels, releases, strict=True)]


def targets_by_side(sides: Sequence[Side], selection: Selection) -> list[list[Target]]:
    """The selected targets of each side, which may be empty.

    Raises UnknownNameError for a name that no side knows, UsageError if no side has a selected operator.
    """
    results = [_selected(side, selection) for side in sides]
    unknown = [error for _, errors in results for error in errors.values()]
    for name in selection.operators:
        if all(name in errors for _, errors in results):
            raise results[0][1][name]
    if not any(selected for selected, _ in results):
        raise unknown[0]
    return [selected for selected, _ in results]


def _selected(side: Side, selection: Selection) -> tuple[list[Target], dict[str, AutoperfError]]:
    """The selected targets of one side, and the error for each name that it does not know ("" for other errors)."""
    errors = {name: error for name in selection.operators if (error := _unknown(side, name))}
    known = tuple(name for name in selection.operators if name not in errors)
    if selection.operators and not known:
        return [], errors
    try:
        known_selection = replace(selection, operators=known)
        return targets(side.release.registry, side.release.catalog, known_selection), errors
    except (UnknownNameError, UsageError) as error:
        return [], {**errors, "": error}


def _unknown(side: Side, name: str) -> AutoperfError | None:
    try:
        select(side.release.registry, (name,), meanings=FRONT_END)
    except UnknownNameError as error:
        return error
    return None


def with_counterparts(sides: Sequence[Side], selected: Sequence[Sequence[Target]]) -> list[list[Target]]:
    """The targets of each side, and those that are selected on another side, perhaps under another name."""
    names = {target.operator.name: target.operator.names for side_targets in selected for target in side_targets}
    complete: list[list[Target]] = []
    for side, side_targets in zip(sides, selected, strict=True):
        by_name = {target.operator.name: target for target in side_targets}
        for known in names.values():
            operator = next((side.operators[name] for name in known if name in side.operators), None)
            if operator and operator.name not in by_name:
                by_name[operator.name] = target_of(operator, side.release.catalog)
        complete.append(sorted(by_name.values(), key=lambda target: target.operator.name))
    return complete


def select_operators(sides: Sequence[Side], selection: Selection) -> list[SelectedOperator]:
    """Every selected operator once, by the first side that has a rule for it (else the first that has it), by name.

    Raises UnknownNameError and UsageError if no side has a selected operator.
    """
    selected: list[SelectedOperator] = []
    seen: dict[str, int] = {}
    for side, side_targets in zip(sides, targets_by_side(sides, selection), strict=True):
        for target in side_targets:
            names = target.operator.names
            index = next((seen[name] for name in names if name in seen), None)
            if index is None:
                seen.update(dict.fromkeys(names, len(selected)))
                selected.append(SelectedOperator(target, side))
            elif target.rule and not selected[index].target.rule:
                selected[index] = SelectedOperator(target, side)
    return sorted(selected, key=lambda operator: operator.target.operator.name)


def expected_cases(chosen: Iterable[SelectedOperator], recipe: Recipe) -> int:
    """The approximate number of cases of these operators; MXNet's inference may refuse some of them."""
    chosen_targets = (selected.target for selected in chosen)
    return sum(_expected(target.operator, target.rule, recipe) for target in chosen_targets if target.rule)


def _expected(operator: Operator, rule: Rule, recipe: Recipe) -> int:
    if recipe.int64_tensor:
        return 1
    dtypes = recipe.dtypes or (rule.dtype,)
    try:
        canonical = [rule.canonical(InputSpec(operator, dtype, recipe.elements)) for dtype in dtypes]
    except UserRuleError:
        # The failure of the rule is reported when its cases are made.
        return 0
    drawn = recipe.samples if recipe.includes(DRAWN) else 0
    return sum((sum(map(recipe.includes, profiles)) + drawn) * _ways(profiles) for profiles in canonical)


def _ways(canonical: Mapping[str, Inputs]) -> int:
    """In how many ways each call of a rule runs."""
    return max((len(ways_of(profile, call)) for profile, call in canonical.items()), default=1)


def common_name(operator: Operator, sides: Sequence[Side]) -> str:
    """The operator's name, or the alias that most sides know if a side has it under an alias only."""
    return max(operator.names, key=lambda name: sum(name in side.operators for side in sides))


def selected_batches(
    sides: Sequence[Side], chosen: Iterable[SelectedOperator], recipe: Recipe, scratch: Path
) -> Iterator[OperatorBatches]:
    """Makes the cases of one operator after the other, queued or skipped on each side."""
    for selected in chosen:
        name = common_name(selected.target.operator, sides)
        prepared = _prepared(selected, recipe, name)
        jobs = jobs_of(prepared, scratch)
        skipped = tuple(skipped_outcomes(prepared))
        yield tuple(_batch(side, name, jobs, skipped, selected) for side in sides)


def group_batches(
    sides: Sequence[Side], cases: Sequence[Case], seed: int, folder: Path, skipped: tuple[Outcome, ...] = ()
) -> OperatorBatches:
    """Renders given cases of one operator and category to `folder`, and queues them on each side."""
    rendered = render(cases, Origin(sides[0].mxnet, seed, "a case file", "stored"))
    jobs = rendered_jobs(cases, rendered, write(rendered, folder))
    return tuple(_batch(side, rendered.operator, jobs, skipped) for side in sides)


def file_batches(
    sides: Sequence[Side], path: Path, scratch: Path, settings: Settings, keep: Callable[[Case], bool] | None = None
) -> OperatorBatches:
    """Queues the cases of a Python file that `keep` selects. Raises CaseFileError, also for a name no release knows."""
    checker = CaseChecker(side.release for side in sides)
    batch = read_batch(path, scratch, settings, partial(checker.check_suite, path))
    jobs = [job for job in batch.jobs if keep is None or keep(job.case)]
    return tuple(_batch(side, batch.operator, jobs) for side in sides)


def _prepared(selected: SelectedOperator, recipe: Recipe, name: str) -> Prepared:
    """The cases of an operator under this name."""
    target, release = selected.target, selected.source.release
    if target.rule is None or name == target.operator.name:
        return prepare(release, target, recipe)
    built = built_cases(target.operator, target.rule, recipe, release.client)
    cases = [msgspec.structs.replace(case, operator=name) for case in built.cases]
    origin = Origin(release.registry.mxnet, recipe.seed, target.rule.source, release.tier(target.rule).value)
    return Prepared(target, replace(built, cases=cases), render(cases, origin) if cases else None)


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
    reason = f"under MXNet {source.mxnet}, which the cases were made with: {outcome.reason}"
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
            return f"MXNet {self._side.mxnet} has no operator {self._name}"
        stems = [item.name.partition("[")[0] for item in case.inputs]
        missing = [f"input {stem}" for stem in stems if not self._has_input(case, stem)]
        missing += [f"parameter {name}" for name in case.params if not self._signature.takes_parameter(name)]
        missing += [f"parameter {FILE}"] if FILE in stems and not self._operator.parameter(FILE) else []
        if missing:
            return f"MXNet {self._side.mxnet} has no {missing[0]} of {self._name}"
        if case.graphs and not self._signature.holds_graphs():
            return f"MXNet {self._side.mxnet} runs {self._name} without a graph ({', '.join(case.graphs)})"
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
    if case.way in FRONT_END_WAYS and not has_front_end(side.release.library):
        lacking = f"the Python package, which is not in {side.release.library.parent}"
    if case.way == "executor" and parts(side.mxnet) >= NO_EXECUTOR_SINCE:
        lacking = "the executor of 1.x"
    what = "layers of Gluon" if case.way == "layer" else case.operator
    return f"MXNet {side.mxnet} can't run {what} without {lacking}" if lacking else ""


def _refusals(side: Side, cases: Sequence[Case]) -> dict[str, str]:
    """Why the side's inference refuses each case, by case id; empty if it does not."""
    completions = side.release.client.complete([call_of(case) for case in cases])
    return {case.id: _refusal(side, case, completion) for case, completion in zip(cases, completions, strict=True)}


def _refusal(side: Side, case: Case, completion: Completion) -> str:
    if completion.error:
        return f"MXNet {side.mxnet} refuses these inputs: {completion.error}"
    expected = [name for name, _ in completion.inputs]
    given = [item.name for item in case.inputs if item.name not in NON_ARGUMENTS]
    missing = [name for name in expected if name not in given]
    if missing:
        return f"MXNet {side.mxnet} requires more inputs of {case.operator}: {', '.join(missing)}"
    if expected != given:
        return f"MXNet {side.mxnet} takes the inputs of {case.operator} in another order: {', '.join(expected)}"
    return ""
