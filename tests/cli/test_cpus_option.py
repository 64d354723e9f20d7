"""`--cpus`, and figures at the reference speed of the machine, on the command line."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path

import pytest

from tests.cli.conftest import Program


def test_the_processors_are_chosen_and_recorded(program: Program, tmp_path: Path) -> None:
    usable = sorted(os.sched_getaffinity(0))
    quick = ("run", "--operator", "exp", "--profile", "small", "--runs", "2", "--warmup", "0", "--processes", "1")
    for asked, cpus in (("any", []), (str(usable[0]), [usable[0]]), (f"{usable[0]}-{usable[-1]}", usable)):
        done = program(*quick, "--cpus", asked, "--format", "json")
        header = json.loads(done.stdout)["run"]
        assert header["environment"]["mxnet"]["cpus"] == cpus
        assert header["options"]["settings"]["cpus"] == cpus
    header = json.loads(program(*quick, "--format", "json").stdout)["run"]
    assert header["options"]["settings"]["cpus"] is None
    assert len(header["environment"]["mxnet"]["cpus"]) == header["environment"]["mxnet"]["threads"]
    assert header["reference"]["us"] > 0


@pytest.mark.parametrize("cpus", ["", "x", "3-1", "0,,1", "-1", "1-", "99999"])
def test_processors_that_are_none_are_refused(program: Program, cpus: str) -> None:
    done = program("run", "--operator", "exp", "--cpus", cpus)
    assert done.returncode == 2
    assert f"invalid processors {cpus!r}: expected 1, 2-3, 0,2 or any" in " ".join(done.stderr.split())


def test_a_processor_that_is_not_there_is_refused(program: Program) -> None:
    done = program("run", "--operator", "exp", "--cpus", "4095")
    assert done.returncode == 2
    assert "invalid processor 4095 in --cpus: expected some of" in done.stderr


def test_uncorrected_figures_stand_beside_the_corrected_ones(program: Program) -> None:
    done = program("run", "--operator", "exp", "--profile", "small", "--samples", "0", "--runs", "8", "--format", "csv")
    (row,) = csv.DictReader(done.stdout.splitlines())
    assert float(row["forward_kernel_uncorrected_us"]) > 0
    assert 0 < float(row["forward_kernel_speed"]) < 3
    assert -1 < float(row["forward_kernel_slope"]) < 3
    assert int(row["forward_wall_retaken"]) >= 0


def test_a_large_case_at_reference_speed_is_near_the_one_measured(program: Program) -> None:
    done = program(
        "run", "--operator", "dot", "--profile", "large", "--runs", "2", "--processes", "1", "--format", "csv"
    )
    (row,) = csv.DictReader(done.stdout.splitlines())
    assert 0.2 < float(row["forward_wall_speed"]) < 5
    assert 0.2 < float(row["forward_wall_median_us"]) / float(row["forward_wall_uncorrected_us"]) < 5
