"""Sides of a run: the releases, the operators that are selected on them, and how they measure large tensors."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import msgspec

from autoperf.cases.build import Recipe
from autoperf.cases.release import Release
from autoperf.cases.selection import Selection, Target, target_of, targets
from autoperf.core.errors import AutoperfError, UnknownNameError, UsageError, UserRuleError
from autoperf.core.operator import Operator
from autoperf.core.releases import unique_labels
from autoperf.measurement.messages import Build
from autoperf.measurement.settings import Settings
from autoperf.registry.names import Names
from autoperf.rules.front_end import FRONT_END
from autoperf.rules.rule import InputSpec, Rule
from autoperf.rules.sandbox import Limits

FEATURE = "INT64_TENSOR_SIZE"
# A call takes seconds and an array gigabytes, so the defaults of other inputs would take hours.
DEFAULTS = {"timeout": 900.0, "processes": 1, "warmup": 0, "runs": 1}


def rule_limits(settings: Settings) -> Limits:
    """The limits of a user's own rules in a run with these settings: the limits of a case.

    Without --memory-limit a rule may use less memory than a case: filling it may take longer than the time limit, which
    would be reported as a rule that hangs.
    """
    return Limits(settings.timeout, settings.memory_limit or min(settings.bytes_allowed, Limits.memory))


def settings_for_large(settings: Settings, given: Collection[str]) -> Settings:
    """The settings with the defaults of such tensors, except for the `given` names, which the user has set."""
    free = {name: value for name, value in DEFAULTS.items() if name not in given}
    if {"precision", "max_time"} & set(given):
        free.pop("runs", None)
    return msgspec.structs.replace(settings, **free)


def require_int64_tensors(build: Build) -> None:
    """Raises UsageError if a build has no tensors of 2**31 elements or more."""
    if not build.features.get(FEATURE):
        raise UsageError(
            f"--int64-tensor on needs a build with {FEATURE}, such as MXNet 2.0.0b1: MXNet {build.version} is built "
            "without it, and its tensors have fewer than 2**31 elements"
        )


@dataclass(frozen=True)
class Side:
    """A release in a run; `label` names it in file names and tables.

    `others` are the names under which it calls operators of other names, as its environment says.
    """

    label: str
    release: Release
    others: Mapping[str, str] = field(default_factory=dict)

    @property
    def mxnet(self) -> str:
        """The release's version."""
        return self.release.version

    @property
    def framework(self) -> str:
        """The framework's name in messages."""
        return self.release.backend.title

    @property
    def title(self) -> str:
        """The framework and its version in messages, such as `MXNet 1.9.1`."""
        return f"{self.framework} {self.mxnet}"

    @cached_property
    def operators(self) -> dict[str, Operator]:
        """Every operator by each of its names, and what stands for one."""
        own = {name: operator for operator in self.release.registry.selectable for name in operator.names}
        return own | {name: own[other] for name, other in self.others.items() if other in own}

    def rule(self, name: str) -> Rule | None:
        """The rule of an operator by any of its names; None without one."""
        operator = self.operators.get(name)
        rule = self.release.catalog.find(operator) if operator else None
        return rule if isinstance(rule, Rule) else None


@dataclass(frozen=True)
class SelectedOperator:
    """A selected operator, and the side whose registry, rules and inference make its cases."""

    target: Target
    source: Side


def label_sides(releases: Sequence[Release]) -> list[Side]:
    """A side for each release, labelled by version; repeated versions are numbered: `1.9.1`, `1.9.1-2`.

    The label of a framework that follows another one begins with its name: `torch-2.13.0`, `torch-compile-2.13.0`.
    """
    names = [
        f"{release.backend.name.replace(':', '-')}-{release.version}" if release.followed else release.version
        for release in releases
    ]
    return [Side(label, release) for label, release in zip(unique_labels(names), releases, strict=True)]


def targets_by_side(sides: Sequence[Side], selection: Selection) -> list[list[Target]]:
    """The selected targets of each side, which may be empty. Raises UnknownNameError, and UsageError if all are."""
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
        return targets(side.release.registry, side.release.catalog, replace(selection, operators=known)), errors
    except (UnknownNameError, UsageError) as error:
        return [], {**errors, "": error}


def _unknown(side: Side, name: str) -> AutoperfError | None:
    try:
        Names(side.release.registry, FRONT_END).select((name,))
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
    """Selected operators by name, each by the first side with a rule for it, or with it. Raises as targets_by_side."""
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
    modes = sum(len(recipe.modes(*profile)) for profiles in canonical for profile in profiles.items())
    return modes + recipe.draws * sum(len(recipe.drawn_modes(profiles)) for profiles in canonical)


def common_name(operator: Operator, sides: Sequence[Side]) -> str:
    """The operator's name, or the alias that most sides know if a side has it under an alias only."""
    return max(operator.names, key=lambda name: sum(name in side.operators for side in sides))
