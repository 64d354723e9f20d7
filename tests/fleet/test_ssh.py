"""The commands of the guide for machines over SSH, by Debian's sshd on hosts with names and clocks of their own."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from autoperf.core.outcome import Status
from autoperf.measurement.placement import ranges, shares, usable_processors
from tests.fleet.dask_processes import MANY, QUICK, finished, measured_on, outcomes, started, wait_for_machines
from tests.fleet.guide import module_of
from tests.fleet.hosts import START_SECONDS, Hosts, hosts

PROGRAM = Path(sys.executable).parent
HEAD = "tcp://head:8786"

pytestmark = pytest.mark.nightly


@pytest.fixture
def network(tmp_path: Path) -> Iterator[Hosts]:
    """The hosts; the clock of `two` is three hours late."""
    with hosts(tmp_path, "client", "head", "one", "two", "three") as made:
        made.start_sshd({"two": -3 * 3600})
        yield made


def start_worker(network: Hosts, name: str, processors: str) -> None:
    network.start(
        network.by_ssh(
            "client", name, "env", f"AUTOPERF_PROCESSORS={processors}", str(PROGRAM / "autoperf"), "worker", HEAD
        )
    )


def test_one_host_dies_one_joins_late_and_the_clock_of_one_is_off(network: Hosts, tmp_path: Path) -> None:
    file = tmp_path / "run.ndjson"
    first, second = (ranges(share) for share in shares(usable_processors(), 2))
    network.start(network.by_ssh("client", "head", str(PROGRAM / "dask"), "scheduler", "--port", "8786"))
    start_worker(network, "one", first)
    start_worker(network, "two", second)
    # Each case takes about a second: the late host has cases left.
    slowly = ("--processes", "1", "--max-time", "1s", "--run-file", str(file))
    run = started("run", "--cluster", HEAD, *MANY, *slowly, within=network.on("client"))
    wait_for_machines(file, {"one", "two"}, run)
    network.power_off("one")
    start_worker(network, "three", first)
    errors = finished(run)
    assert "is measured again" in errors
    assert measured_on(file) == {"one", "two", "three"}
    assert {outcome.status for outcome in outcomes(file)} == {Status.MEASURED}


def test_dasks_own_cluster_over_ssh(network: Hosts, tmp_path: Path) -> None:
    pytest.importorskip("asyncssh", reason="asyncssh isn't installed")
    file = tmp_path / "run.ndjson"
    (tmp_path / "fleet.py").write_text(module_of("ssh"))
    (tmp_path / ".ssh").mkdir()
    (tmp_path / ".ssh" / "config").write_text(network.ssh_config.read_text())
    run = started(
        *("run", "--cluster", "fleet:ssh", *MANY, *QUICK, "--run-file", str(file)),
        within=network.on("client"),
        env={"PYTHONPATH": str(tmp_path), "HOME": str(tmp_path)},
    )
    finished(run)
    assert measured_on(file) == {"one", "two"}
    assert {outcome.status for outcome in outcomes(file)} == {Status.MEASURED}
    deadline = time.monotonic() + START_SECONDS
    while any(b"distributed" in command for host in network.addresses for command in network.commands(host)):
        assert time.monotonic() < deadline
        time.sleep(0.2)
