"""The guide's function for Slurm, by Debian's Slurm on hosts of their own: jobs wait, are cancelled, end in time."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from autoperf.core.outcome import Status
from tests.fleet.dask_processes import (
    MANY,
    QUICK,
    finished,
    measured_on,
    outcomes,
    started,
    wait_for_machines,
    wait_for_outcomes,
)
from tests.fleet.guide import module_of
from tests.fleet.hosts import Hosts, hosts, require_programs

CONFIGURATION = """
ClusterName=autoperf
SlurmctldHost=head
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
JobAcctGatherType=jobacct_gather/none
JobCompType=jobcomp/filetxt
JobCompLoc={folder}/ended
MailProg=/bin/true
MpiDefault=none
ReturnToService=2
KillWait=5
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmdParameters=config_overrides
NodeName=one,two CPUs={processors} RealMemory=64000
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""
START_SECONDS = 60.0
END_SECONDS = 300.0

pytestmark = pytest.mark.nightly


@pytest.fixture
def slurm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hosts]:
    """A controller on `head`, and the nodes `one` and `two`."""
    pytest.importorskip("dask_jobqueue", reason="dask-jobqueue isn't installed")
    require_programs("slurmctld", "slurmd", "sbatch", package="slurmctld, slurmd, slurm-client")
    require_programs("munged", package="munge")
    tmp_path.chmod(0o755)
    for folder in ("state", "spool-one", "spool-two"):
        (tmp_path / folder).mkdir()
    (tmp_path / "slurm.conf").write_text(CONFIGURATION.format(folder=tmp_path, processors=os.cpu_count()))
    monkeypatch.setenv("SLURM_CONF", str(tmp_path / "slurm.conf"))
    with hosts(tmp_path, "head", "one", "two") as made:
        start_munge(made)
        made.start(made.on("head", "/usr/sbin/slurmctld", "-D"))
        for node in ("one", "two"):
            made.start(made.on(node, "/usr/sbin/slurmd", "-D"))
        wait_for_words(made, "idle idle", "sinfo", "--noheader", "--Node", "--format=%t")
        yield made


def start_munge(made: Hosts) -> None:
    key = made.folder / "munge.key"
    key.touch(mode=0o600)
    key.write_bytes(os.urandom(128))
    options = {"key-file": key, "socket": made.folder / "munge.socket", "pid-file": made.folder / "munged.pid"}
    options |= {"log-file": made.folder / "munged.log", "seed-file": made.folder / "munge.seed"}
    words = [f"--{name}={value}" for name, value in options.items()]
    # The folder of a test is below one that everybody may write to.
    made.start(made.on("head", "/usr/sbin/munged", "--foreground", "--force", *words))


def told(made: Hosts, *command: str) -> str:
    """What a command of Slurm tells, in one line."""
    done = subprocess.run(made.on("head", *command), capture_output=True, text=True, check=False, timeout=60)
    return " ".join((done.stdout or done.stderr).split())


def wait_for_words(made: Hosts, words: str, *command: str) -> None:
    deadline = time.monotonic() + START_SECONDS
    while (last := told(made, *command)) != words:
        assert time.monotonic() < deadline, f"{last}\n{made.log()}"
        time.sleep(0.5)


def start_run(made: Hosts, file: Path, function: str, *options: str) -> subprocess.Popen[str]:
    (made.folder / "fleet.py").write_text(function)
    return started(
        *("run", "--cluster", "fleet:slurm", "--run-file", str(file), "--limit", "1", *options),
        within=[*made.on("head"), "env", f"--chdir={made.folder}"],
        env={"PYTHONPATH": "."},
    )


def finished_whole(run: subprocess.Popen[str], file: Path, made: Hosts) -> str:
    """The notices of the run, which has measured every case, and left no job in the queue."""
    _, errors = run.communicate(timeout=END_SECONDS)
    assert run.returncode == 0, f"{errors}\n{made.log()}"
    assert {outcome.status for outcome in outcomes(file)} == {Status.MEASURED}
    wait_for_words(made, "", "squeue", "--noheader")
    return errors


def ended_states(folder: Path) -> dict[str, str]:
    """The states of the jobs that have ended, by their numbers."""
    return dict(re.findall(r"^JobId=(\d+) .* JobState=(\w+)", (folder / "ended").read_text(), re.MULTILINE))


def test_a_job_waits_in_the_queue_and_one_is_cancelled(slurm: Hosts, tmp_path: Path) -> None:
    file = tmp_path / "run.ndjson"
    run = start_run(slurm, file, module_of("slurm").replace("50", "3"), *MANY, *QUICK)
    wait_for_machines(file, {"one", "two"}, run)
    assert sorted(told(slurm, "squeue", "--noheader", "--format=%T").split()) == ["PENDING", "RUNNING", "RUNNING"]
    (cancelled,) = told(slurm, "squeue", "--noheader", "--nodelist=one", "--format=%A").split()
    assert told(slurm, "scancel", cancelled) == ""
    assert "is measured again" in finished_whole(run, file, slurm)
    assert ended_states(tmp_path)[cancelled] == "CANCELLED"


def test_ctrl_c_keeps_what_was_measured_and_cancels_the_jobs(slurm: Hosts, tmp_path: Path) -> None:
    file = tmp_path / "run.ndjson"
    run = start_run(slurm, file, module_of("slurm").replace("50", "2"), *MANY, *QUICK)
    wait_for_outcomes(file, 3, run)
    run.send_signal(signal.SIGINT)
    assert "kept; resume with `autoperf run --resume" in " ".join(finished(run, 130).split())
    wait_for_words(slurm, "", "squeue", "--noheader")


def test_walltime_ends_jobs_and_others_take_their_place(slurm: Hosts, tmp_path: Path) -> None:
    """Each case takes some seconds, so that the jobs, which have a minute, can't measure all."""
    file = tmp_path / "run.ndjson"
    function = module_of("slurm").replace("50", "2").replace("02:00:00", "00:01:00")
    run = start_run(slurm, file, function, *MANY, "--processes", "1", "--max-time", "3s")
    finished_whole(run, file, slurm)
    assert "TIMEOUT" in ended_states(tmp_path).values()
    assert measured_on(file) == {"one", "two"}
