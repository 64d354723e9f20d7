"""Do processes differ for good, by where the system put their code, and which operators are like that?

    python benches/process_effects.py [RUN.NDJSON] > table.md

Without a run file it measures one first: the operators below at their common size, in fifteen processes of 40 ms each.
A figure's processes differ by what lasts for the process's life and by noise within it. Noise is what the two halves of
a process's samples differ by; what is left of the variance of the processes' medians, corrected to reference speed, is
the process effect.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from autoperf.core.machine import Reference
from autoperf.core.outcome import Outcome, Series, Status
from autoperf.results.correction import corrected
from autoperf.results.run_reader import RunReader

OPERATORS = """
exp log tanh erf sin sqrt cbrt gamma broadcast_add broadcast_power sum norm mean softmax log_softmax sort topk take
transpose Convolution Pooling FullyConnected dot LayerNorm Activation _npi_exp _npi_log _npi_power where one_hot
"""
PROCESSES = 15
MIN_SAMPLES = 6
MIN_PROCESSES = 3


class Effect(NamedTuple):
    """One figure: its median in microseconds, and shares of it: noise, process effect, and the range of processes."""

    operator: str
    pass_: str
    median_us: float
    noise: float
    effect: float
    span: float


def main(arguments: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(arguments[0]) if arguments else measure(Path(folder) / "run.ndjson")
        with RunReader(path) as run:
            reference = run.machines[0].reference
            if not reference:
                raise SystemExit(f"{path} has no readings of the probe")
            rows = [row for outcome in run for row in effects(outcome, reference)]
    rows.sort(key=lambda row: -row.effect)
    print("| operator | pass | kernel time | noise within a process | process effect | slowest to fastest process |")
    print("|---|---|---:|---:|---:|---:|")
    for row in rows:
        time = f"{row.median_us:.1f} us"
        print(f"| `{row.operator}` | {row.pass_} | {time} | {row.noise:.1%} | {row.effect:.1%} | {row.span:.1%} |")
    middle = np.median([row.effect for row in rows])
    large = sum(row.effect > 0.03 for row in rows)
    print(f"\nThe process effect is {middle:.1%} in the median, and above 3% for {large} of {len(rows)} figures.")


def measure(path: Path) -> Path:
    command = [
        sys.executable,
        "-m",
        "autoperf",
        "run",
        "--input-profile",
        "common",
        "--draws",
        "0",
        "--run-file",
        str(path),
    ]
    command += ["--processes", str(PROCESSES), "--max-time", f"{0.04 * PROCESSES}s"]
    command += [word for name in OPERATORS.split() for word in ("--operator", name)]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return path


def effects(outcome: Outcome, reference: Reference) -> Iterator[Effect]:
    for name, run in (("forward", outcome.forward), ("backward", outcome.backward)):
        series = run.kernel_us if run and outcome.status is Status.MEASURED else None
        row = _effect(outcome.operator, name, series, reference) if series and series.probes else None
        if row:
            yield row


def _effect(operator: str, name: str, series: Series, reference: Reference) -> Effect | None:
    """None for fewer than three processes with enough samples."""
    assert series.probes
    counts = series.processes or (len(series.samples),)
    values = np.log(corrected(series.samples, series.probes, counts, reference, series.slope or 0.0))
    parts = [part for part in np.split(values, np.cumsum(counts)[:-1]) if len(part) >= MIN_SAMPLES]
    if len(parts) < MIN_PROCESSES:
        return None
    medians = np.array([np.median(part) for part in parts])
    # The difference of two halves has four times the variance of the median of the whole.
    halves = np.array([np.median(part[::2]) - np.median(part[1::2]) for part in parts])
    within = float(np.mean(halves**2)) / 4
    effect = max(0.0, float(medians.var(ddof=1)) - within)
    span = float(np.exp(np.ptp(medians)) - 1)
    return Effect(operator, name, series.median, within**0.5, effect**0.5, span)


if __name__ == "__main__":
    main(sys.argv[1:])
