"""The functions of the design of MXNet's operator benchmarks that measure a group of operations."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

from autoperf.api.default_arguments import COMMON_PROFILES
from autoperf.api.functions import device_text
from autoperf.api.measurement import MeasuringRequest
from autoperf.api.operator_benchmarks import RUNS, WARMUP
from autoperf.api.option_types import check_types
from autoperf.api.options import Dtype, dtype_names
from autoperf.api.result_titles import configured_title, print_results, result_of, title_of
from autoperf.cases.build import Recipe
from autoperf.core.errors import UnknownNameError, UsageError
from autoperf.core.limits import DEFAULT_PROCESSES
from autoperf.core.outcome import Outcome
from autoperf.executor.settings import Settings
from autoperf.pipeline.release import Release, open_release
from autoperf.pipeline.selection import Selection, Target, targets
from autoperf.registry.names import Match, Names
from autoperf.registry.spellings import is_glob
from autoperf.rules.design_operations import LAYER_PROFILES, design_group
from autoperf.rules.front_end import FRONT_END
from autoperf.rules.groups import named_group
from autoperf.rules.rule import InputSpec

_PROFILES = frozenset((*COMMON_PROFILES, *LAYER_PROFILES))
_FUNCTION = re.compile(r"run_all_([a-z0-9_]+)_operations_benchmarks")


def attribute_of_design(name: str, module: str, named_class: Callable[[str, str], type]) -> Any:
    """What a module of the design has by this name: the function of a group, or a class.

    Raises AttributeError for any other name.
    """
    function = _group_function(name)
    if function is not None:
        return function
    if not name[:1].isupper():
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    return named_class(name, module)


def _group_function(name: str) -> Callable[..., dict[str, float]] | None:
    """The function of this name, such as run_all_arithmetic_operations_benchmarks; None for another kind of name.

    Raises AttributeError for a group that there isn't.
    """
    match = _FUNCTION.fullmatch(name)
    if match is None:
        return None
    try:
        _entries(match[1])
    except UnknownNameError as error:
        raise AttributeError(str(error)) from None
    return partial(run_group, match[1])


def run_group(
    group: str,
    ctx: object = "cpu",
    dtype: Dtype | None = None,
    *,
    mxnet: str | None = None,
    processes: int = DEFAULT_PROCESSES,
    progress: bool = False,
) -> dict[str, float]:
    """Measures a group over its operators' common inputs; prints and returns the mean seconds by name.

    Groups are those of the design, such as `arithmetic`, and categories. What could not be measured is printed with
    the reason, and isn't in the result. Raises AutoperfError.
    """
    check_types({"dtype": dtype, "mxnet": mxnet, "processes": processes, "progress": progress})
    members = _members(group, mxnet)
    settings = Settings(warmup=WARMUP, runs=RUNS, processes=processes, ctx=device_text(ctx))
    recipe = Recipe(draws=0, profiles=members.profiles, dtypes=() if dtype is None else dtype_names(dtype))
    selection = Selection(operators=tuple(members.titles))
    run = MeasuringRequest(selection, recipe, settings, mxnet, progress=progress).measure()
    results = dict(_measured(run.outcomes, members.titles))
    print_results(results)
    return results


class GroupMembers(NamedTuple):
    """The operators of a group with their titles, and the profiles of their common inputs."""

    titles: Mapping[str, str]
    profiles: frozenset[str]


def _members(group: str, mxnet: str | None) -> GroupMembers:
    """The members of a group that this release has. Raises UnknownNameError for a group that there isn't."""
    with open_release(mxnet) as release:
        titles = _titles(group, release)
        chosen = targets(release.registry, release.catalog, Selection(operators=tuple(titles)))
        profiles = {profile for target in chosen for profile in _profiles(target)}
    return GroupMembers(titles, _PROFILES & profiles)


def _profiles(target: Target) -> Iterable[str]:
    """The profiles of an operator's canonical inputs."""
    return target.rule.canonical(InputSpec(target.operator, target.rule.dtype)) if target.rule else ()


def _titles(group: str, release: Release) -> dict[str, str]:
    """The titles of the group's operators by their names; the first of those that are one operator."""
    entries = _entries(group)
    if not entries:
        chosen = targets(release.registry, release.catalog, Selection(categories=(group,)))
        return {target.operator.name: title_of(target.operator.name) for target in chosen if target.rule}
    names = Names(release.registry, FRONT_END)
    titles: dict[str, str] = {}
    for match, title in (pair for entry in entries for pair in _matches(names, entry)):
        titles.setdefault(match.operator.name, title)
    return titles


def _entries(group: str) -> tuple[str, ...]:
    """What measures the group's operations; empty for a category. Raises UnknownNameError for neither."""
    try:
        return design_group(group)
    except UnknownNameError as unknown:
        try:
            named_group(group)
        except UnknownNameError:
            raise unknown from None
        return ()


def _matches(names: Names, entry: str) -> Iterator[tuple[Match, str]]:
    """The operators of an entry with their titles; an entry that this release doesn't have is printed."""
    try:
        if is_glob(entry):
            yield from ((match, title_of(match.operator.name)) for match in names.matching(entry))
        else:
            yield names.resolve(entry), title_of(entry)
    except (UnknownNameError, UsageError) as absent:
        _print_missing(title_of(entry), str(absent))


def _measured(outcomes: Iterable[Outcome], titles: Mapping[str, str]) -> Iterator[tuple[str, float]]:
    """The results by name, in the order of the titles; what has none is printed."""
    order = {name: number for number, name in enumerate(titles)}
    for outcome in sorted(outcomes, key=lambda outcome: order[outcome.operator]):
        title = configured_title(titles[outcome.operator], outcome.profile)
        result = result_of(outcome, title)
        if result:
            yield result
        else:
            _print_missing(title, f"{outcome.status.value}: {outcome.reason}")


def _print_missing(title: str, reason: str) -> None:
    sys.stdout.write(f"MX_{title} was not measured: {reason}\n")
