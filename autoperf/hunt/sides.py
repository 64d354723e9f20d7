"""The sides of a hunt: the build that is searched, the side that it is compared with, and the kernels of findings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path

import msgspec

from autoperf.backends.lookup import framework_of, parse_other_framework
from autoperf.backends.protocol import Program
from autoperf.cases.release import Release, following
from autoperf.cases.selection import Selection, Target, targets
from autoperf.cases.signatures import Signature
from autoperf.core.case import Case
from autoperf.core.errors import AutoperfError, UsageError, UserRuleError
from autoperf.core.finding import Finding, SideRecord
from autoperf.core.operator import Operator
from autoperf.core.options import DEFAULT_ELEMENTS
from autoperf.core.outcome import Outcome, PassName
from autoperf.core.releases import words_of_sides
from autoperf.hunt.neighbours import OtherSide
from autoperf.hunt.point import PointFactory
from autoperf.implementations.lookup import lacking
from autoperf.measurement.batches import Job
from autoperf.measurement.managed_process import followed_by, thread_variables
from autoperf.measurement.quick_timing_client import QuickTimingClient
from autoperf.measurement.run_request import absolute_library
from autoperf.measurement.settings import Settings
from autoperf.measurement.side_batches import program_on
from autoperf.measurement.sides import Side, common_name, label_sides, targets_by_side, with_counterparts
from autoperf.measurement.supervisor import Executor
from autoperf.rules.rule import Rule

SIDES = 2


class SidesRequest(msgspec.Struct, frozen=True, kw_only=True):
    """The two sides of a hunt between builds, environments or frameworks, in the order of the command line: A, then B.

    `libraries` has two builds, or one or none for both sides; `environments` has the variables of each side. The second
    side is searched for inputs on which it is slower than the first; if `faster`, the first one is. `against` is the
    framework of the first side, as it is named (`torch`, `torch@2.13.0`, `torch=PATH`); empty for MXNet.
    """

    libraries: tuple[str, ...] = ()
    environments: tuple[dict[str, str], ...] = ()
    faster: bool = False
    against: str = ""

    def __post_init__(self) -> None:
        """Raises UsageError for too many sides, and for options that a hunt against a framework doesn't have."""
        listed = f"got {len(self.libraries)}: {', '.join(self.libraries)}"
        if len(self.libraries) > SIDES:
            raise UsageError(f"invalid --mxnet: expected one or two builds, {listed}")
        if len(self.environments) not in (0, SIDES):
            raise UsageError(f"invalid environments: expected those of two sides, got {len(self.environments)}")
        if self.against and len(self.libraries) > 1:
            raise UsageError(f"invalid --mxnet: expected one build that --against {self.against} is for, {listed}")
        if self.against and (self.environments or self.faster):
            option = "--env" if self.environments else "--faster"
            raise UsageError(f"--against {self.against} searches MXNet for slow inputs: leave out {option}")

    @property
    def hints(self) -> tuple[str | None, ...]:
        """The build of each side of MXNet; None is the default one."""
        if self.against:
            return self.libraries or (None,)
        return self.libraries if len(self.libraries) == SIDES else (self.libraries or (None,)) * SIDES

    @property
    def searched(self) -> int:
        """The number of the side that is searched."""
        return 0 if self.faster else 1

    @property
    def builds(self) -> tuple[tuple[str | None, dict[str, str], str], ...]:
        """Library, variables and framework of the searched side, then of the other one, as a log records them."""
        libraries = [absolute_library(hint) if hint else None for hint in self.hints]
        if self.against:
            return (libraries[0], {}, ""), (None, {}, self.against)
        both = list(zip(libraries, self.environments or ({}, {}), ("", ""), strict=True))
        return both[self.searched], both[1 - self.searched]


@dataclass(frozen=True)
class HuntSide:
    """A side with its number, its release, the settings of its processes, and the words that name it.

    `hint` is the build as it was named; None is the default one. `framework` is another framework as it was named.
    """

    number: int
    side: Side
    settings: Settings
    words: str
    hint: str | None = None
    framework: str = ""

    @property
    def release(self) -> Release:
        """The side's release."""
        return self.side.release

    def factory(self, operator: Operator, rule: Rule, elements: int | None) -> PointFactory:
        """Makes the inputs of an operator on this side."""
        client, elements = self.release.client, elements or DEFAULT_ELEMENTS
        return PointFactory(operator, rule, client, elements=elements, side=self.number)

    @property
    def record(self) -> SideRecord:
        """The side for the header of the log."""
        library = absolute_library(self.hint) if self.hint else None
        return SideRecord(
            words=self.words, mxnet=self.side.mxnet, library=library, env=self.settings.env, framework=self.framework
        )


@dataclass(frozen=True)
class HuntSides:
    """The side that is searched, and the other one of a hunt between two."""

    searched: HuntSide
    other: HuntSide | None = None

    @property
    def records(self) -> tuple[SideRecord, ...]:
        """The slow and the fast side for the header of the log; none of a hunt of one build."""
        return (self.searched.record, self.other.record) if self.other else ()

    @property
    def rule_failures(self) -> tuple[str, ...]:
        """The failures of the user's own rules so far, each once."""
        return tuple(dict.fromkeys(failure for side in self.ordered for failure in side.release.rule_failures))

    @cached_property
    def ordered(self) -> tuple[HuntSide, ...]:
        """The sides by their numbers."""
        both = (self.searched, self.other) if self.other else (self.searched,)
        return tuple(sorted(both, key=lambda side: side.number))

    def targets(self, selection: Selection) -> list[Target]:
        """The selected operators by name; one that only one side has says so in place of a rule.

        Raises UnknownNameError and UsageError if no side has a selected operator.
        """
        release, other = self.searched.release, self.other
        if other is None:
            return targets(release.registry, release.catalog, selection)
        if other.framework:
            framework = framework_of(other.release.backend.name)
            listed = targets(release.registry, release.catalog, selection)
            # Some have no case with an implementation in the other framework.
            reasons = (lacking(framework, each.operator, each.category) if each.rule else "" for each in listed)
            pairs = zip(listed, reasons, strict=True)
            return [_without_rule(target, reason) if reason else target for target, reason in pairs]
        sides = [side.side for side in self.ordered]
        by_number = with_counterparts(sides, targets_by_side(sides, selection))
        of_searched, of_other = by_number[self.searched.number], by_number[other.number]
        known = {name for target in of_searched for name in target.operator.names}
        missing = (target for target in of_other if known.isdisjoint(target.operator.names))
        listed = []
        for target in of_searched:
            name = common_name(target.operator, sides)
            shared = replace(target, operator=_renamed(target.operator, name))
            is_shared = name in other.side.operators
            listed.append(shared if is_shared else _without_rule(target, f"{other.words} doesn't have it"))
        listed += [_without_rule(target, f"{self.searched.words} doesn't have it") for target in missing]
        return sorted(listed, key=lambda target: target.operator.name)

    def other_side(self, operator: Operator, rule: Rule, elements: int | None) -> OtherSide | None:
        """The other side of the search of an operator that both sides have under this name."""
        if self.other is None:
            return None
        known = self.other.side.operators[operator.name]
        factory = self.other.factory(_renamed(known, operator.name), rule, elements)
        takes = Signature(self.other.release, known).takes_parameter
        return OtherSide(factory, takes, self.other.words, self.searched.words)


def sides_of(releases: Sequence[Release], request: SidesRequest | None, settings: Settings) -> HuntSides:
    """The sides of a hunt with these open releases of MXNet: one, or the two of the request.

    Raises UsageError and LibraryError for a framework that can't be used.
    """
    labelled = label_sides(releases)
    if request is None:
        return HuntSides(HuntSide(0, labelled[0], settings, labelled[0].title))
    if request.against:
        choice = parse_other_framework(request.against)
        other, searched = label_sides([following(releases[0], choice), releases[0]])
        own = msgspec.structs.replace(settings, framework=choice.name)
        return HuntSides(
            HuntSide(1, searched, settings, searched.title, request.hints[0]),
            HuntSide(0, other, own, other.title, framework=request.against),
        )
    words = words_of_sides([side.mxnet for side in labelled], request.environments)
    both = [
        HuntSide(number, side, msgspec.structs.replace(settings, env=env), words[number], request.hints[number])
        for number, (side, env) in enumerate(zip(labelled, request.environments or 2 * (settings.env,), strict=True))
    ]
    return HuntSides(both[request.searched], both[1 - request.searched])


def timing_clients(sides: HuntSides, scratch: Path, stack: ExitStack) -> list[QuickTimingClient]:
    """The running quick timing processes of the sides, by their numbers. Raises AutoperfError if one can't start."""
    # MXNet is timed by its kernels against another framework, which has as many threads.
    against = bool(sides.other and sides.other.framework)
    clients: dict[int, QuickTimingClient] = {}
    variables: Mapping[str, str] = {}
    for side in (side for side in (sides.searched, sides.other) if side):
        folder = scratch / f"timings-{side.number}"
        folder.mkdir()
        programs = partial(_program_of, side.side) if side.framework else None
        by_kernels, library = against and not side.framework, side.release.library
        client = QuickTimingClient(library, side.settings, folder, variables, by_kernels=by_kernels, programs=programs)
        clients[side.number] = stack.enter_context(client)
        variables = thread_variables(client.build.threads if against else None)
    return [clients[side.number] for side in sides.ordered]


def _program_of(side: Side, case: Case) -> Program | str:
    try:
        return program_on(side, case.operator, case)
    except UserRuleError as error:
        return str(error)


def _renamed(operator: Operator, name: str) -> Operator:
    return msgspec.structs.replace(operator, name=name, aliases=tuple(each for each in operator.names if each != name))


def _without_rule(target: Target, reason: str) -> Target:
    return replace(target, rule=None, excluded=None, missing=reason)


# Samples of each kernel for its mean.
KERNEL_RUNS = 5


class FindingKernels:
    """Measures the kernels of findings. Executors are started for the first finding and closed by the stack."""

    def __init__(self, sides: HuntSides, scratch: Path, stack: ExitStack) -> None:
        self._sides, self._scratch, self._stack = sides, scratch, stack
        self._executors: dict[int, Executor] = {}

    def of(self, finding: Finding) -> tuple[dict[str, float], dict[str, float]]:
        """Mean microseconds per call of each kernel, for the slow and the fast input; empty if it can't be profiled."""
        searched = self._sides.searched
        try:
            slow = self._measure(finding.case, searched)
            fast = self._measure(finding.contrast, self._sides.other or searched)
        except AutoperfError:
            return {}, {}
        return _kernels(slow, finding.pass_), _kernels(fast, finding.pass_)

    def _measure(self, case: Case, side: HuntSide) -> Outcome | None:
        if not side.release.backend.profiled:
            return None
        program = program_on(side.side, case.operator, case) if side.framework else None
        if isinstance(program, str):
            return None
        if side.number not in self._executors:
            settings = msgspec.structs.replace(side.settings, processes=1, warmup=1, runs=KERNEL_RUNS)
            scratch = self._scratch / f"side-{side.number}"
            scratch.mkdir(exist_ok=True)
            followed = followed_by(settings, side.release.followed, scratch) if side.release.followed else None
            executor = self._stack.enter_context(Executor(side.release.library, settings, scratch, followed=followed))
            self._executors[side.number] = executor
        (outcome,) = self._executors[side.number].run([Job(case, program=program)])
        return outcome


def _kernels(outcome: Outcome | None, pass_: PassName) -> dict[str, float]:
    result = outcome.passes.get(pass_) if outcome else None
    return dict(result.kernels) if result else {}
