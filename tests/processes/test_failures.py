"""Errors of the system are told by the limit that was met, a child's end by its name and the tail of its log."""

from __future__ import annotations

import errno
import os
import re
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from autoperf.processes.channel import ChannelSilent
from autoperf.processes.failures import MAX_TAIL, ExitStatus, log_tail, no_answer, start_error


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.EMFILE, "too many files are open in this process"),
        (errno.ENFILE, "too many files are open on this machine"),
        (errno.EAGAIN, "no more processes are allowed"),
        (errno.ENOMEM, "there is not enough memory"),
        (errno.ENOSPC, "the disk of temporary files is full"),
        (errno.EACCES, "Permission denied"),
    ],
)
def test_a_limit_has_a_name(number: int, words: str) -> None:
    error = start_error("the worker process", OSError(number, os.strerror(number)))
    assert str(error).startswith(f"can't start the worker process: {words}")
    assert error.exit_code == 2


@pytest.mark.parametrize(
    ("command", "megabytes"), [("run", 60), ("run", 100), ("run", 300), ("run", 390), ("discover", 100)]
)
def test_little_address_space_is_one_error(command: str, megabytes: int) -> None:
    """Python itself starts in 60 MB; NumPy doesn't in 100, nor autoperf with SciPy in 300."""
    script = f"ulimit -v {megabytes}000; exec {sys.executable} -m autoperf {command} --operator exp"
    env = {**os.environ, "AUTOPERF_CACHE": os.devnull}
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=False, env=env, timeout=600)
    assert done.returncode == 2
    errors = [line for line in done.stderr.splitlines() if not line.startswith("this machine is busy")]
    assert len(errors) == 1
    assert "limit of address space" in errors[0]


@pytest.mark.parametrize("megabytes", [500, pytest.param(700, marks=pytest.mark.nightly)])
def test_address_space_that_suffices_to_start_but_not_to_run_is_told(megabytes: int, tmp_path: Path) -> None:
    """In 500 MB MXNet can be loaded, but no case can run; from about 700 on small ones can."""
    words = f"run --operator exp --input-profile small --processes 1 --run-file {tmp_path}/run.ndjson"
    script = f"ulimit -v {megabytes}000; exec {sys.executable} -m autoperf {words}"
    env = {**os.environ, "AUTOPERF_CACHE": str(tmp_path / "cache")}
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=False, env=env, timeout=600)
    told = " ".join((done.stdout + done.stderr).split())
    limit = megabytes * 1000 >> 10
    assert "Traceback" not in told
    assert done.returncode != 0 or megabytes > 500
    assert (
        done.returncode == 0
        or f"the limit of address space is {limit} MiB, but MXNet needs 2048 MiB; raise it (`ulimit -v`)" in told
    )


def test_a_timeout_names_the_address_space_that_is_too_little() -> None:
    """MXNet may wait for ever for a thread that couldn't be made, instead of ending."""
    assert no_answer(ChannelSilent(), 60, ExitStatus(None)) == "no answer within the limit of 60 s"
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (1 << 30, hard))
    try:
        told = no_answer(ChannelSilent(), 60, ExitStatus(None))
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
    assert told.endswith("; the limit of address space is 1024 MiB, but MXNet needs 2048 MiB; raise it (`ulimit -v`)")


@pytest.mark.parametrize("files", [10, 16, 20])
def test_few_open_files_are_one_error(files: int, tmp_path: Path) -> None:
    script = f"ulimit -n {files}; exec {sys.executable} -m autoperf run --operator exp --run-file {tmp_path}/run.ndjson"
    env = {**os.environ, "AUTOPERF_CACHE": os.devnull}
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=False, env=env, timeout=600)
    assert done.returncode == 2
    assert re.search(r"autoperf: can't start the [a-z ]+ process: too many files are open", done.stderr)
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (-signal.SIGSEGV, "SIGSEGV"),
        (-signal.SIGABRT, "SIGABRT"),
        (-signal.SIGKILL, "SIGKILL, as Linux sends it when memory runs out"),
        (-123, "signal 123"),
        (255, "exit status 255"),
        (0, "exit status 0"),
        (None, "it stopped answering"),
    ],
)
def test_ends_have_names(code: int | None, words: str) -> None:
    assert ExitStatus(code).name == words


def test_the_end_comes_with_the_tail_of_the_log() -> None:
    assert ExitStatus(-int(signal.SIGSEGV)).describe("it died: {}") == "it died: SIGSEGV"
    assert ExitStatus(3, "no such file").describe("it died: {}") == "it died: exit status 3: no such file"


def test_a_signal_that_mxnet_has_caught_is_named_once() -> None:
    assert ExitStatus(255, "Segmentation fault: 11").describe("it ended ({})") == "it ended (SIGSEGV)"
    assert ExitStatus(1, "Segmentation fault: 11").describe("{}") == "exit status 1: Segmentation fault: 11"
    assert ExitStatus(255, "no fault: 11").describe("it ended ({})") == "it ended (exit status 255): no fault: 11"


@pytest.mark.parametrize(("status", "code"), [(0, 0), (7 << 8, 7), (signal.SIGKILL, -9), (signal.SIGABRT | 128, -6)])
def test_a_wait_status_is_an_exit_code(status: int, code: int) -> None:
    assert ExitStatus.of_wait(status).code == code
    assert ExitStatus.of_wait(status).killed == (code == -signal.SIGKILL)


@pytest.mark.parametrize(
    ("log", "words"),
    [
        ("", ""),
        ("\n  \n", ""),
        ("noise\n\nSegmentation fault: 11\n\nStack trace:\n  [bt] (0) lib.so(+0x1) [0x2]\n", "Segmentation fault: 11"),
        ("one\ntwo\n", "two"),
        (
            "terminate called after throwing an instance of 'std::bad_alloc'\n  what():  std::bad_alloc\n",
            "what(): std::bad_alloc",
        ),
    ],
)
def test_the_tail_of_a_log(log: str, words: str) -> None:
    assert log_tail(log) == words


def test_the_tail_is_short() -> None:
    assert len(log_tail("word " * 1000)) <= MAX_TAIL
