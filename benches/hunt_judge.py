"""Are findings of hunts true? A judge that shares no measurement with the hunt times them again.

    python benches/hunt_judge.py LOG... [--findings 100] [--seed 1] [--operator NAME] [--verdicts FILE]

Draws findings from hunts' folders or logs, and times the slow and the fast input of each by the plain loop of
`plain_calls.py`, in a process of its own with the threads of the hunt: both are warmed up until they settle, then
stretches of calls at the machine's reference speed alternate. Where a finding compares two dtypes on other numbers,
both get those that are fewer. Between two builds each side has a process of its own, since a process loads one library;
and against another framework, where the kernels of MXNet's call and whole calls of the other one are timed
(`side_pair.py`). A finding is false unless the ratio of the medians lies above its threshold, the one of its script.
Prints Markdown. Exits with 1 if a finding is false. FILE gets the verdicts by which `tools/hunt_pages.py` leaves false
findings out.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
from loop_process import LoopError, answer_of
from plain_calls import MAX_SLOWDOWN, MAX_STRETCH, MIN_CALLS, STRETCH_NS, Loop, is_settled, warm_up
from side_pair import Setup, times_of

from autoperf import __version__
from autoperf.backends.contents import differentiable_inputs, materialise, stretched_limits
from autoperf.backends.lookup import framework_of, parse_framework
from autoperf.backends.mxnet.backend import find_library
from autoperf.backends.mxnet.capi import profiler
from autoperf.backends.mxnet.capi.library import open_library
from autoperf.backends.protocol import Program
from autoperf.backends.results import program_of
from autoperf.cases.release import open_release
from autoperf.cases.store import VERSION, CasesHeader, StoredGroups, write_cases
from autoperf.core.case import Case
from autoperf.core.errors import AutoperfError
from autoperf.core.finding import Finding, SideRecord
from autoperf.core.tensors import AnyContent, Integers, Patterned, TensorSpec, Uniform
from autoperf.hunt.recheck import threshold
from autoperf.hunt.stored import finding_key, read_hunt
from autoperf.measurement.machine_state import known_reference

SECONDS, MAX_SECONDS, LIMIT_SECONDS = 0.6, 4.0, 60.0
MAX_CALLS = 1000
# Processes that time a finding, as long as none could.
ATTEMPTS = 3
# The share by which the numbers of distinct values may differ in alike contents.
MAX_UNLIKE = 0.1


class Claim(NamedTuple):
    """A finding, the release and the threads of its hunt, its number in the hunt's file, and both sides, if it has."""

    finding: Finding
    mxnet: str
    threads: int | None
    source: str
    sides: tuple[SideRecord, ...] = ()

    @property
    def framework(self) -> str:
        """The other framework as it was named, if there is one."""
        return "".join(side.framework for side in self.sides)


class Judgement(NamedTuple):
    """Median microseconds of both inputs; the reason why they are missing, if they are."""

    claim: Claim
    slow_us: float = 0.0
    fast_us: float = 0.0
    reason: str = ""

    @property
    def ratio(self) -> float:
        return self.slow_us / self.fast_us if self.fast_us else 0.0

    @property
    def above(self) -> float:
        return threshold(self.claim.finding)

    @property
    def is_false(self) -> bool:
        return not self.reason and self.ratio <= self.above


def claims(logs: Iterable[Path]) -> Iterator[Claim]:
    """The findings of these hunts."""
    for log in logs:
        header, findings, *_ = read_hunt(log)
        for number, finding in enumerate(findings.values(), 1):
            yield Claim(finding, header.mxnet, header.threads, f"{log.name} {number}", tuple(header.sides))


def unlike_inputs(finding: Finding) -> list[str]:
    """The tensors of which both inputs have unequally many distinct numbers, in different dtypes."""
    fast = {item.name: item.tensor for item in finding.contrast.inputs}
    typed = (item for item in finding.case.inputs if item.name in fast and item.tensor.dtype != fast[item.name].dtype)
    pairs = ((each.name, _distinct(finding.case, each.name), _distinct(finding.contrast, each.name)) for each in typed)
    return [name for name, slow, other in pairs if abs(slow - other) > MAX_UNLIKE * max(slow, other)]


def _distinct(case: Case, name: str) -> int:
    tensor = next(item.tensor for item in case.inputs if item.name == name)
    return len(np.unique(materialise(tensor, case.digest, name)))


def with_equal_numbers(finding: Finding) -> Finding:
    """The finding with the fewer distinct numbers of either dtype in the other one too, where they were unlike."""
    case, contrast = finding.case, finding.contrast
    slow, fast = ({item.name: item.tensor for item in each.inputs} for each in (case, contrast))
    names = unlike_inputs(finding)
    to_slow = {name: numbers_of(fast[name]) for name in names if _distinct(contrast, name) < _distinct(case, name)}
    to_fast = {name: numbers_of(slow[name]) for name in names if name not in to_slow}
    return msgspec.structs.replace(
        finding, case=_with_contents(case, to_slow), contrast=_with_contents(contrast, to_fast)
    )


def numbers_of(tensor: TensorSpec) -> AnyContent:
    """The content that gives a tensor of another dtype the numbers of this one."""
    content = tensor.content if isinstance(tensor.content, Patterned) else Patterned(tensor.content)
    is_stretched = "float" in content.drawn_as and "int" in tensor.dtype and content.content == Uniform()
    if is_stretched:
        limits = Integers(*stretched_limits(content.drawn_as, tensor.dtype))
        return msgspec.structs.replace(content, content=limits, drawn_as="")
    return msgspec.structs.replace(content, drawn_as=tensor.dtype)


def _with_contents(case: Case, contents: Mapping[str, AnyContent]) -> Case:
    inputs = (
        msgspec.structs.replace(item, tensor=msgspec.structs.replace(item.tensor, content=contents[item.name]))
        if item.name in contents
        else item
        for item in case.inputs
    )
    return msgspec.structs.replace(case, inputs=tuple(inputs))


def drawn(listed: Sequence[Claim], count: int, seed: int) -> list[Claim]:
    """At most `count` of them, the same for the same seed."""
    chosen = random.Random(seed).sample(range(len(listed)), min(count, len(listed)))
    return [listed[number] for number in sorted(chosen)]


def judged_again(claim: Claim, folder: Path) -> Judgement:
    """The finding timed by the first process that could."""
    for _ in range(ATTEMPTS):
        judgement = judged(claim, folder)
        if not judgement.reason:
            break
    return judgement


def judged(claim: Claim, folder: Path) -> Judgement:
    """The finding timed again by a process of its own."""
    finding, file = with_equal_numbers(claim.finding), folder / "pair.ndjson"
    write_cases(file, CasesHeader(VERSION, __version__, claim.mxnet, 0), [finding.case, finding.contrast])
    reference = known_reference()
    reference_us = reference.us if reference else 1e9
    try:
        if claim.sides:
            setup = Setup(file, folder, claim.threads or 1, reference_us, LIMIT_SECONDS)
            other = program(claim) if claim.framework else None
            slow_us, fast_us = times_of(finding, claim.sides, other, setup)
            return Judgement(claim, slow_us, fast_us)
        limit_ns = MAX_SLOWDOWN * reference_us * 1000
        given = [str(file), finding.case.id, finding.contrast.id, finding.pass_, str(limit_ns)]
        threads = {"OMP_NUM_THREADS": str(claim.threads)} if claim.threads else {}
        command = [sys.executable, __file__, "--pair", str(find_library(claim.mxnet)), *given]
        answer = answer_of(command, {**os.environ, **threads}, LIMIT_SECONDS)
    except LoopError as error:
        return Judgement(claim, reason=str(error))
    slow_us, fast_us = answer["us"]
    return Judgement(claim, slow_us, fast_us, answer["reason"])


def program(claim: Claim) -> Program:
    """The call of the other framework. Raises LoopError without one."""
    case = claim.finding.case
    with open_release(claim.mxnet) as release:
        operator = next(each for each in release.registry.forward if case.operator in each.names)
        found = release.implementation(framework_of(parse_framework(claim.framework).name), operator, case)
    if isinstance(found, str):
        raise LoopError(found)
    return program_of(found, operator, case)


def time_pair(library_path: str, file: str, *given: str) -> dict[str, Any]:
    """Median microseconds of both cases, in alternating stretches; a reason where they can't be judged.

    `given`: the ids of the slow and the fast case, the pass, and the probe's limit in nanoseconds.
    """
    slow, fast, pass_, limit_ns = given
    cases = {case.id: case for group in StoredGroups(Path(file)) for case in group}
    library = open_library(Path(library_path))
    profiler.set_bulk_size(library, 0)
    backward = pass_ == "backward"
    gradients = {name: differentiable_inputs(cases[name]) if backward else () for name in (slow, fast)}
    loops = [Loop(library, cases[name], gradients[name]) for name in (slow, fast)]
    # A processor for each of MXNet's threads, the last ones.
    cpus = sorted(os.sched_getaffinity(0))[-int(os.environ.get("OMP_NUM_THREADS", "1")) :]
    for thread in Path("/proc/self/task").iterdir():
        os.sched_setaffinity(int(thread.name), cpus)
    gc.disable()
    warm = [warm_up(loop) for loop in loops]
    counts = [max(1, min(MAX_STRETCH, STRETCH_NS // max(1, calls[-1].forward + calls[-1].backward))) for calls in warm]
    taken = alternating(loops, counts, float(limit_ns), backward=backward)
    if not all(map(is_settled, warm)):
        return {"us": [0.0, 0.0], "reason": "one of the inputs did not settle"}
    if min(map(len, taken)) < MIN_CALLS:
        return {"us": [0.0, 0.0], "reason": "too few calls at reference speed"}
    return {"us": [float(np.median(times)) / 1000 for times in taken], "reason": ""}


def alternating(loops: Sequence[Loop], counts: Sequence[int], limit_ns: float, *, backward: bool) -> list[list[int]]:
    """Nanoseconds of the pass in settled calls of each loop, in stretches that take turns."""
    taken: list[list[int]] = [[] for _ in loops]
    begin = time.monotonic()
    while (elapsed := time.monotonic() - begin) < MAX_SECONDS and min(map(len, taken)) < MAX_CALLS:
        if elapsed > SECONDS and min(map(len, taken)) >= MIN_CALLS:
            break
        for loop, count, times in zip(loops, counts, taken, strict=True):
            times += [call.backward if backward else call.forward for call in loop.stretch(count, limit_ns)]
    return taken


def report(judgements: Sequence[Judgement]) -> int:
    """Prints the counts and the false findings; 1 if there is one."""
    timed = [each for each in judgements if not each.reason]
    false = [each for each in timed if each.is_false]
    print(f"{len(false)} of {len(timed)} findings are false; {len(judgements) - len(timed)} could not be timed")
    if timed:
        quotient = np.median([each.ratio / each.claim.finding.estimate.ratio for each in timed])
        print(f"judged over claimed ratio: {quotient:.2f} in the median")
    for each in [*false, *(each for each in judgements if each.reason)]:
        finding = each.claim.finding
        measured = each.reason or f"{each.slow_us:.1f} us over {each.fast_us:.1f} us is {each.ratio:.2f}"
        claimed = f"claimed {finding.estimate.ratio:.2f}, false up to {each.above}"
        print(f"- {finding.operator} {finding.pass_} ({each.claim.source}; {finding.step}): {measured}; {claimed}")
    return int(bool(false))


def written(judgements: Sequence[Judgement], path: Path) -> None:
    """Writes the keys of the findings that were timed, and of the false ones."""
    false = [finding_key(each.claim.finding) for each in judgements if each.is_false]
    timed = [finding_key(each.claim.finding) for each in judgements if not each.reason]
    path.write_text(json.dumps({"timed": timed, "false": false}) + "\n", encoding="utf-8")


def main() -> int:
    if sys.argv[1:2] == ["--pair"]:
        print(json.dumps(time_pair(*sys.argv[2:])))
        sys.stdout.flush()
        os._exit(0)
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("logs", nargs="+", type=Path, metavar="LOG", help="a hunt's folder, or its log")
    parser.add_argument("--findings", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--operator", action="append", help="may be given repeatedly")
    parser.add_argument("--unlike", action="store_true", help="only those that compare dtypes on other numbers")
    parser.add_argument("--verdicts", type=Path, help="the file to write")
    options = parser.parse_args()
    names = options.operator or ()
    listed = [each for each in claims(options.logs) if not names or each.finding.operator in names]
    unlike = [each for each in listed if unlike_inputs(each.finding)]
    print(f"{len(unlike)} of {len(listed)} findings compare dtypes on other numbers")
    chosen = drawn(unlike if options.unlike else listed, options.findings, options.seed)
    judgements = []
    with tempfile.TemporaryDirectory() as name:
        for number, claim in enumerate(chosen, 1):
            judgements.append(judged_again(claim, Path(name)))
            print(f"[{number}/{len(chosen)}] {claim.finding.operator}", file=sys.stderr, flush=True)
    if options.verdicts:
        written(judgements, options.verdicts)
    return report(judgements)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except AutoperfError as error:
        sys.exit(str(error))
