"""The cases that autoperf and the plain loop can both run: chosen over all categories, and scouted."""

from __future__ import annotations

import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain, islice, zip_longest
from pathlib import Path
from typing import NamedTuple

from predecessor import PlainLoop, Unable

from autoperf.cases.build import Recipe
from autoperf.core.outcome import Outcome, Series, Status
from autoperf.executor.batches import Job
from autoperf.executor.settings import Settings
from autoperf.executor.supervisor import Executor
from autoperf.pipeline.release import Release
from autoperf.pipeline.selection import Selection, Target, targets
from autoperf.pipeline.suite_generation import prepare

SCOUTING = Settings(warmup=1, runs=2, processes=1)


class Pair(NamedTuple):
    """A case that both sides run, the names of its operator, and whether a backward pass belongs to it."""

    job: Job
    names: tuple[str, ...]
    backward: bool


class Scouts(NamedTuple):
    """Both sides, for one look at a case."""

    executor: Executor
    loop: PlainLoop


class Choice(NamedTuple):
    """What both sides run; why other operators are left out; how many operators opperf's way doesn't reach at all."""

    pairs: tuple[Pair, ...]
    skipped: dict[str, str]
    unreachable: int


def choose(release: Release, count: int, profiles: Sequence[str], *, most_us: float = float("inf")) -> Choice:
    """One case of each of `count` operators, the categories in turn; the profiles are dealt out in turn too.

    Each was run by both sides, in processes that are gone when it is measured. An operator that lacks a profile, or
    whose kernels take more than `most_us` in it, is taken by the next.
    """
    pairs: list[Pair] = []
    skipped: dict[str, str] = {}
    with (
        tempfile.TemporaryDirectory() as scratch,
        Executor(release.library, SCOUTING, Path(scratch)) as executor,
        PlainLoop(Path(scratch)) as loop,
    ):
        known = [target for target in targets(release.registry, release.catalog, Selection()) if target.rule]
        reachable = [target for target in known if loop.functions.intersection(target.operator.names)]
        for target in _in_turn(reachable):
            if len(pairs) == count:
                break
            first = len(pairs) % len(profiles)
            order = (*profiles[first:], *profiles[:first])
            scouted = _scout(_jobs(release, target, order), target, Scouts(executor, loop), most_us)
            if isinstance(scouted, Pair):
                pairs.append(scouted)
                progress(f"chosen: {len(pairs)} of {count}")
            else:
                skipped[target.operator.name] = scouted
    return Choice(tuple(pairs), skipped, len(known) - len(reachable))


def _in_turn(known: Sequence[Target]) -> Iterator[Target]:
    """The first operator of each category, then the second of each, ..."""
    groups: dict[str, list[Target]] = defaultdict(list)
    for target in known:
        groups[target.category].append(target)
    return (target for target in chain.from_iterable(zip_longest(*groups.values())) if target)


def _jobs(release: Release, target: Target, profiles: Sequence[str]) -> Iterator[Job]:
    for profile in profiles:
        yield from map(Job, prepare(release, target, Recipe(draws=0, profiles=frozenset({profile}))).built.cases)


def _scout(jobs: Iterator[Job], target: Target, scouts: Scouts, most_us: float) -> Pair | str:
    """The first job that both sides run, or why the first does not."""
    reason = ""
    for job in jobs:
        result = _scout_job(job, target.operator.names, scouts, most_us)
        if isinstance(result, Pair):
            return result
        reason = reason or result
    return reason or "it has no inputs of these profiles"


def _scout_job(job: Job, names: tuple[str, ...], scouts: Scouts, most_us: float) -> Pair | str:
    outcome = next(iter(scouts.executor.run([job])))
    if outcome.status is not Status.MEASURED:
        return f"autoperf: {outcome.reason}"
    kernel_us = own_us(outcome)
    if kernel_us is None:
        return "autoperf: no kernel of its own is in the trace"
    if kernel_us > most_us:
        return f"its kernels take {kernel_us / 1000:.1f} ms a call"
    pair = Pair(job, names, outcome.backward is not None)
    answer = scouts.loop.run(job, names, warmup=0, runs=1, backward=pair.backward)
    if isinstance(answer, Unable):
        return f"the loop: {answer.reason}"
    if not own_kernels(outcome).intersection(answer.kernel_ms):
        return f"the loop: its table has {', '.join(answer.kernel_ms) or 'no kernel'}"
    return pair


def own_us(outcome: Outcome) -> float | None:
    """The mean microseconds of a call's own kernels, forward and backward; None where a pass has none."""
    passes = [measured for measured in (outcome.forward, outcome.backward) if measured is not None]
    if any(measured.kernel_us is None for measured in passes):
        return None
    return sum(sum(measured.kernels.values()) for measured in passes)


def own_kernels(outcome: Outcome) -> set[str]:
    """The names of the operator's own kernels, forward and backward."""
    return {name for measured in (outcome.forward, outcome.backward) if measured for name in measured.kernels}


def wall_ms(outcome: Outcome) -> float:
    """The milliseconds inside the samples of wall time, of both passes."""
    return (
        sum(
            measured.wall_us.mean * calls(measured.wall_us)
            for measured in (outcome.forward, outcome.backward)
            if measured and measured.wall_us
        )
        / 1000
    )


def calls(series: Series | None) -> int:
    """How many calls the samples are of."""
    return series.count * series.loops if series else 0


def progress(text: str) -> None:
    """One line on a terminal's standard error, which the next replaces."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{text:<70}")
        sys.stderr.flush()


def blocks(pairs: Sequence[Pair], size: int) -> Iterator[tuple[Pair, ...]]:
    """The pairs in blocks."""
    remaining = iter(pairs)
    while block := tuple(islice(remaining, size)):
        yield block
