"""`--cpus`, and figures at the reference speed of the machine, on the command line."""

from __future__ import annotations

import csv
import json
import math
import os
import statistics
from pathlib import Path

import pytest

from autoperf.core.clocks import KERNEL, WALL, Clock
from autoperf.core.machine import Probes, Reference
from autoperf.core.outcome import Series
from autoperf.results.correction import at_reference
from autoperf.results.slopes import ProbedSamples, slope_of_figure
from tests.forked_program import Program
from tools.stored_run import read_run


def test_the_processors_are_chosen_and_recorded(program: Program, tmp_path: Path) -> None:
    usable = sorted(os.sched_getaffinity(0))
    quick = (
        "run",
        "--operator",
        "exp",
        "--input-profile",
        "small",
        "--samples",
        "2",
        "--warmup",
        "0",
        "--processes",
        "1",
    )
    for asked, cpus in (("any", []), (str(usable[0]), [usable[0]]), (f"{usable[0]}-{usable[-1]}", usable)):
        done = program(*quick, "--cpus", asked, "--format", "json")
        header, (machine,) = (json.loads(done.stdout)[key] for key in ("run", "machines"))
        assert machine["environment"]["mxnet"]["cpus"] == cpus
        assert header["options"]["settings"]["cpus"] == cpus
    document = json.loads(program(*quick, "--format", "json").stdout)
    header, (machine,) = document["run"], document["machines"]
    assert header["options"]["settings"]["cpus"] is None
    assert len(machine["environment"]["mxnet"]["cpus"]) == machine["environment"]["mxnet"]["threads"]
    assert machine["reference"]["us"] > 0


@pytest.mark.parametrize("cpus", ["", "x", "3-1", "0,,1", "-1", "1-", "99999"])
def test_processors_that_are_none_are_refused(program: Program, cpus: str) -> None:
    done = program("run", "--operator", "exp", "--cpus", cpus)
    assert done.returncode == 2
    assert f"invalid processors {cpus!r}: expected 1, 2-3, 0,2 or any" in " ".join(done.stderr.split())


def test_a_processor_that_is_not_there_is_refused(program: Program) -> None:
    done = program("run", "--operator", "exp", "--cpus", "4095")
    assert done.returncode == 2
    assert "invalid cpus: processor 4095 isn't usable; expected some of" in done.stderr


def check_correction(row: dict[str, str], key: str, series: Series, clock: Clock, reference: Reference) -> None:
    """The figure follows from the stored samples and readings, by the slope that is fitted to them."""
    probes = series.probes or Probes((), ())
    slope = slope_of_figure(clock, ProbedSamples(series.samples, probes, series.processes), reference)
    assert float(row[f"{key}_slope"]) == slope
    used = at_reference(series.samples, probes, series.processes, reference, slope).samples
    assert float(row[f"{key}_median_us"]) == pytest.approx(statistics.median(used), abs=1e-3)
    assert float(row[f"{key}_uncorrected_us"]) == pytest.approx(statistics.median(series.samples), abs=1e-3)
    readings = (math.sqrt(before * after) for before, after in zip(probes.before, probes.after, strict=True))
    speed = statistics.median(readings) / reference.us
    assert float(row[f"{key}_speed"]) == pytest.approx(1 / speed, abs=1e-3)


@pytest.mark.parametrize(("operator", "profile"), [("exp", "small"), ("dot", "large")])
def test_figures_stand_at_reference_speed_beside_those_measured(
    operator: str, profile: str, program: Program, tmp_path: Path
) -> None:
    exact = ("--samples", "8", "--warmup", "0", "--processes", "2", "--draws", "0")
    file = tmp_path / "run.ndjson"
    done = program(
        "run", "--operator", operator, "--input-profile", profile, *exact, "--format", "csv", "--run-file", str(file)
    )
    (row,) = csv.DictReader(done.stdout.splitlines())
    run = read_run(file)
    forward = run.outcomes[0].forward
    for clock in (KERNEL, WALL):
        check_correction(row, f"forward_{clock.name}", forward.series(clock), clock, run.machines[0].reference)
        assert int(row[f"forward_{clock.name}_retaken"]) >= 0
