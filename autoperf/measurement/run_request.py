"""The request of a run, and its plan: its sides, counterparts and operators, and the queue of their batches."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import msgspec

from autoperf.backends.lookup import MXNET, FrameworkChoice, backend_of, parse_framework
from autoperf.backends.releases import INSTALLED, is_version
from autoperf.cases.build import Recipe, Rejection
from autoperf.cases.handwritten import HandwrittenCase, OwnInputs, handwritten_cases
from autoperf.cases.selection import Selection, Target, check_profiles, target_of
from autoperf.core.case import Case, Counterpart
from autoperf.core.errors import AutoperfError, UnknownNameError, UsageError
from autoperf.core.graph import LayerPlace
from autoperf.core.operator import Operator
from autoperf.core.outcome import Outcome, either_open
from autoperf.counts.requests import PROGRAM
from autoperf.counts.valgrind import require_counter
from autoperf.measurement.batches import Batch, Identify, Job, OperatorBatches, by_key, numbered, skipped
from autoperf.measurement.case_files import OwnCases, PlannedCases, own_groups, planned_groups
from autoperf.measurement.resumed_run import Remaining, ResumedRun, RunOptions, StoredSources, digests
from autoperf.measurement.schedules import TimeBudget, round_robin, shuffled
from autoperf.measurement.settings import Settings
from autoperf.measurement.side_batches import group_batches, selected_batches
from autoperf.measurement.sides import Side, expected_cases, select_operators
from autoperf.registry.names import Names, is_glob, other_names
from autoperf.rules.front_end import FRONT_END
from autoperf.rules.rule import InputSpec

# By the name in mx.npx, the name in mx.nd, which most operators have in camel case.
LEGACY_NAMES: Mapping[str, str] = {"leaky_relu": "LeakyReLU", "rnn": "RNN"} | {
    name: name.title().replace("_", "")
    for name in (
        *("activation", "batch_norm", "convolution", "deconvolution", "dropout", "embedding", "fully_connected"),
        *("group_norm", "instance_norm", "layer_norm", "pooling", "sequence_last", "sequence_mask"),
        *("sequence_reverse", "slice_channel"),
    )
}
_EXTENSION_NAMES = {legacy: extension for extension, legacy in LEGACY_NAMES.items()}


class NamespaceFunction(NamedTuple):
    """A function's path, such as `nd.BatchNorm`, and its operator."""

    path: str
    operator: Operator


def function_in(names: Names, namespace: str, name: str) -> NamespaceFunction:
    """The function of this name, or else of its other name, in nd, np, npx or sym.

    Raises UnknownNameError if there is neither, UsageError for a function that calls several operators, or none.
    """
    other = LEGACY_NAMES.get(name) or _EXTENSION_NAMES.get(name)
    refusals: list[AutoperfError] = []
    for spelling in (name, other) if other else (name,):
        path = f"{namespace}.{spelling}"
        try:
            return NamespaceFunction(path, names.resolve(path).operator)
        except (UnknownNameError, UsageError) as refusal:
            refusals.append(refusal)
    raise refusals[0]


NAMESPACES = ("nd", "np", "npx", "sym")


def _calls(request: RunRequest, target: Target) -> list[HandwrittenCase]:
    operator, recipe = target.operator.name, request.recipe
    if request.own:
        return handwritten_cases(operator, request.own, recipe.dtypes)
    if target.rule is None:
        raise UsageError(f"{operator} can't be measured: {target.reason}; give its inputs (--input)")
    canonical = target.rule.canonical(InputSpec(target.operator, target.rule.dtype))
    calls = [
        HandwrittenCase(operator, call.tensors, call.params, recipe.dtypes, profile)
        for profile, call in canonical.items()
        if recipe.includes(profile)
    ]
    if not calls:
        raise UnknownNameError("profile", ",".join(sorted(recipe.profiles or ())), (), canonical)
    return calls


def check_namespaces(namespaces: Sequence[str], names: Sequence[str]) -> None:
    """Raises UsageError unless these are two namespaces, and for functions given by paths or globs."""
    if not len(namespaces) == len({*namespaces} & {*NAMESPACES}) == 2:
        raise UsageError(f"invalid --front-ends {','.join(namespaces)}: expected two of {', '.join(NAMESPACES)}")
    if not names or any("." in name or is_glob(name) for name in names):
        raise UsageError("--front-ends needs names of functions in both: --operator add")


def counterpart_batches(sides: Sequence[Side], request: RunRequest, name: str) -> OperatorBatches:
    """The jobs of one name on each side. Raises AutoperfError if one of the functions takes none of the inputs."""
    first, second = (
        target_of(function_in(Names(side.release.registry, FRONT_END), space, name).operator, side.release.catalog)
        for side, space in zip(sides, request.namespaces, strict=True)
    )
    calls = _calls(request, first)
    pairs = zip(first.operator.tensors, second.operator.tensors, strict=False)
    names = {tensor.name: other.name for tensor, other in pairs}
    renamed = ({names.get(tensor, tensor): draft for tensor, draft in call.inputs.items()} for call in calls)
    operator = second.operator.name
    others = [replace(call, operator=operator, inputs=own) for call, own in zip(calls, renamed, strict=True)]
    base, new = (_batch(side, written) for side, written in zip(sides, (calls, others), strict=True))
    # A run file can't tell them apart.
    if request.own and len({job.case.id for job in base.jobs}) < len(base.jobs):
        raise UsageError(f"the same inputs of {base.operator} are given twice: give them once")
    counterparts = by_key(base.jobs, inputs_key)
    jobs = (_paired(job, counterparts.get(key)) for key, job in by_key(new.jobs, inputs_key).items())
    return base, replace(new, jobs=tuple(jobs))


def _paired(job: Job, other: Job | None) -> Job:
    """The job of a case that draws the contents of another function's, with the same properties."""
    if other is None:
        return job
    pairs = list(zip(job.case.inputs, other.case.inputs, strict=True))
    inputs = tuple(msgspec.structs.replace(own, tensor=given.tensor) for own, given in pairs)
    counterpart = Counterpart(other.case.digest, {own.name: given.name for own, given in pairs})
    case = msgspec.structs.replace(job.case, inputs=inputs, counterpart=counterpart)
    return msgspec.structs.replace(job, case=case, open=either_open(other.open, job.open))


def _batch(side: Side, written: Sequence[HandwrittenCase]) -> Batch:
    cases: list[Case] = []
    outcomes: list[Outcome] = []
    refusals: list[tuple[HandwrittenCase, AutoperfError]] = []
    for call in written:
        try:
            (group,) = own_groups([side], [call])
        except AutoperfError as refusal:
            refusals.append((call, refusal))
            continue
        cases += group.cases
        outcomes += group.skipped
    if not cases:
        raise refusals[0][1]
    for call, error in refusals:
        rejection = Rejection(cases[0].operator, call.profile, str(error))
        outcomes += [skipped(cases[0].operator, cases[0].category, rejection)] * call.cases
    (batch,) = group_batches([side], cases, tuple(numbered(outcomes)))
    return batch


def inputs_key(case: Case) -> tuple[object, ...]:
    """The profile, the shapes and dtypes of the inputs, and the parameters, which both functions share."""
    tensors = tuple((item.tensor.shape, item.tensor.dtype) for item in case.inputs)
    return case.profile, tensors, tuple(sorted((name, repr(value)) for name, value in case.params.items()))


class BuildHints(NamedTuple):
    """A side's framework and build, and the build of MXNet that another framework follows."""

    framework: str
    build: str | None
    followed: str | None


@dataclass(frozen=True)
class RunRequest:
    """The cases to measure, the builds, and the settings.

    `libraries` names the releases (empty: the default one), each a side, unless `environments` has the variables of
    sides with one release. `output` is the path of the run files, `resumed` the run to resume, with the same options.
    `cases` are files and folders of cases, narrowed by the selection and the recipe's profiles; `own` are the inputs of
    the command line for the one selected operator. `handwritten` are the only cases, of a Python program; run files
    lack them, so such a run can't be resumed. `namespaces` are two in which functions of the selected names are
    compared. `frameworks` has the framework of each side, or one for all (default: the settings'), as `parse_framework`
    reads it. `only` are the ids of the cases to measure, if not all. `reports` are the files of reports on the results,
    which no run file may be.
    """

    selection: Selection
    recipe: Recipe
    settings: Settings
    cases: tuple[Path, ...] = ()
    output: Path | None = None
    libraries: tuple[str, ...] = ()
    rules: tuple[Path, ...] = ()
    environments: tuple[dict[str, str], ...] = ()
    resumed: ResumedRun | None = None
    own: OwnInputs = field(default_factory=OwnInputs)
    handwritten: tuple[HandwrittenCase, ...] = ()
    namespaces: tuple[str, ...] = ()
    frameworks: tuple[str, ...] = ()
    only: frozenset[str] = frozenset()
    reports: tuple[Path, ...] = ()

    @property
    def libraries_of_sides(self) -> Sequence[str | None]:
        """The library of MXNet of each side, or of the cases of another framework; None is the default one."""
        libraries = self.libraries or (None,)
        sides = max(len(self.environments), len(self.frameworks), 1)
        return libraries * sides if len(libraries) == 1 else libraries

    @property
    def choices(self) -> Sequence[FrameworkChoice]:
        """The framework of each side."""
        choices = tuple(map(parse_framework, self.frameworks or (self.settings.framework,)))
        return choices * len(self.libraries_of_sides) if len(choices) == 1 else choices

    @property
    def builds(self) -> Iterator[BuildHints]:
        """The build of each side; cases of other frameworks follow the first MXNet that is named."""
        choices = self.choices
        first = next((choice.hint for choice in choices if choice.name == MXNET), None)
        for choice, library in zip(choices, self.libraries_of_sides, strict=True):
            if backend_of(choice.name).follows:
                yield BuildHints(choice.name, choice.hint, library or first)
            else:
                yield BuildHints(choice.name, choice.hint or library, None)

    @property
    def sources(self) -> StoredSources:
        """The options by which code can be named."""
        return StoredSources(self.cases, self.rules, self.libraries, frameworks=tuple(map(str, self.choices)))

    @property
    def spent(self) -> float:
        """The seconds that earlier sessions of a resumed run took."""
        return self.resumed.spent if self.resumed else 0.0

    def settings_of(self, side: int, layers: dict[str, LayerPlace] | None = None) -> Settings:
        """The settings of one side, by its number, with the user's own layers on it."""
        env = self.environments[side] if self.environments else self.settings.env
        return msgspec.structs.replace(self.settings, env=env, framework=self.choices[side].name, layers=layers or {})

    def others_of(self, side: int) -> dict[str, str]:
        """The names of operators that one side calls in place of others. Raises UsageError."""
        return other_names(self.environments[side] if self.environments else self.settings.env)

    def check(self) -> None:
        """Raises UsageError for contradictory options, missing counters, and variables with which MXNet can't start."""
        self.own.exclude(self.cases)
        if self.cases and replace(self.recipe, profiles=None) != Recipe():
            raise UsageError("--cases has its own inputs: leave out the options that draw them")
        if self.own and replace(self.recipe, dtypes=()) != Recipe():
            raise UsageError("--input gives the inputs: leave out the options that draw or select them")
        require_counter(self.settings.counters, self.settings.count_by, self.settings.ctx)
        if self.settings.keep_dumps and self.settings.counted_by != PROGRAM:
            raise UsageError("--keep-dumps keeps valgrind's files: add --counters instructions --count-by valgrind")
        sides = len(self.libraries_of_sides)
        if min(len(self.frameworks), len(self.libraries)) > 1:
            raise UsageError(
                f"several frameworks measure the cases of one MXNet: expected one --mxnet, got {len(self.libraries)}"
            )
        if len(self.choices) != sides:
            raise UsageError(
                f"{len(self.frameworks)} frameworks for {sides} sides: expected one for each, or one for all"
            )
        for choice, variables in zip(self.choices, self.environments or ({},) * sides, strict=True):
            backend = backend_of(choice.name)
            backend.check({**os.environ, **variables})
            if self.settings.counted_by == PROGRAM and not backend.countable:
                raise UsageError(
                    f"valgrind counts MXNet, NumPy and PyTorch, not {backend.title}, whose instructions are those of "
                    "dispatch and compilation, and don't repeat: leave out --counters"
                )

    def options(self, command: str, sides: Sequence[Side], number: int) -> RunOptions:
        """The options in the header of one side's run file."""
        return RunOptions(
            selection=self.selection,
            recipe=self.recipe,
            settings=self.settings_of(number),
            cases=tuple(str(path.absolute()) for path in self.cases),
            own=self.own,
            rules=tuple(str(path.absolute()) for path in self.rules),
            mxnet=tuple(map(absolute_library, self.libraries)),
            frameworks=self.frameworks,
            labels=tuple(side.label for side in sides),
            label=sides[number].label,
            command=command,
            digests=digests(self.cases, self.rules),
        )


def absolute_library(hint: str) -> str:
    """The absolute path of a library; the name of a release is unchanged."""
    return hint if hint == INSTALLED or is_version(hint) else str(Path(hint).absolute())


@dataclass(frozen=True)
class RunPlan:
    """The sides, the number of operators, and their batches, which are made on demand.

    `cases` is the approximate number of cases. `calls` are the batches of a Python program's calls, which are tried
    before any is timed. `budget` is the time budget, if any; `remaining` has the cases that a resumed run has left.
    """

    sides: tuple[Side, ...]
    operators: int
    queue: Iterator[OperatorBatches]
    cases: int = 0
    calls: tuple[OperatorBatches, ...] = ()
    budget: TimeBudget | None = None
    remaining: Remaining | None = None

    @property
    def parallel(self) -> int:
        """The largest number of batches that can be in flight."""
        return max(1, self.operators if self.budget is None else self.cases)

    def within_budget(
        self, request: RunRequest, scratch: Path, start: float, identify: Identify, *, decides: bool = False
    ) -> RunPlan:
        """The plan within the request's time budget, if it has one, from `start` (monotonic seconds) on.

        Cases of the same key by `identify` share their time. If a comparison `decides` when a case ends, it may take
        more than the maximum time of a case.
        """
        settings = request.settings
        if settings.time_budget is None:
            return self
        most = float("inf") if decides else settings.max_time
        budget = TimeBudget(settings.time_budget, self.operators, most, start - request.spent)
        queue = round_robin(self.queue, budget, request.recipe.seed, scratch, identify=identify)
        return replace(self, queue=queue, budget=budget)


def plan_of(request: RunRequest, sides: tuple[Side, ...], scratch: Path, seconds: Mapping[str, float] = {}) -> RunPlan:
    """The plan on these sides: each unmeasured case once, operators with the most `seconds` in an earlier run first."""
    plan = _full_plan(request, sides, scratch, seconds)
    if request.namespaces:
        # Two names may have one counterpart.
        return plan
    remaining = Remaining(request.resumed.files if request.resumed else [None] * len(sides), request.only)
    return replace(plan, queue=remaining.of(plan.queue), remaining=remaining)


def _full_plan(request: RunRequest, sides: tuple[Side, ...], scratch: Path, seconds: Mapping[str, float]) -> RunPlan:
    if request.handwritten:
        groups = own_groups(sides, request.handwritten, backward=request.settings.backward)
        plan = _given(request, sides, planned_groups(sides, groups))
        calls = tuple(plan.queue)
        return replace(plan, queue=iter(calls), calls=calls)
    if request.namespaces:
        names = request.selection.operators
        check_namespaces(request.namespaces, names)
        batches = [counterpart_batches(sides, request, name) for name in names]
        makers = tuple(lambda made=made: made for made in batches)
        return _given(request, sides, PlannedCases(sum(made[0].size for made in batches), makers))
    own = OwnCases(request.cases, request.own, request.selection, request.recipe.profiles, request.recipe.dtypes)
    if own:
        return _given(request, sides, own.planned(sides, request.settings, scratch))
    return _selected(request, sides, seconds)


def _selected(request: RunRequest, sides: tuple[Side, ...], seconds: Mapping[str, float]) -> RunPlan:
    operators = select_operators(sides, request.selection)
    operators.sort(key=lambda operator: -seconds.get(operator.target.operator.name, 0.0))
    check_profiles([operator.target for operator in operators], sorted(request.recipe.profiles or ()))
    for number, side in enumerate(sides):
        # The first case is completed by it; it starts beside the processes that measure. A framework that follows
        # another side has its cases.
        if number == 0 or not side.release.followed:
            side.release.client.start()
    if request.settings.time_budget is not None:
        operators = shuffled(operators, request.recipe.seed)
    queue = selected_batches(sides, operators, request.recipe)
    return RunPlan(sides, len(operators), queue, expected_cases(operators, request.recipe))


def _given(request: RunRequest, sides: tuple[Side, ...], planned: PlannedCases) -> RunPlan:
    batches = list(planned.batches)
    if request.settings.time_budget is not None:
        batches = shuffled(batches, request.recipe.seed)
    return RunPlan(sides, len(batches), (make() for make in batches), planned.cases)
