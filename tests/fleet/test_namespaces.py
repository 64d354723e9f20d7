"""The commands of the guide for machines over SSH, each machine a network namespace of its own with its own address."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import distributed
import pytest

from autoperf.measurement.placement import ranges, shares, usable_processors
from tests.fleet.dask_processes import QUICK, START_SECONDS, finished, outcomes, started
from tools.stored_run import read_run

HOSTS = {"apf-head": "10.213.86.1", "apf-one": "10.213.86.2", "apf-two": "10.213.86.3"}
CLIENT = "10.213.86.9"
BRIDGE = "apf-bridge"
PROGRAM = Path(sys.executable).parent


def ip(words: str) -> None:
    subprocess.run(["ip", *words.split()], check=True, capture_output=True)


@pytest.fixture
def network() -> Iterator[None]:
    """The namespaces, joined by a bridge."""
    if shutil.which("ip") is None:
        pytest.skip("namespaces need `ip` of iproute2")
    if subprocess.run(["ip", "link", "add", BRIDGE, "type", "bridge"], check=False, capture_output=True).returncode:
        pytest.skip("namespaces need root")
    with ExitStack() as stack:
        stack.callback(ip, f"link del {BRIDGE}")
        ip(f"addr add {CLIENT}/24 dev {BRIDGE}")
        ip(f"link set {BRIDGE} up")
        for name, address in HOSTS.items():
            ip(f"netns add {name}")
            stack.callback(ip, f"netns del {name}")
            ip(f"link add {name} type veth peer name eth0 netns {name}")
            ip(f"link set {name} master {BRIDGE} up")
            ip(f"-n {name} addr add {address}/24 dev eth0")
            ip(f"-n {name} link set eth0 up")
            ip(f"-n {name} link set lo up")
        yield


@pytest.mark.nightly
def test_the_commands_of_the_guide_measure_on_several_hosts(network: None, tmp_path: Path) -> None:
    head, file = f"tcp://{HOSTS['apf-head']}:8786", tmp_path / "run.ndjson"
    with ExitStack() as stack, (tmp_path / "dask.log").open("wb") as log:

        def start(host: str, *command: str) -> None:
            process = subprocess.Popen(
                ["ip", "netns", "exec", host, *command], stdout=log, stderr=log, cwd=tmp_path, start_new_session=True
            )
            stack.callback(process.wait)
            stack.callback(process.terminate)

        start("apf-head", str(PROGRAM / "dask"), "scheduler", "--port", "8786", "--no-dashboard")
        own = [ranges(share) for share in shares(usable_processors(), 2)]
        for host, processors in zip(("apf-one", "apf-two"), own, strict=True):
            words = (sys.executable, "-m", "autoperf", "worker", head)
            start(host, "env", f"AUTOPERF_PROCESSORS={processors}", *words)
        with distributed.Client(head, set_as_default=False, timeout=START_SECONDS) as client:
            client.wait_for_workers(2, timeout=START_SECONDS)
            assert {worker["host"] for worker in client.scheduler_info()["workers"].values()} == {
                HOSTS["apf-one"],
                HOSTS["apf-two"],
            }
        finished(started("run", "--cluster", head, "--category", "cumulative", *QUICK, "--run-file", str(file)))
    assert len(outcomes(file)) > 10
    listed = {machine.environment.settings["AUTOPERF_PROCESSORS"] for machine in read_run(file).machines}
    assert listed == set(own)
