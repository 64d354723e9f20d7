"""Recheck of a finding: times the slow and the fast input again, and tells whether the finding still holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import msgspec

from autoperf.analysis.interleaved_ratios import ratio_of_pairs
from autoperf.backends.lookup import MXNET, backend_of
from autoperf.core.case import Case
from autoperf.core.errors import CaseFileError, EngineError, UsageError
from autoperf.core.finding import Rechecked
from autoperf.core.outcome import PASSES, PassName
from autoperf.core.releases import words_of_sides
from autoperf.executor.messages import CaseFailure, PairedTiming
from autoperf.executor.quick_timing_client import QuickTimingClient, SideTimings
from autoperf.executor.settings import Settings
from autoperf.executor.suite_reader import read_suite
from autoperf.generator.finding import cases_of, threshold
from autoperf.pipeline.stored_code import StoredSources
from autoperf.reports.units import count
from autoperf.results.huntfile import read_hunt

SIDES = 2
EXAMPLE = '{"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1", "env": {"OMP_NUM_THREADS": "1"}}'


class ClaimedBuild(NamedTuple):
    """A library, and the variables of its processes."""

    library: Path
    env: dict[str, str]

    def client(self, settings: Settings, scratch: Path, number: int) -> QuickTimingClient:
        """The client of the build's process, with a folder of its own."""
        folder = scratch / f"build-{number}"
        folder.mkdir()
        return QuickTimingClient(self.library, msgspec.structs.replace(settings, env=self.env), folder)


@dataclass(frozen=True)
class Claim:
    """The claim of a finding: in this pass, `slow` takes more than `above` times as long as `fast`, with `threads`.

    `slow` and `fast` are cases, or names of functions of the script at `path`. With two `sides`, each runs on its own;
    else both run on `library`, or on the default build.
    """

    path: Path
    slow: str | Case
    fast: str | Case
    pass_: PassName
    above: float
    threads: int | None = None
    sides: Sequence[Mapping[str, Any]] = ()
    library: str | None = None

    def __post_init__(self) -> None:
        """Raises UsageError for an invalid value, since scripts may be edited."""
        if self.pass_ not in PASSES:
            raise UsageError(f"{self.path}: invalid pass_ {self.pass_!r}: expected 'forward' or 'backward'")
        if not isinstance(self.above, int | float) or not self.above >= 1:
            raise UsageError(f"{self.path}: invalid above {self.above!r}: expected a ratio of 1 or more")
        if len(self.sides) not in (0, SIDES) or not all(map(_is_side, self.sides)):
            raise UsageError(f"{self.path}: invalid sides {self.sides!r}: expected two, such as {EXAMPLE}")

    def builds(self, libraries: Sequence[str]) -> list[ClaimedBuild]:
        """The build that runs both inputs, or that of each side; `libraries` are others in their place.

        Raises UsageError for too few or too many, and LibraryError.
        """
        needed = len(self.sides) or 1
        if len(libraries) not in (0, needed):
            listed = ", ".join(libraries)
            expected = "the slow side's build, then the fast one's" if self.sides else "one build"
            raise UsageError(f"invalid --mxnet {listed}: expected {expected}")
        variables = self._variables() or [{}]
        pairs = zip(libraries or self._libraries(), variables, strict=True)
        return [ClaimedBuild(backend_of(MXNET).find(hint), dict(env)) for hint, env in pairs]

    def sources(self, libraries: Sequence[str]) -> StoredSources:
        """The builds that the claim names, unless `libraries` are others in their place, and the variables of sides."""
        named = () if libraries else tuple(filter(None, self._libraries()))
        return StoredSources(libraries=named, environments=self._variables())

    def _libraries(self) -> list[str | None]:
        return [side["mxnet"] for side in self.sides] or [self.library]

    def _variables(self) -> list[Mapping[str, str]]:
        return [side.get("env", {}) for side in self.sides]


def recheck(
    claim: Claim, builds: Sequence[ClaimedBuild], settings: Settings, scratch: Path, *, rounds: int, seconds: float
) -> Rechecked:
    """Times both inputs in turn in fresh processes, for `rounds` rounds or about `seconds` seconds.

    Raises AutoperfError for an invalid file, an unusable MXNet, and inputs that fail.
    """
    slow, fast = _cases(claim, scratch, settings)
    with ExitStack() as stack:
        clients = [stack.enter_context(build.client(settings, scratch, at)) for at, build in enumerate(builds)]
        source, sides = SideTimings(clients), (0, len(clients) - 1)
        timing = source.time_pair(PairedTiming(slow, fast, claim.pass_, rounds, seconds), sides)
        if isinstance(timing, CaseFailure):
            raise EngineError(f"{claim.path}: can't recheck the finding: {timing.reason}")
        return Rechecked(
            operator=slow.operator,
            pass_=claim.pass_,
            slow=slow,
            fast=fast,
            slow_us=median(timing.first_us),
            fast_us=median(timing.second_us),
            estimate=ratio_of_pairs(timing.first_us, timing.second_us),
            above=claim.above,
            rounds=len(timing.first_us),
            mxnet=clients[0].build.version,
            threads=clients[0].build.threads,
            found_threads=claim.threads,
            sides=_words(clients, builds) if claim.sides else None,
        )


def _words(clients: Sequence[QuickTimingClient], builds: Sequence[ClaimedBuild]) -> tuple[str, str]:
    slow, fast = words_of_sides([client.build.version for client in clients], [build.env for build in builds])
    return slow, fast


def _is_side(side: object) -> bool:
    """Whether a script's side has a build, and nothing but variables beside it."""
    if not isinstance(side, Mapping) or not {"mxnet"} <= side.keys() <= {"mxnet", "env"}:
        return False
    return isinstance(side["mxnet"], str | None) and isinstance(side.get("env", {}), Mapping)


def _cases(claim: Claim, scratch: Path, settings: Settings) -> tuple[Case, Case]:
    if isinstance(claim.slow, Case) and isinstance(claim.fast, Case):
        return claim.slow, claim.fast
    suite = read_suite(claim.path, scratch, settings.timeout, settings.bytes_allowed)
    cases = {loaded.function: loaded.case for loaded in suite.cases}
    for name in (claim.slow, claim.fast):
        if name not in cases:
            raise CaseFileError(f"{claim.path}: no case function {name!r}; mark it with @case()")
    return cases[str(claim.slow)], cases[str(claim.fast)]


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
    finding, header = findings[number - 1], hunt.header
    slow, fast = cases_of(finding)
    library = header.options.get("library")
    return Claim(
        path,
        slow,
        slow if header.sides else fast,
        finding.pass_,
        threshold(finding),
        header.threads,
        [{"mxnet": side.library, "env": side.env} for side in header.sides],
        library if isinstance(library, str) else None,
    )
