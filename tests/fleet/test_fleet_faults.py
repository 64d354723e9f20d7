"""Workers, schedulers and clients that are lost in the middle of a run: no case is lost, and none measured twice."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import autoperf
from autoperf.core.events import OperatorSearched
from autoperf.core.files import FRAMEWORKS_VARIABLE
from autoperf.core.outcome import Status
from autoperf.fleet.fleet import _reply
from autoperf.runs.huntlog import LOG, read_log
from tests.fleet.dask_processes import (
    CASES,
    OPERATORS,
    QUICK,
    Cluster,
    Relay,
    cluster,
    finished,
    outcomes,
    start_run,
    started,
    wait_for_outcomes,
    wait_for_words,
)
from tests.installed_frameworks import require
from tools.stored_run import read_run

ASKED = 4 * len(OPERATORS)
SMALL = ("--operator", "exp", "--input-profile", "small")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUTOPERF_CACHE", str(tmp_path / "cache"))


def kill(worker: subprocess.Popen[bytes]) -> None:
    worker.kill()


def stop(worker: subprocess.Popen[bytes]) -> None:
    os.kill(worker.pid, signal.SIGSTOP)


def leave(worker: subprocess.Popen[bytes]) -> None:
    worker.terminate()


@pytest.mark.parametrize("fault", [kill, *(pytest.param(fault, marks=pytest.mark.nightly) for fault in (stop, leave))])
def test_a_worker_is_lost_in_the_middle_of_a_batch(tmp_path: Path, fault: Callable[..., None]) -> None:
    file = tmp_path / "run.ndjson"
    with cluster(tmp_path, 1, ttl="4s") as fleet:
        lost = fleet.worker()
        fleet.wait_for_workers(2)
        run = start_run(fleet.address, file)
        wait_for_outcomes(file, 3, run)
        fault(lost)
        finished(run)
    assert {outcome.status for outcome in outcomes(file)} == {Status.MEASURED}
    assert len(outcomes(file)) == ASKED


@pytest.mark.nightly
def test_a_worker_is_cut_off(tmp_path: Path) -> None:
    file = tmp_path / "run.ndjson"
    with cluster(tmp_path, 1) as fleet:
        relay = Relay(fleet.port)
        fleet.worker(address=relay.address)
        fleet.wait_for_workers(2)
        run = start_run(fleet.address, file)
        wait_for_outcomes(file, 3, run)
        relay.cut()
        finished(run)
    assert len(outcomes(file)) == ASKED


@pytest.mark.nightly
def test_a_machine_joins_late(tmp_path: Path) -> None:
    file = tmp_path / "run.ndjson"
    with Cluster(tmp_path) as fleet:
        run = start_run(fleet.address, file)
        wait_for_words(run, "waiting for one")
        fleet.worker()
        finished(run)
    assert len(outcomes(file)) == ASKED


@pytest.mark.nightly
def test_the_scheduler_is_killed_and_the_run_resumed(tmp_path: Path) -> None:
    file = tmp_path / "run.ndjson"
    with cluster(tmp_path, 1) as fleet:
        run = start_run(fleet.address, file)
        wait_for_outcomes(file, 3, run)
        fleet.scheduler.kill()
        errors = " ".join(finished(run, 2).split())
        assert "can't be reached any more: start it again, and resume the run" in errors
        assert "cases kept; resume with `autoperf run --resume" in errors
        assert "Traceback" not in errors
        end = read_run(file).end
        assert end is not None
        assert not end.complete
        fleet.scheduler.wait()
        fleet.start_scheduler()
        fleet.worker()
        finished(started("run", "--resume", str(file), "--cluster", fleet.address, "--limit", "1"))
    assert len(outcomes(file)) == ASKED


def test_the_client_is_killed_and_the_run_resumed(tmp_path: Path) -> None:
    file = tmp_path / "run.ndjson"
    with cluster(tmp_path, 1) as fleet:
        run = start_run(fleet.address, file)
        wait_for_outcomes(file, 3, run)
        run.kill()
        run.communicate()
        finished(started("run", "--resume", str(file), "--cluster", fleet.address, "--limit", "1"))
    assert len(outcomes(file)) == ASKED


@pytest.mark.nightly
def test_ctrl_c_keeps_what_has_arrived(tmp_path: Path) -> None:
    file = tmp_path / "run.ndjson"
    with cluster(tmp_path, 1) as fleet:
        run = start_run(fleet.address, file)
        wait_for_outcomes(file, 3, run)
        run.send_signal(signal.SIGINT)
        errors = " ".join(finished(run, 130).split())
        assert "kept; resume with `autoperf run --resume" in errors
        finished(started("run", "--resume", str(file), "--limit", "1"))
    assert len(outcomes(file)) == ASKED


def changed_package(folder: Path) -> Path:
    """A copy of this package with another version."""
    source = Path(autoperf.__file__).parent
    shutil.copytree(source, folder / "autoperf", ignore=shutil.ignore_patterns("__pycache__"))
    module = folder / "autoperf" / "__init__.py"
    text = module.read_text()
    assert autoperf.__version__ in text
    module.write_text(text.replace(autoperf.__version__, "9.9.9"))
    return folder


def test_a_worker_with_another_autoperf_is_refused_with_both(tmp_path: Path) -> None:
    file = tmp_path / "run.ndjson"
    with cluster(tmp_path, 1) as fleet:
        fleet.worker(env={"PYTHONPATH": str(changed_package(tmp_path / "other"))})
        fleet.wait_for_workers(2)
        errors = " ".join(finished(start_run(fleet.address, file)).split())
    assert f"expected autoperf {autoperf.__version__} with the digest" in errors
    assert "got 9.9.9" in errors
    assert len(outcomes(file)) == ASKED


def test_a_fleet_without_the_release_says_so(tmp_path: Path, next_library: Path) -> None:
    with Cluster(tmp_path) as fleet:
        fleet.worker(env={"AUTOPERF_RELEASES": str(tmp_path / "none")})
        run = start_run(fleet.address, tmp_path / "run.ndjson", "--mxnet", "2.0.0b1")
        errors = " ".join(finished(run, 2).split())
    assert "can measure: MXNet 2.0.0b1 is not installed; run `autoperf releases install 2.0.0b1`" in errors


@pytest.mark.nightly
def test_a_hunt_against_a_framework_says_which_machine_lacks_it(tmp_path: Path) -> None:
    """The machine that has the framework hunts alone."""
    require("torch")
    folder = tmp_path / "hunt"
    with Cluster(tmp_path) as fleet:
        fleet.worker(env={FRAMEWORKS_VARIABLE: str(tmp_path / "none")})
        call = ("hunt", "--against", "torch", "--operator", "exp", "--time-budget", "4s", "--folder", str(folder))
        hunt = started(*call, "--cluster", fleet.address)
        errors = " ".join(finished(hunt, 2).split())
        assert "can measure: PyTorch is not installed; run `autoperf frameworks install torch`" in errors
        fleet.worker()
        fleet.wait_for_workers(2)
        hunt = started(*call, "--cluster", fleet.address)
        _, errors = hunt.communicate(timeout=240)
    assert hunt.returncode in (0, 1), errors
    header, events = read_log(folder / LOG)
    assert [side.framework for side in header.sides] == ["", "torch"]
    (searched,) = (event.searched for event in events if isinstance(event, OperatorSearched))
    assert (searched.operator, searched.tried > 0) == ("exp", True)


@pytest.mark.nightly
def test_a_build_of_another_content_is_refused_with_both_digests(tmp_path: Path, next_library: Path) -> None:
    """The worker sees another file at the path: in its own view of the file system it isn't the client's."""
    build = tmp_path / "build" / "libmxnet.so"
    build.parent.mkdir()
    shutil.copy(next_library, build)
    for other in next_library.parent.iterdir():
        if other.is_file() and other.name != build.name:
            (build.parent / other.name).symlink_to(other)
    with Cluster(tmp_path) as fleet:
        run = start_run(fleet.address, tmp_path / "run.ndjson", "--mxnet", str(build))
        wait_for_words(run, "waiting for one")
        with build.open("ab") as file:
            file.write(b"another")
        fleet.worker()
        errors = " ".join(finished(run, 2).split())
    assert "is another build: expected the digest" in errors


FULL = """
for folder in /tmp /var/tmp; do
    mount -t tmpfs -o size=4k tmpfs $folder
    head -c 4096 /dev/zero > $folder/full
done
cd /tmp
exec "$@"
"""


@pytest.mark.nightly
def test_a_worker_without_space_is_left_out(tmp_path: Path) -> None:
    alone = ["unshare", "--mount"]
    if subprocess.run([*alone, "mount", "-t", "tmpfs", "tmpfs", "/tmp"], check=False).returncode:
        pytest.skip("a view of the file system of its own needs root")
    file = tmp_path / "run.ndjson"
    with cluster(tmp_path, 1) as fleet:
        fleet.worker(within=[*alone, "sh", "-c", FULL, "sh"], env={"AUTOPERF_CACHE": "/dev/shm/autoperf-none"})
        fleet.wait_for_workers(2)
        errors = " ".join(finished(start_run(fleet.address, file)).split())
    assert "No usable temporary directory" in errors
    assert len(outcomes(file)) == ASKED


DEADLY = """
import os, signal

import mxnet as mx


def kill_dask_worker():
    process = os.getpid()
    while process > 1:
        with open(f"/proc/{process}/cmdline", "rb") as file:
            if b"dask_worker" in file.read():
                os.kill(process, signal.SIGKILL)
        with open(f"/proc/{process}/stat") as file:
            process = int(file.read().rpartition(")")[2].split()[1])


class Deadly(mx.operator.CustomOp):
    def forward(self, is_train, req, in_data, out_data, aux):
        kill_dask_worker()
        self.assign(out_data[0], req[0], in_data[0])


@mx.operator.register("deadly")
class DeadlyProp(mx.operator.CustomOpProp):
    def create_operator(self, ctx, shapes, dtypes):
        return Deadly()
"""


@pytest.mark.nightly
def test_a_case_that_ends_workers_becomes_an_outcome(tmp_path: Path) -> None:
    extension, file = tmp_path / "deadly.py", tmp_path / "run.ndjson"
    extension.write_text(DEADLY)
    words = ("--input", "data=4", "--param", "op_type=deadly", "--extension", str(extension))
    with Cluster(tmp_path) as fleet:
        for _ in range(5):
            fleet.worker()
        run = start_run(fleet.address, file, selection=("--operator", "Custom", *words))
        finished(run, 1)
        # One worker is left.
        finished(start_run(fleet.address, tmp_path / "next.ndjson", selection=SMALL))
    (outcome,) = outcomes(file)
    assert outcome.status is Status.CRASHED
    assert "given up after 4 workers" in outcome.reason


FAULTS = ("kill", "stop", "leave", "join", "cut", "client")


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(100))
def test_drawn_faults(tmp_path: Path, seed: int) -> None:
    draw = random.Random(seed)
    file = tmp_path / "run.ndjson"
    with Cluster(tmp_path, ttl="4s") as fleet:
        relay = Relay(fleet.port)
        workers = [fleet.worker() for _ in range(2)] + [fleet.worker(address=relay.address)]
        fleet.wait_for_workers(3)
        run = start_run(fleet.address, file)
        wait_for_outcomes(file, 1, run)
        for fault in draw.choices(FAULTS, k=draw.randint(1, 2)):
            time.sleep(draw.uniform(0.0, 2.0))
            if run.poll() is not None:
                break
            if fault == "join":
                workers.append(fleet.worker())
            elif fault == "cut":
                relay.cut()
            elif fault == "client":
                run.kill()
                run.communicate()
                run = started("run", "--resume", str(file), "--cluster", fleet.address, "--limit", "1")
            elif len(workers) > 1:
                {"kill": kill, "stop": stop, "leave": leave}[fault](workers.pop(draw.randrange(len(workers))))
        workers.append(fleet.worker())
        finished(run)
        relay.cut()
    assert len(outcomes(file)) == ASKED
    assert {outcome.status for outcome in outcomes(file)} == {Status.MEASURED}


@pytest.mark.nightly
def test_a_machine_becomes_a_worker_by_one_command(tmp_path: Path) -> None:
    """Its nanny starts the worker again when it is killed, and it measures with MXNet's own number of threads."""
    file = tmp_path / "run.ndjson"
    with Cluster(tmp_path) as fleet:
        worker = started("worker", fleet.address)
        try:
            fleet.wait_for_workers(1)
            finished(start_run(fleet.address, file))
        finally:
            worker.terminate()
            _, errors = worker.communicate(timeout=60)
    assert "MXNet 1.9.1 at" in errors
    assert len(outcomes(file)) == ASKED
    (machine,) = read_run(file).machines
    assert "OMP_NUM_THREADS" not in machine.environment.settings


@pytest.mark.nightly
def test_variables_of_dasks_nanny_are_not_measured_with(tmp_path: Path) -> None:
    file = tmp_path / "run.ndjson"
    with Cluster(tmp_path) as fleet:
        fleet.worker(env={"OMP_NUM_THREADS": "1", "MALLOC_TRIM_THRESHOLD_": "65536"})
        finished(start_run(fleet.address, file, selection=SMALL))
    (machine,) = read_run(file).machines
    assert "OMP_NUM_THREADS" not in machine.environment.settings


@pytest.mark.nightly
def test_the_cases_are_those_of_a_run_here(tmp_path: Path) -> None:
    here, there = tmp_path / "here.ndjson", tmp_path / "there.ndjson"
    finished(started("run", *CASES, *QUICK, "--run-file", str(here), "--limit", "1"))
    finished(start_run("local:2", there))
    assert {outcome.case for outcome in outcomes(here)} == {outcome.case for outcome in outcomes(there)}


def test_a_reply_is_not_waited_for_whose_worker_is_lost_before_it_is_fetched() -> None:
    timeouts: list[float] = []

    class Fetched:
        """A future whose result stays away, and which Dask calls lost once it has looked for the worker."""

        @property
        def status(self) -> str:
            return "lost" if timeouts else "finished"

        def result(self, timeout: float) -> bytes:
            timeouts.append(timeout)
            raise TimeoutError

    assert _reply(Fetched()) is None
    assert timeouts == [1.0]
