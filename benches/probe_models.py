"""Which probe and which model of correction hold the figures of a shared machine?

    python benches/probe_models.py collect SAMPLES.npz [--seconds 60] [--load none|same|other] [--cpu N]
    python benches/probe_models.py evaluate SAMPLES.npz... > table.md

`collect` runs operators of several kinds in turn, in one process on one processor, and times every candidate probe
before and after each call. `--load` starts a neighbour on the same or on another processor, which works and rests in
phases of 0.1 to 5 s. `evaluate` cuts the samples of each operator into ten parts by time; a model is as good as the
medians of the parts agree (coefficient of variation).
"""

from __future__ import annotations

import argparse
import os
import resource
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from neighbour import neighbour
from numpy.typing import NDArray

from autoperf.backends.mxnet.call import Call
from autoperf.backends.mxnet.capi.library import open_library
from autoperf.cases.build import Recipe
from autoperf.cases.release import open_release
from autoperf.cases.render import prepare
from autoperf.cases.selection import Selection, targets
from autoperf.measurement.runner import Runner, gc_paused

KINDS = {
    "small": ("exp", "broadcast_add", "sum", "transpose", "slice"),
    "compute": ("exp", "dot", "Convolution", "softmax", "erf", "FullyConnected"),
    "memory": ("broadcast_add", "transpose", "Concat", "_copy", "sum"),
    "branchy": ("sort", "topk", "where", "take", "Pooling"),
    "allocating": ("tile", "repeat", "one_hot", "stack", "sigmoid", "relu", "softmax", "exp", "_npi_mean"),
}
PROFILES = {"small": "small", "compute": "common", "memory": "large", "branchy": "common", "allocating": "large"}
MAX_SECONDS = 0.004
VISIT_SECONDS = 0.004
MIN_VISIT, MAX_VISIT = 4, 16
PARTS = 10
JUMP = 0.08
STOLEN_US, STOLEN_SHARE = 10.0, 0.05


def probes() -> dict[str, Callable[[], object]]:
    """The candidates: fixed work of a few microseconds to ten."""
    floats, doubles = np.linspace(0.1, 1, 2048, dtype="float32"), np.linspace(0.1, 1, 1024)
    float_out, double_out = np.empty_like(floats), np.empty_like(doubles)
    small, large = np.full((48, 48), 0.5, "float32"), np.full((64, 64), 0.5, "float32")
    small_out, large_out = np.empty_like(small), np.empty_like(large)
    source = np.zeros(65536, "float32")
    target = np.empty_like(source)
    far_source = np.zeros(1 << 18, "float32")
    far_target = np.empty_like(far_source)
    order = np.random.default_rng(0).permutation(512).astype("int64")

    def loop() -> int:
        total = 0
        for number in range(150):
            total += number
        return total

    return {
        "exp of 2048 float32": lambda: np.exp(floats, out=float_out),
        "exp of 1024 float64": lambda: np.exp(doubles, out=double_out),
        "product of 48 x 48": lambda: np.matmul(small, small, out=small_out),
        "product of 64 x 64": lambda: np.matmul(large, large, out=large_out),
        "copy of 256 KiB": lambda: np.copyto(target, source),
        "sort of 512": lambda: np.sort(order),
        "Python loop": loop,
        "copy of 1 MiB": lambda: np.copyto(far_target, far_source),
        "fill of a fresh 1 MiB": lambda: np.full(1 << 18, 1.0, "float32"),
    }


class Reading(NamedTuple):
    """One sample: when it began, its microseconds, probes before and after, and involuntary context switches.

    `stolen` is its microseconds less those of the processor.
    """

    begin: float
    sample: float
    before: tuple[float, ...]
    after: tuple[float, ...]
    preempted: int
    stolen: float


def collect(path: Path, seconds: float, load: str, cpu: int) -> None:
    """Samples of all operators for this long; the file has arrays by operator."""
    with open_release() as release:
        cases = []
        for kind, names in KINDS.items():
            recipe = Recipe(draws=0, profiles=frozenset({PROFILES[kind]}))
            for target in targets(release.registry, release.catalog, Selection(operators=names)):
                cases += [(kind, case) for case in prepare(release, target, recipe).built.cases[:1]]
        os.sched_setaffinity(0, {cpu})
        library = open_library(release.library)
        calls = [(f"{kind}: {case.operator}", Call(library, case, ("cpu", 0))) for kind, case in cases]
        candidates = probes()
        with neighbour(load, cpu):
            taken = sample([(name, Runner(call)) for name, call in calls], list(candidates.values()), seconds)
    arrays: dict[str, NDArray[Any]] = {"probes": np.array(list(candidates))}
    for name, readings in taken.items():
        arrays[f"{name}|begin"] = np.array([reading.begin for reading in readings])
        arrays[f"{name}|sample"] = np.array([reading.sample for reading in readings])
        arrays[f"{name}|before"] = np.array([reading.before for reading in readings])
        arrays[f"{name}|after"] = np.array([reading.after for reading in readings])
        arrays[f"{name}|stolen"] = np.array([reading.stolen for reading in readings])
        arrays[f"{name}|preempted"] = np.array([reading.preempted for reading in readings])
    np.savez_compressed(path, **arrays)


def sample(
    runners: Sequence[tuple[str, Runner]], candidates: Sequence[Callable[[], object]], seconds: float
) -> dict[str, list[Reading]]:
    """Visits the operators in turn until the time is over."""
    taken: dict[str, list[Reading]] = {}
    durations: dict[str, float] = {}
    for name, runner in runners:
        durations[name] = min(_timed(runner) for _ in range(6)) / 1e6
    chosen = [(name, runner) for name, runner in runners if durations[name] <= MAX_SECONDS]
    end = time.monotonic() + seconds
    with gc_paused():
        while time.monotonic() < end:
            for name, runner in chosen:
                count = max(MIN_VISIT, min(MAX_VISIT, int(VISIT_SECONDS / durations[name])))
                taken.setdefault(name, []).extend(_visit(runner, candidates, count))
    return taken


def _visit(runner: Runner, candidates: Sequence[Callable[[], object]], count: int) -> Iterator[Reading]:
    _timed(runner)
    before = _probed(candidates)
    for _ in range(count):
        begin = time.monotonic()
        switches = resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw
        used = time.process_time_ns()
        duration = _timed(runner)
        stolen = duration - (time.process_time_ns() - used) / 1000
        switches = resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw - switches
        after = _probed(candidates)
        yield Reading(begin, duration, before, after, switches, stolen)
        before = after


def _probed(candidates: Sequence[Callable[[], object]]) -> tuple[float, ...]:
    """Microseconds of each probe, which has just run once, so that its data is in the caches."""
    readings = []
    for run in candidates:
        run()
        begin = time.perf_counter_ns()
        run()
        readings.append((time.perf_counter_ns() - begin) / 1000)
    return tuple(readings)


def _timed(runner: Runner) -> float:
    call = runner.run_once(time.perf_counter_ns)
    return (call.forward_end - call.start) / 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("collect")
    one.add_argument("file", type=Path)
    one.add_argument("--seconds", type=float, default=60.0)
    one.add_argument("--load", choices=("none", "same", "other"), default="none")
    one.add_argument("--cpu", type=int, default=max(os.sched_getaffinity(0)))
    two = commands.add_parser("evaluate")
    two.add_argument("files", type=Path, nargs="+")
    options = parser.parse_args()
    if options.command == "collect":
        collect(options.file, options.seconds, options.load, options.cpu)
    else:
        evaluate(options.files)


Array = NDArray[Any]


class Samples(NamedTuple):
    """The samples of an operator: logarithms of times and probes, and which samples are undisturbed."""

    begin: Array
    times: Array
    probes: Array
    jumps: Array
    preempted: Array


def evaluate(files: Sequence[Path]) -> None:
    """Prints, for each file, the median and the largest CV between parts, by kind of operator and model."""
    for path in files:
        with np.load(path) as arrays:
            names = [str(name) for name in arrays["probes"]]
            operators = {key.rpartition("|")[0] for key in arrays.files if "|" in key}
            samples = {name: _samples(arrays, name) for name in sorted(operators)}
        print(f"\n{path.stem}: median CV between {PARTS} parts by kind (largest); share of samples kept\n")
        kinds = [kind for kind in KINDS if any(name.startswith(kind) for name in samples)]
        print("| model | " + " | ".join(kinds) + " | all | kept |")
        print("|---|" + "---:|" * (len(kinds) + 2))
        for title, model in models(names):
            cells, every, kept = [], [], []
            for kind in kinds:
                values = []
                for name, one in samples.items():
                    if name.startswith(kind):
                        corrected, mask = model(one)
                        values.append(_variation(one.begin[mask], corrected[mask]))
                        kept.append(mask.mean())
                every += values
                cells.append(f"{np.median(values):.1%} ({max(values):.1%})")
            total = f"{np.median(every):.1%} ({np.percentile(every, 90):.1%})"
            print(f"| {title} | {' | '.join(cells)} | {total} | {np.mean(kept):.0%} |")
        print()
        for index, probe in enumerate(names):
            slopes = [(_slope(one.times, one.probes[:, index]), name) for name, one in samples.items()]
            listed = ", ".join(f"{name} {slope:.2f}" for slope, name in slopes)
            spread = np.median([one.probes[:, index].std() for one in samples.values()])
            print(f"- {probe} (spread {spread:.1%}): slopes {listed}")


def _samples(arrays: dict[str, Array], name: str) -> Samples:
    before, after = np.log(arrays[f"{name}|before"]), np.log(arrays[f"{name}|after"])
    stolen = arrays[f"{name}|stolen"]
    waited = stolen > np.median(stolen) + np.maximum(STOLEN_US, STOLEN_SHARE * arrays[f"{name}|sample"])
    return Samples(
        arrays[f"{name}|begin"], np.log(arrays[f"{name}|sample"]), (before + after) / 2, np.abs(after - before),
        waited,
    )  # fmt: skip


Model = Callable[[Samples], tuple[Array, Array]]


def models(names: Sequence[str]) -> Iterator[tuple[str, Model]]:
    yield "as measured", lambda one: (one.times, np.ones(len(one.times), bool))
    yield "not preempted", lambda one: (one.times, ~one.preempted)
    for index, name in enumerate(names):
        yield f"{name}: divided", _divided(index, 9e9, 0)
        yield f"{name}: divided, no jumps", _divided(index, JUMP, 0)
        yield f"{name}: slope, no jumps", _sloped(index, JUMP)


def _mask(one: Samples, index: int, jump: float) -> Array:
    mask = (one.jumps[:, index] < jump) & (~one.preempted)
    return mask if mask.sum() > 10 * PARTS else ~one.preempted


def _divided(index: int, jump: float, _: int) -> Model:
    return lambda one: (one.times - one.probes[:, index], _mask(one, index, jump))


def _sloped(index: int, jump: float) -> Model:
    def model(one: Samples) -> tuple[Array, Array]:
        mask = _mask(one, index, jump)
        slope = _slope(one.times[mask], one.probes[mask, index])
        return one.times - slope * one.probes[:, index], mask

    return model


def _slope(times: Array, probe: Array) -> float:
    """The slope of medians of neighbouring samples, which dampens the noise of single readings."""
    size = 16
    count = len(times) // size
    y = np.median(times[: count * size].reshape(count, size), 1)
    x = np.median(probe[: count * size].reshape(count, size), 1)
    spread = x.var()
    return float(((x - x.mean()) * (y - y.mean())).mean() / spread) if spread > 1e-8 else 1.0


def _variation(begin: Array, logs: Array) -> float:
    edges = np.linspace(begin.min(), begin.max(), PARTS + 1)[1:-1]
    place = np.searchsorted(edges, begin)
    medians = [np.median(logs[place == part]) for part in range(PARTS) if (place == part).sum() >= 5]
    return float(np.std(medians, ddof=1))


if __name__ == "__main__":
    main()
