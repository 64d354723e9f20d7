"""A Dask scheduler and workers in processes of their own, which tests kill, stop and cut off."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import distributed

from autoperf.core.outcome import Outcome
from autoperf.runs.run_reader import RunReader
from tools.stored_run import read_run

START_SECONDS = 60.0
RUN_SECONDS = 240.0
QUICK = ("--warmup", "0", "--samples", "2", "--processes", "1")
OPERATORS = ("exp", "sin", "cos", "abs", "sqrt", "tanh")
MANY = ("--category", "reduction,rounding,exponential,sorting", "--input-profile", "small,common", "--draws", "0")
CASES = ("--operator", ",".join(OPERATORS), "--input-profile", "small,drawn", "--draws", "3", "--max-elements", "4096")


class Cluster:
    """A scheduler, and the workers that are added to it; `folder` has their files."""

    def __init__(self, folder: Path, *options: str, ttl: str = "60s", scheme: str = "tcp") -> None:
        """`options` are further ones of Dask's scheduler and workers."""
        self._folder = folder
        self._options = options
        self._ttl = ttl
        # Not below the temporary folder, which a test fills.
        self._scratch = tempfile.TemporaryDirectory(prefix="dask-", dir="/dev/shm")
        self._processes: list[subprocess.Popen[bytes]] = []
        self.port = free_port()
        self.address = f"{scheme}://127.0.0.1:{self.port}"
        self.start_scheduler()

    def start_scheduler(self) -> None:
        words = ("--host", "127.0.0.1", "--port", str(self.port), "--no-dashboard", *self._options)
        self.scheduler = self._start("distributed.cli.dask_scheduler", words, {})
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1.0):
                return
            time.sleep(0.05)
        raise AssertionError("the scheduler didn't start")

    def worker(
        self, *, address: str = "", env: Mapping[str, str] | None = None, within: Sequence[str] = ()
    ) -> subprocess.Popen[bytes]:
        """A worker as a batch system starts it, without a nanny that would start it again.

        `within` are words before its command, which run it.
        """
        words = ("--resources", "measuring=1", "--nthreads", "1", "--no-nanny", "--no-dashboard", *self._options)
        scratch = ("--local-directory", self._scratch.name)
        return self._start(
            "distributed.cli.dask_worker", (address or self.address, *words, *scratch), env or {}, within
        )

    def wait_for_workers(self, count: int) -> None:
        """Waits until so many workers have joined."""
        with distributed.Client(self.address, set_as_default=False) as client:
            client.wait_for_workers(count, timeout=START_SECONDS)

    def _start(
        self, module: str, words: tuple[str, ...], env: Mapping[str, str], within: Sequence[str] = ()
    ) -> subprocess.Popen[bytes]:
        with (self._folder / "dask.log").open("ab") as log:
            process = subprocess.Popen(
                [*within, sys.executable, "-m", module, *words],
                stdout=log,
                cwd=self._folder,
                stderr=log,
                start_new_session=True,
                env={**os.environ, "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": self._ttl, **env},
            )
        self._processes.append(process)
        return process

    def close(self) -> None:
        for process in self._processes:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGCONT)
                process.kill()
            process.wait()
        self._scratch.cleanup()

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()


def free_port() -> int:
    with socket.socket() as made:
        made.bind(("127.0.0.1", 0))
        port: int = made.getsockname()[1]
        return port


def start_run(address: str, file: Path, *options: str, selection: tuple[str, ...] = CASES) -> subprocess.Popen[str]:
    command = ["run", "--cluster", address, *selection, *QUICK, "--run-file", str(file), "--limit", "1", *options]
    return started(*command)


def started(*command: str, within: Sequence[str] = (), env: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
    """The program; `within` are words before its command, which run it, and `env` further variables."""
    return subprocess.Popen(
        [*within, sys.executable, "-m", "autoperf", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **(env or {})},
    )


def finished(run: subprocess.Popen[str], code: int = 0) -> str:
    """What the run told on standard error; it must end with this code."""
    _, errors = run.communicate(timeout=RUN_SECONDS)
    assert run.returncode == code, errors
    return errors


def wait_for_words(run: subprocess.Popen[str], words: str) -> None:
    """Waits until a line of the run's notices has these words."""
    assert run.stderr
    while words not in (line := run.stderr.readline()):
        assert line, run.wait()


def wait_for_outcomes(file: Path, count: int, run: subprocess.Popen[str]) -> None:
    """Waits until so many outcomes are in the file."""
    deadline = time.monotonic() + RUN_SECONDS
    while time.monotonic() < deadline:
        if file.exists() and sum(b'"type":"outcome"' in line for line in file.read_bytes().splitlines()) >= count:
            return
        assert run.poll() is None, run.communicate()[1]
        time.sleep(0.02)
    raise AssertionError(f"{count} outcomes didn't come")


def measured_on(file: Path) -> set[str]:
    """The hosts that have measured outcomes of the file, which may grow."""
    return {machine.environment.machine for machine in read_run(file).machines}


def wait_for_machines(file: Path, names: set[str], run: subprocess.Popen[str]) -> None:
    """Waits until each of these hosts has measured something."""
    deadline = time.monotonic() + RUN_SECONDS
    while not (file.exists() and names <= measured_on(file)):
        assert run.poll() is None, run.communicate()[1]
        assert time.monotonic() < deadline, f"{names} haven't measured"
        time.sleep(0.2)


def outcomes(file: Path) -> list[Outcome]:
    """The outcomes of a complete run file, each case once, each with a machine that the file has."""
    stored = read_run(file)
    assert stored.end is not None
    assert stored.end.complete
    lines = [json.loads(line) for line in file.read_bytes().splitlines()]
    written = [line["case"] for line in lines if line.get("type") == "outcome"]
    assert len(written) == len(set(written)), "a case has two outcomes"
    with RunReader(file) as run:
        assert run.notices == ()
        assert all(run.machine(outcome).id == outcome.machine for outcome in run if outcome.machine)
    return list(stored.outcomes)


class Relay:
    """A connection to the scheduler that can be cut."""

    def __init__(self, port: int) -> None:
        self._to = port
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.address = f"tcp://127.0.0.1:{self._listening.getsockname()[1]}"
        self._open: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = self._listening.accept()
                far = socket.create_connection(("127.0.0.1", self._to))
                self._open += [near, far]
                for pair in ((near, far), (far, near)):
                    threading.Thread(target=self._copy, args=pair, daemon=True).start()

    def _copy(self, source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(2**16):
                target.sendall(data)
        self._end(source, target)

    def cut(self) -> None:
        """Ends all connections, and lets no new one through."""
        self._end(self._listening, *self._open)

    def _end(self, *sockets: socket.socket) -> None:
        for each in sockets:
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()


@contextlib.contextmanager
def cluster(folder: Path, workers: int, **options: str) -> Iterator[Cluster]:
    with Cluster(folder, **options) as made:
        for _ in range(workers):
            made.worker()
        made.wait_for_workers(workers)
        yield made
