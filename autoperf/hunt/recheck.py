"""Recheck of a finding: times the slow and the fast input again, and tells whether the finding still holds."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import NamedTuple

import msgspec

from autoperf.backends.lookup import MXNET, FrameworkChoice, backend_of, parse_other_framework
from autoperf.cases.build import unchecked
from autoperf.cases.release import open_release
from autoperf.comparison.ratios import ratio_of_pairs
from autoperf.core.case import Case
from autoperf.core.errors import CaseFileError, EngineError, UsageError
from autoperf.core.finding import Finding, FindingCode, Rechecked, SideRecord, cases_of, clocks_of
from autoperf.core.releases import words_of_sides
from autoperf.core.texts import count
from autoperf.hunt.findings import MIN_RATIO
from autoperf.hunt.instructions import CodeCounter, CountedSide
from autoperf.hunt.sides import SidesRequest, sides_of, timing_clients
from autoperf.hunt.stored import read_hunt
from autoperf.measurement.messages import CaseFailure, PairedTiming
from autoperf.measurement.quick_timing_client import QuickTimingClient, SideTimings
from autoperf.measurement.resumed_run import StoredSources
from autoperf.measurement.settings import Settings
from autoperf.rules.catalog import catalog
from autoperf.runs.huntlog import HuntHeader

CHECKING_SECONDS = 10.0
STARTUP_SECONDS = 60.0
ROUNDS = 31
SECONDS = 20.0
"""The rounds of a replay, in each of which both inputs are timed, and their time at most."""


class ClaimedSides(NamedTuple):
    """The builds of MXNet with their processes' variables: one, one for each side, or one `against` a framework."""

    builds: list[tuple[Path, dict[str, str]]]
    against: FrameworkChoice | None = None


@dataclass(frozen=True)
class Claim:
    """A finding that is held again, with the header of its log. `path` is the hunt's folder or log.

    Its slow input takes more than the threshold times as long as the fast one. Between two sides, each runs the slow
    input, of which the fast one may be another framework; else both inputs run on the hunt's build.
    """

    path: Path
    finding: Finding
    header: HuntHeader

    @property
    def cases(self) -> tuple[Case, Case]:
        """The input of the slow and of the fast measurement."""
        slow, fast = cases_of(self.finding)
        return slow, slow if self.header.sides else fast

    @property
    def code_above(self) -> float | None:
        """The ratio of instructions above which the finding of a search by instructions holds; else None."""
        code, is_counted = self.finding.code, self.header.options.get("signal") == "instructions"
        return math.sqrt(code.ratio) if code and is_counted else None

    @property
    def against(self) -> str:
        """The framework of the fast side; empty if it is MXNet."""
        return self.header.sides[1].framework if self.header.sides else ""

    def claimed(self, libraries: Sequence[str], against: str | None = None) -> ClaimedSides:
        """The build that runs both inputs, or that of each side; `libraries` and `against` are others in their place.

        Raises UsageError for too few or too many, and LibraryError.
        """
        if against and not self.against:
            raise UsageError(f"--against {against}: the finding isn't one against another framework; leave it out")
        needed = len(self._libraries())
        if len(libraries) not in (0, needed):
            listed = ", ".join(libraries)
            expected = "the slow side's build, then the fast one's" if needed > 1 else "one build"
            raise UsageError(f"invalid --mxnet {listed}: expected {expected}")
        pairs = zip(libraries or self._libraries(), self._variables() or [{}], strict=True)
        builds = [(backend_of(MXNET).find(hint), dict(env)) for hint, env in pairs]
        return ClaimedSides(builds, parse_other_framework(against or self.against) if self.against else None)

    def sources(self, libraries: Sequence[str], against: str | None = None) -> StoredSources:
        """The builds and the framework that the claim names, unless others are in their place, and variables."""
        named = () if libraries else tuple(filter(None, self._libraries()))
        return StoredSources(libraries=named, environments=self._variables(), against="" if against else self.against)

    def _libraries(self) -> list[str | None]:
        library = self.header.options.get("library")
        own = library if isinstance(library, str) else None
        return [side.library for side in self.header.sides if not side.framework] or [own]

    def _variables(self) -> list[Mapping[str, str]]:
        return [side.env for side in self.header.sides if not side.framework]


def recheck(
    claim: Claim, claimed: ClaimedSides, settings: Settings, scratch: Path, *, counts: bool = False
) -> Rechecked:
    """Times both inputs in turn in fresh processes; with `counts`, the instructions of both are counted too.

    Raises AutoperfError for an unusable framework, inputs that fail or whose tensors don't fit, and results that
    differ.
    """
    (slow, fast), pass_ = claim.cases, claim.finding.pass_
    if misfit := _misfit(slow) or _misfit(fast):
        raise EngineError(f"{claim.path}: can't recheck the finding: {unchecked(misfit, 'MXNet')}")
    with ExitStack() as stack:
        clients, words, records = _opened(claimed, settings, scratch, stack)
        source, sides = SideTimings(clients), (0, len(clients) - 1)
        if sides[1]:
            equal = source.check_case(slow, sides[1], CHECKING_SECONDS)
            if pass_ not in equal.passes:
                raise EngineError(f"{claim.path}: can't recheck the finding: {equal.reason}")
        timing = source.time_pair(PairedTiming(slow, fast, pass_, ROUNDS, SECONDS), sides)
        if isinstance(timing, CaseFailure):
            raise EngineError(f"{claim.path}: can't recheck the finding: {timing.reason}")
        return Rechecked(
            operator=slow.operator,
            pass_=pass_,
            slow=slow,
            fast=fast,
            slow_us=median(timing.first_us),
            fast_us=median(timing.second_us),
            estimate=ratio_of_pairs(timing.first_us, timing.second_us),
            above=threshold(claim.finding),
            rounds=len(timing.first_us),
            mxnet=clients[0].build.version,
            threads=clients[0].build.threads,
            found_threads=claim.header.threads,
            sides=words if claim.header.sides else None,
            clocks=clocks_of(records),
            code=_code(claim, claimed, settings, scratch) if counts or claim.code_above else None,
            code_above=claim.code_above,
        )


def _code(claim: Claim, claimed: ClaimedSides, settings: Settings, scratch: Path) -> FindingCode:
    sides = [CountedSide(path, msgspec.structs.replace(settings, env=env)) for path, env in claimed.builds]
    with ExitStack() as stack:
        return CodeCounter(sides, scratch, stack).code(*claim.cases, claim.finding.pass_, claim.finding.work)


def _opened(
    claimed: ClaimedSides, settings: Settings, scratch: Path, stack: ExitStack
) -> tuple[list[QuickTimingClient], tuple[str, str], tuple[SideRecord, ...]]:
    """The running processes of the slow and the fast side, the words that name them, and records of frameworks."""
    if claimed.against:
        library, env = claimed.builds[0]
        release = stack.enter_context(open_release(str(library)))
        request = SidesRequest(against=str(claimed.against))
        sides = sides_of([release], request, msgspec.structs.replace(settings, env=env))
        fast, slow = timing_clients(sides, scratch, stack)
        return [slow, fast], (sides.records[0].words, sides.records[1].words), sides.records
    clients = []
    for number, (library, env) in enumerate(claimed.builds):
        folder = scratch / f"build-{number}"
        folder.mkdir()
        client = QuickTimingClient(library, msgspec.structs.replace(settings, env=env), folder)
        clients.append(stack.enter_context(client))
    words = words_of_sides([client.build.version for client in clients], [env for _, env in claimed.builds])
    return clients, (words[0], words[-1]), ()


def _misfit(case: Case) -> str:
    """The misfit in a case of an earlier hunt, which knew fewer dimensions that must agree; or empty."""
    rule = catalog().named.get(case.operator)
    return rule.misfit(case) if rule else ""


def threshold(finding: Finding) -> float:
    """The ratio of both times above which a finding is confirmed: the geometric mean of the ratios with and without it.

    The ratio without it is 1 if the contrast does at least as much work, and larger otherwise. The result is at least
    MIN_RATIO.
    """
    baseline = max(1.0, finding.expected_us / finding.contrast_us)
    ratio = baseline * math.sqrt(finding.estimate.ratio)
    return max(MIN_RATIO, round(ratio, 2 if ratio < 10 else 1))


def logged_claim(path: Path, number: int) -> Claim:
    """The claim of a finding in a hunt's folder or log, numbered from 1.

    Raises CaseFileError, also for a line that can't be read, which would change the numbers; UsageError for a number
    that no finding has.
    """
    hunt = read_hunt(path)
    if hunt.unreadable:
        raise CaseFileError(hunt.unreadable[0])
    findings = list(hunt.findings.values())
    if not 1 <= number <= len(findings):
        has = f"has {count(len(findings), 'finding')}"
        expected = f"a number from 1 to {len(findings):,}" if findings else "a log with findings"
        raise UsageError(f"no finding {number} in {path}: it {has}; expected {expected}")
    return Claim(path, findings[number - 1], hunt.header)
