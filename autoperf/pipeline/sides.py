"""Cases made once, for several releases: which of them each release has everything for, and why not the rest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path

import msgspec

from autoperf.cases.build import Recipe, build
from autoperf.core.case import FILE, NON_ARGUMENTS, Case
from autoperf.core.errors import AutoperfError, UnknownNameError, UsageError, UserRuleError
from autoperf.core.operator import Operator
from autoperf.core.outcome import Outcome, Status
from autoperf.executor.settings import Settings
from autoperf.executor.supervisor import outcome
from autoperf.executor.trial_client import Job
from autoperf.generator.render import Origin, render, write
from autoperf.pipeline.batches import Batch, OperatorBatches, jobs_of, read_batch, rendered_jobs
from autoperf.pipeline.generate import Prepared, prepare
from autoperf.pipeline.release import Release
from autoperf.pipeline.selection import Selection, Target, target_of, targets
from autoperf.pipeline.signatures import CaseChecker, Signature
from autoperf.pipeline.skipped import skipped
from autoperf.registry.calls import Completion, call_of
from autoperf.registry.names import select
from autoperf.rules.front_end import FRONT_END
from autoperf.rules.rule import DRAWN, InputSpec, Rule


@dataclass(frozen=True)
class Side:
    """A release in a run; `label` tells it from the others in names of files and in tables."""

    label: str
    release: Release

    @property
    def mxnet(self) -> str:
        """The release's version."""
        return self.release.registry.mxnet

    @cached_property
    def operators(self) -> dict[str, Operator]:
        """Every operator under each of its names."""
        return {name: operator for operator in self.release.registry.operators for name in operator.names}


@dataclass(frozen=True)
class SelectedOperator:
    """An operator that was asked for, and the side whose registry, rules and inference make its cases."""

    target: Target
    source: Side


def labelled(releases: Sequence[Release]) -> list[Side]:
    """The releases under their versions; one that comes again is numbered: `1.9.1`, `1.9.1-2`."""
    sides: list[Side] = []
    seen: dict[str, int] = {}
    for release in releases:
        version = release.registry.mxnet
        seen[version] = number = seen.get(version, 0) + 1
        sides.append(Side(version if number == 1 else f"{version}-{number}", release))
    return sides


def targets_by_side(sides: Sequence[Side], selection: Selection) -> list[list[Target]]:
    """What each side has of the selection, perhaps nothing.

    Raises UnknownNameError for a name that no side knows, UsageError if no side has anything of the selection.
    """
    tried = [_selected(side, selection) for side in sides]
    unknown = [error for _, errors in tried for error in errors.values()]
    for name in selection.operators:
        if all(name in errors for _, errors in tried):
            raise tried[0][1][name]
    if not any(found for found, _ in tried):
        raise unknown[0]
    return [found for found, _ in tried]


def _selected(side: Side, selection: Selection) -> tuple[list[Target], dict[str, AutoperfError]]:
    """What one side has of the selection, and what it says of the names that it doesn't know ("": of all else)."""
    errors = {name: error for name in selection.operators if (error := _unknown(side, name))}
    known = tuple(name for name in selection.operators if name not in errors)
    if selection.operators and not known:
        return [], errors
    try:
        kept = replace(selection, operators=known)
        return targets(side.release.registry, side.release.catalog, kept), errors
    except (UnknownNameError, UsageError) as error:
        return [], {**errors, "": error}


def _unknown(side: Side, name: str) -> AutoperfError | None:
    try:
        select(side.release.registry, (name,), meanings=FRONT_END)
    except UnknownNameError as error:
        return error
    return None


def with_counterparts(sides: Sequence[Side], found: Sequence[Sequence[Target]]) -> list[list[Target]]:
    """What each side has, and what it calls by another name than the side where it was found."""
    names = {target.operator.name: target.operator.names for listed in found for target in listed}
    complete: list[list[Target]] = []
    for side, listed in zip(sides, found, strict=True):
        own = {target.operator.name: target for target in listed}
        for known in names.values():
            operator = next((side.operators[name] for name in known if name in side.operators), None)
            if operator and operator.name not in own:
                own[operator.name] = target_of(operator, side.release.catalog)
        complete.append(sorted(own.values(), key=lambda target: target.operator.name))
    return complete


def select_operators(sides: Sequence[Side], selection: Selection) -> list[SelectedOperator]:
    """Every selected operator once, by the first side that has a rule for it (else the first that has it), by name.

    Raises UnknownNameError and UsageError if no side has what was asked for.
    """
    found: list[SelectedOperator] = []
    seen: dict[str, int] = {}
    for side, listed in zip(sides, targets_by_side(sides, selection), strict=True):
        for target in listed:
            names = target.operator.names
            index = next((seen[name] for name in names if name in seen), None)
            if index is None:
                seen.update(dict.fromkeys(names, len(found)))
                found.append(SelectedOperator(target, side))
            elif target.rule and not found[index].target.rule:
                found[index] = SelectedOperator(target, side)
    return sorted(found, key=lambda chosen: chosen.target.operator.name)


def expected_cases(chosen: Iterable[SelectedOperator], recipe: Recipe) -> int:
    """About how many cases these operators come to; MXNet's inference may refuse some of them."""
    return sum(_expected(one.target.operator, one.target.rule, recipe) for one in chosen if one.target.rule)


def _expected(operator: Operator, rule: Rule, recipe: Recipe) -> int:
    try:
        canonical = rule.canonical(InputSpec(operator, recipe.dtype or rule.dtype, recipe.elements))
    except UserRuleError:
        # What the rule did wrong is reported when its turn comes.
        return 0
    drawn = recipe.samples if recipe.includes(DRAWN) else 0
    return sum(map(recipe.includes, canonical)) + drawn


def common_name(operator: Operator, sides: Sequence[Side]) -> str:
    """The operator's name; or, where a side knows it by an alias only, the alias that most sides know."""

    return max(operator.names, key=lambda name: sum(name in side.operators for side in sides))


def selected_batches(
    sides: Sequence[Side], chosen: Iterable[SelectedOperator], recipe: Recipe, scratch: Path
) -> Iterator[OperatorBatches]:
    """Make the cases of one operator after the other, and see for each side what of them it can run."""
    for one in chosen:
        name = common_name(one.target.operator, sides)
        prepared = _prepared(one, recipe, name)
        jobs = jobs_of(prepared, scratch)
        without = tuple(skipped(prepared))
        yield tuple(_batch(side, name, jobs, without, one) for side in sides)


def stored_batches(
    sides: Sequence[Side], groups: Iterable[Sequence[Case]], seed: int, scratch: Path
) -> Iterator[OperatorBatches]:
    """Render and queue cases that were made before, in groups of one operator and category."""
    origin = Origin(sides[0].mxnet, seed, "a case file", "stored")
    for number, listed in enumerate(groups):
        rendered = render(listed, origin)
        jobs = rendered_jobs(listed, rendered, write(rendered, scratch / str(number)))
        yield tuple(_batch(side, rendered.operator, jobs) for side in sides)


def file_batches(sides: Sequence[Side], path: Path, scratch: Path, settings: Settings) -> Iterator[OperatorBatches]:
    """Queue the cases of a rendered file. Raises CaseFileError, also for a name that none of the releases knows."""
    checker = CaseChecker(side.release for side in sides)
    batch = read_batch(path, scratch, settings, partial(checker.check_suite, path))
    yield tuple(_batch(side, batch.operator, batch.jobs) for side in sides)


def _prepared(one: SelectedOperator, recipe: Recipe, name: str) -> Prepared:
    """The cases of an operator, under this name of it."""
    target, release = one.target, one.source.release
    if target.rule is None or name == target.operator.name:
        return prepare(release, target, recipe)
    built = build(target.operator, target.rule, recipe, release.client)
    cases = [msgspec.structs.replace(case, operator=name) for case in built.cases]
    origin = Origin(release.registry.mxnet, recipe.seed, target.rule.source, release.tier(target.rule).value)
    return Prepared(target, replace(built, cases=cases), render(cases, origin) if cases else None)


def _batch(
    side: Side, name: str, jobs: Sequence[Job], without: tuple[Outcome, ...] = (), one: SelectedOperator | None = None
) -> Batch:
    """What a side runs of these jobs, and an outcome with the reason for each that it can't."""
    if one and side is one.source:
        return Batch(name, tuple(jobs), without)
    if one and one.target.rule:
        without = tuple(_of_source(one.source, outcome) for outcome in without)
    lack = _Lack(side, name, one)
    reasons = {job.case.id: lack.reason(job.case) for job in jobs}
    if one and one.target.rule and one.target.rule.inferable:
        reasons |= _refusals(side, [job.case for job in jobs if not reasons[job.case.id]])
    told = (outcome(job.case, Status.SKIPPED, 0.0, reason=reasons[job.case.id]) for job in jobs if reasons[job.case.id])
    return Batch(name, tuple(job for job in jobs if not reasons[job.case.id]), (*without, *told))


def _of_source(source: Side, outcome: Outcome) -> Outcome:
    """The outcome with whose words they are: a case that wasn't made under one release isn't there for the others."""
    if outcome.status is Status.FAILED:
        # A user's own rule is at fault, whatever the release.
        return outcome
    reason = f"under MXNet {source.mxnet}, which the cases were made with: {outcome.reason}"
    return msgspec.structs.replace(outcome, reason=reason)


class _Lack:
    """What of an operator's cases a side's release does not have."""

    def __init__(self, side: Side, name: str, one: SelectedOperator | None) -> None:
        self._side, self._name = side, name
        self._operator = side.operators.get(name)
        self._signature = Signature(side.release, self._operator) if self._operator else None
        # Of cases that a rule has made, the operator of the release that they were made for tells what is an input.
        self._meant = {tensor.name for tensor in one.target.operator.tensors} if one else None

    def reason(self, case: Case) -> str:
        """Empty if the release has everything."""
        if self._operator is None or self._signature is None:
            return f"MXNet {self._side.mxnet} has no operator {self._name}"
        stems = [item.name.partition("[")[0] for item in case.inputs]
        lacking = [f"input {stem}" for stem in stems if not self._has_input(case, stem)]
        lacking += [f"parameter {name}" for name in case.params if not self._signature.takes_parameter(name)]
        lacking += [f"parameter {FILE}"] if FILE in stems and not self._operator.parameter(FILE) else []
        if lacking:
            return f"MXNet {self._side.mxnet} has no {lacking[0]} of {self._name}"
        if case.graphs and not self._signature.holds_graphs():
            return f"MXNet {self._side.mxnet} runs {self._name} without a graph ({', '.join(case.graphs)})"
        return ""

    def _has_input(self, case: Case, stem: str) -> bool:
        if self._operator is None or self._signature is None or stem == FILE:
            return True
        if self._meant is not None:
            return stem not in self._meant - {tensor.name for tensor in self._operator.tensors}
        return self._signature.takes_input(case, stem)


def _refusals(side: Side, cases: Sequence[Case]) -> dict[str, str]:
    """What the side's inference has against each case, by id; empty where it is content."""
    completions = side.release.client.complete([call_of(case) for case in cases])
    return {case.id: _refusal(side, case, found) for case, found in zip(cases, completions, strict=True)}


def _refusal(side: Side, case: Case, found: Completion) -> str:
    if found.error:
        return f"MXNet {side.mxnet} refuses these inputs: {found.error}"
    wanted = [name for name, _ in found.inputs]
    given = [item.name for item in case.inputs if item.name not in NON_ARGUMENTS]
    missing = [name for name in wanted if name not in given]
    if missing:
        return f"MXNet {side.mxnet} wants more inputs of {case.operator}: {', '.join(missing)}"
    if wanted != given:
        return f"MXNet {side.mxnet} takes the inputs of {case.operator} in another order: {', '.join(wanted)}"
    return ""
