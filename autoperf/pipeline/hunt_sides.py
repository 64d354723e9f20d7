"""The sides of a hunt: the build that is searched, and the one that it is compared with, if any."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import msgspec

from autoperf.core.errors import UsageError
from autoperf.core.finding import SideRecord
from autoperf.core.limits import DEFAULT_ELEMENTS
from autoperf.core.operator import Operator
from autoperf.core.releases import words_of_sides
from autoperf.executor.settings import Settings
from autoperf.hunt.equivalents import OtherSide
from autoperf.hunt.point import PointFactory
from autoperf.pipeline.release import Release
from autoperf.pipeline.run_request import absolute_library
from autoperf.pipeline.selection import Selection, Target, targets
from autoperf.pipeline.sides import Side, common_name, label_sides, targets_by_side, with_counterparts
from autoperf.pipeline.signatures import Signature
from autoperf.rules.rule import Rule

SIDES = 2


class SidesRequest(msgspec.Struct, frozen=True, kw_only=True):
    """The two sides of a hunt between builds or environments, in the order of the command line: A, then B.

    `libraries` has two builds, or one or none for both sides; `environments` has the variables of each side. The second
    side is searched for inputs on which it is slower than the first; if `faster`, the first one is.
    """

    libraries: tuple[str, ...] = ()
    environments: tuple[dict[str, str], ...] = ()
    faster: bool = False

    def __post_init__(self) -> None:
        """Raises UsageError for more than two builds."""
        if len(self.libraries) > SIDES:
            raise UsageError(
                f"invalid --mxnet: expected one or two builds, got {len(self.libraries)}: {', '.join(self.libraries)}"
            )

    @property
    def hints(self) -> tuple[str | None, ...]:
        """The build of each side; None is the default one."""
        return self.libraries if len(self.libraries) == SIDES else (self.libraries or (None,)) * SIDES

    @property
    def searched(self) -> int:
        """The number of the side that is searched."""
        return 0 if self.faster else 1

    @property
    def builds(self) -> tuple[tuple[str | None, dict[str, str]], ...]:
        """The library and the variables of the searched side, then those of the other one, as a log records them."""
        libraries = [absolute_library(hint) if hint else None for hint in self.hints]
        both = list(zip(libraries, self.environments or ({}, {}), strict=True))
        return both[self.searched], both[1 - self.searched]

    def settings_of(self, side: int, settings: Settings) -> Settings:
        """The settings of one side."""
        return msgspec.structs.replace(settings, env=self.environments[side]) if self.environments else settings


@dataclass(frozen=True)
class HuntSide:
    """A side with its number, its release, the settings of its processes, and the words that name it.

    `hint` is the build as it was named; None is the default one.
    """

    number: int
    side: Side
    settings: Settings
    words: str
    hint: str | None = None

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
        return SideRecord(words=self.words, mxnet=self.side.mxnet, library=library, env=self.settings.env)


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
        """Both by their numbers."""
        both = (self.searched, self.other) if self.other else (self.searched,)
        return tuple(sorted(both, key=lambda side: side.number))

    def targets(self, selection: Selection) -> list[Target]:
        """The selected operators by name; one that only one side has says so in place of a rule.

        Raises UnknownNameError and UsageError if no side has a selected operator.
        """
        release = self.searched.release
        if self.other is None:
            return targets(release.registry, release.catalog, selection)
        sides = [side.side for side in self.ordered]
        by_number = with_counterparts(sides, targets_by_side(sides, selection))
        of_searched, of_other = by_number[self.searched.number], by_number[self.other.number]
        known = {name for target in of_searched for name in target.operator.names}
        missing = (target for target in of_other if known.isdisjoint(target.operator.names))
        listed = [
            *(self._shared(target, sides, self.other) for target in of_searched),
            *(_without_rule(target, self.searched) for target in missing),
        ]
        return sorted(listed, key=lambda target: target.operator.name)

    def other_side(self, operator: Operator, rule: Rule, elements: int | None) -> OtherSide | None:
        """The other side of the search of an operator that both sides have under this name."""
        if self.other is None:
            return None
        known = self.other.side.operators[operator.name]
        factory = self.other.factory(_renamed(known, operator.name), rule, elements)
        takes = Signature(self.other.release, known).takes_parameter
        return OtherSide(factory, takes, self.other.words, self.searched.words)

    def _shared(self, target: Target, sides: Sequence[Side], other: HuntSide) -> Target:
        """The target under a name that both sides know, or without a rule."""
        name = common_name(target.operator, sides)
        if name not in other.side.operators:
            return _without_rule(target, other)
        return replace(target, operator=_renamed(target.operator, name))


def sides_of(releases: Sequence[Release], request: SidesRequest | None, settings: Settings) -> HuntSides:
    """The sides of a hunt with these open releases: one, or the two of the request."""
    labelled = label_sides(releases)
    if request is None:
        return HuntSides(HuntSide(0, labelled[0], settings, f"MXNet {labelled[0].mxnet}"))
    words = words_of_sides([side.mxnet for side in labelled], request.environments)
    both = [
        HuntSide(number, side, request.settings_of(number, settings), words[number], request.hints[number])
        for number, side in enumerate(labelled)
    ]
    return HuntSides(both[request.searched], both[1 - request.searched])


def _renamed(operator: Operator, name: str) -> Operator:
    """The operator under one of its names."""
    return msgspec.structs.replace(operator, name=name, aliases=tuple(each for each in operator.names if each != name))


def _without_rule(target: Target, side: HuntSide) -> Target:
    """The target of an operator that a side lacks."""
    return replace(target, rule=None, excluded=None, missing=f"{side.words} doesn't have it")
