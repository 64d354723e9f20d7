"""The values of `--cluster`, and what they open."""

from __future__ import annotations

import logging
import signal
import subprocess
import sys
from pathlib import Path

import dask
import distributed
import psutil
import pytest

from autoperf.core.errors import ClusterError, UsageError
from autoperf.fleet.clusters import check_cluster, opened_cluster
from autoperf.fleet.fleet import MEASURING
from autoperf.fleet.worker import serve
from tests.fleet.dask_processes import free_port
from tests.forked_program import Program


@pytest.mark.parametrize("place", ["tcp://head:8786", "tls://head:8786", "local", "local:2", "fleet:slurm"])
def test_these_name_a_cluster(place: str) -> None:
    check_cluster(place)


@pytest.mark.parametrize("place", ["", "head", "local:0", "local:many", "8786", "a b:c"])
def test_others_are_refused_with_what_is_expected(place: str) -> None:
    with pytest.raises(UsageError, match="expected tcp://head:8786, local, local:2"):
        check_cluster(place)


def test_a_local_cluster_listens_on_the_loopback_alone_has_the_resource_and_leaves_no_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with opened_cluster("local:2") as client:
        assert list(tmp_path.iterdir())
        workers = client.scheduler_info()["workers"].values()
        assert [worker["resources"] for worker in workers] == [{MEASURING: 1}] * 2
        own = psutil.Process()
        listening = [
            connection.laddr.ip
            for process in (own, *own.children(recursive=True))
            for connection in process.net_connections()
            if connection.status == psutil.CONN_LISTEN
        ]
        assert set(listening) == {"127.0.0.1"}
    assert not list(tmp_path.iterdir())


def test_a_scheduler_that_isnt_there_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autoperf.fleet.clusters.CONNECT_SECONDS", 1.0)
    place = f"tcp://127.0.0.1:{free_port()}"
    with pytest.raises(ClusterError, match="can't reach the Dask scheduler"), opened_cluster(place):
        pass


def test_a_configuration_that_isnt_there_is_refused() -> None:
    with pytest.raises(UsageError, match=r"invalid --cluster 'none\.yaml': no such file"), opened_cluster("none.yaml"):
        pass


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("distributed: {}", "it has no scheduler-address"),
        ("scheduler-address: 3", "Scheduler address must be a string"),
    ],
)
def test_a_configuration_without_an_address_is_refused(tmp_path: Path, text: str, problem: str) -> None:
    file = tmp_path / "dask.yaml"
    file.write_text(text)
    with pytest.raises(UsageError, match=problem), opened_cluster(str(file)):
        pass


@pytest.mark.parametrize("text", ["a: [b", "hello", "\x00"], ids=["syntax", "no mapping", "no text"])
def test_a_configuration_that_isnt_one_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "dask.yaml"
    file.write_text(text)
    with (
        pytest.raises(UsageError, match=f"^invalid --cluster {file}: .*; expected ") as told,
        opened_cluster(str(file)),
    ):
        pass
    assert "\n" not in str(told.value)


def test_more_local_workers_than_processors_are_refused() -> None:
    with pytest.raises(UsageError, match="local:9999: each worker needs a processor"), opened_cluster("local:9999"):
        pass


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("raises", "RuntimeError: two lines$"),
        ("leaves", "SystemExit: 7$"),
        ("number", "TypeError: 'int' object is not callable"),
    ],
)
def test_an_error_of_a_function_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, problem: str
) -> None:
    (tmp_path / "broken_fleet.py").write_text(
        "number = 3\ndef raises(): raise RuntimeError('two\\nlines')\ndef leaves(): raise SystemExit(7)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    place = f"broken_fleet:{name}"
    with pytest.raises(UsageError, match=f"^invalid --cluster {place}: {problem}"), opened_cluster(place):
        pass


@pytest.mark.parametrize("place", ["tcp://", "foo://head:8786", "os:getcwd"])
def test_an_address_that_is_none_is_a_sentence(place: str) -> None:
    with pytest.raises(UsageError, match=f"^invalid --cluster {place}: .*address"), opened_cluster(place):
        pass


def test_a_module_that_cant_be_imported_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "unreadable_fleet.py").write_text("def f(:\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(UsageError, match="SyntaxError: invalid syntax"), opened_cluster("unreadable_fleet:f"):
        pass


@pytest.mark.parametrize("scheduler", ["nonsense", "", "foo://head:1", "tcp://head:port"])
def test_a_worker_refuses_an_address_that_is_none(program: Program, scheduler: str) -> None:
    ended = program("worker", scheduler)
    assert (ended.returncode, ended.stderr.partition(": ")[2][:17]) == (2, "invalid SCHEDULER")


def test_a_worker_without_a_scheduler_ends_with_a_sentence() -> None:
    with (
        dask.config.set({"distributed.comm.timeouts.connect": "1s"}),
        pytest.raises(ClusterError, match="is the scheduler running there"),
    ):
        serve(f"tcp://127.0.0.1:{free_port()}", ())


def test_a_configuration_names_the_scheduler(tmp_path: Path) -> None:
    with distributed.LocalCluster(
        n_workers=0, host="127.0.0.1", dashboard_address="127.0.0.1:0", protocol="tcp://"
    ) as cluster:
        file = tmp_path / "dask.yaml"
        file.write_text(f"scheduler-address: {cluster.scheduler_address}\n")
        with opened_cluster(str(file)) as client:
            assert client.nthreads() == {}


def test_a_function_makes_a_cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own_fleet.py").write_text(
        "import distributed\n\n\ndef made():\n"
        "    return distributed.LocalCluster(n_workers=0, host='127.0.0.1', dashboard_address='127.0.0.1:0')\n\n\n"
        "def wrong():\n    return 7\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    with opened_cluster("own_fleet:made") as client:
        assert client.nthreads() == {}
    for place, problem in (("own_fleet:wrong", "it returned 7"), ("own_fleet:none", "no attribute")):
        with pytest.raises(UsageError, match=problem), opened_cluster(place):
            pass


def test_a_module_that_makes_a_cluster_changes_neither_ctrl_c_nor_the_silence_of_logs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "loud_fleet.py").write_text(
        "import distributed, logging, signal, sys\n\n\nsignal.signal(signal.SIGINT, lambda *_: sys.exit())\n\n\n"
        "def made():\n    return distributed.LocalCluster(n_workers=0, host='127.0.0.1',"
        " dashboard_address='127.0.0.1:0', silence_logs=logging.ERROR)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    before = signal.getsignal(signal.SIGINT)
    with opened_cluster("loud_fleet:made"):
        assert signal.getsignal(signal.SIGINT) is before
        assert not logging.getLogger("distributed").isEnabledFor(logging.CRITICAL)


def test_without_dask_the_remedy_is_told(tmp_path: Path) -> None:
    (tmp_path / "distributed.py").write_text("raise ImportError('no module named distributed')\n")
    ended = subprocess.run(
        [sys.executable, "-m", "autoperf", "run", "--cluster", "local"],
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": str(tmp_path), "PATH": ""},
    )
    assert ended.returncode == 2
    assert "`pip install '.[cluster]'` in the folder of the source" in " ".join(ended.stderr.split())


def test_an_invalid_cluster_ends_the_command(program: Program) -> None:
    ended = program("run", "--cluster", "head", "--operator", "exp")
    assert (ended.returncode, ended.stderr.startswith("autoperf: invalid --cluster 'head'")) == (2, True)
