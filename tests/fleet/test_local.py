"""`--cluster local:2`: two workers on this machine, each on processors of its own."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import autoperf
from autoperf.core.files import claims_folder
from autoperf.measurement.placement import Claims, ranges, shares, usable_processors
from tests.fleet.dask_processes import finished, started, wait_for_outcomes
from tools.stored_run import read_run

SELECTION = ("--operator", "exp,sin", "--input-profile", "small", "--draws", "0")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUTOPERF_CACHE", str(tmp_path / "cache"))


SCRIPT = """
import sys

import autoperf

autoperf.measure(["exp", "sin", "cos", "abs"], input_profile="small", draws=0, warmup=0, samples=2, processes=1,
                 cluster="local:2", run_file=sys.argv[1])
"""


def test_each_worker_has_processors_and_a_record_of_its_own(tmp_path: Path) -> None:
    """Also while other runs have claimed all processors; called by a script, which no worker runs again."""
    script, file = tmp_path / "script.py", tmp_path / "run.ndjson"
    script.write_text(SCRIPT)
    claims = Claims(claims_folder(), owner=1)
    claims.hold(usable_processors())
    try:
        subprocess.run([sys.executable, str(script), str(file)], capture_output=True, check=True)
    finally:
        claims.close()
    machines = read_run(file).machines
    listed = {machine.environment.settings["AUTOPERF_PROCESSORS"] for machine in machines}
    assert listed == {ranges(share) for share in shares(usable_processors(), 2)}
    words = ("report", str(file), "--group-by", "machine", "--format", "json")
    shown = subprocess.run([sys.executable, "-m", "autoperf", *words], capture_output=True, check=True)
    assert len(json.loads(shown.stdout)["groups"]) == len(machines) >= 2


@pytest.mark.nightly
@pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind isn't installed")
def test_workers_count_what_this_machine_counts(tmp_path: Path) -> None:
    """To the instruction; no case of the agreement of machines that take times is among what they run."""
    words = ("--counters", "instructions", "--count-by", "valgrind", "--profiler", "none", "--quiet")
    files = [tmp_path / name for name in ("one.ndjson", "two.ndjson")]
    for file, places in zip(files, ((), ("--cluster", "local:2")), strict=True):
        finished(started("run", *SELECTION, *words, *places, "--run-file", str(file)))
    one, two = ({each.case: each for each in read_run(file).outcomes} for file in files)
    assert len(one) == 2
    for case, outcome in one.items():
        assert list(two[case].passes) == list(outcome.passes)
        for name, run in outcome.passes.items():
            assert run.code
            assert run.instructions
            other = two[case].passes[name]
            assert (other.instructions, other.code and other.code.digest) == (run.instructions, run.code.digest)


@pytest.mark.parametrize("function", [autoperf.measure, autoperf.run_hunt])
def test_python_functions_refuse_what_is_no_cluster(function: Callable[..., object]) -> None:
    with pytest.raises(autoperf.AutoperfError, match="invalid --cluster 'head'"):
        function("exp", cluster="head")
    with pytest.raises(autoperf.AutoperfError, match='invalid cluster 3: expected a cluster, such as "tcp'):
        function("exp", cluster=3)


@pytest.mark.nightly
def test_visits_are_resumed_after_ctrl_c(tmp_path: Path) -> None:
    file = tmp_path / "run.ndjson"
    words = ("--visits", "2", "--processes", "2", "--samples", "2", "--warmup", "0", "--run-file", str(file))
    run = started("run", "--cluster", "local:2", *SELECTION, *words)
    wait_for_outcomes(file, 1, run)
    run.send_signal(signal.SIGINT)
    errors = " ".join(finished(run, 130).split())
    assert "kept; resume with `autoperf run --resume" in errors
    finished(started("run", "--resume", str(file), "--cluster", "local:1", "--limit", "1"))
    stored = read_run(file)
    assert stored.end is not None
    assert stored.end.complete
    assert stored.end.resumed == 1
    assert [outcome.visit for outcome in stored.outcomes] == [2] * 2
