"""The program as a user calls it: each command line is a process of its own, forked from one that has imported it."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import autoperf
from tests import program_server
from tests.program_server import Call

ANSWER_BYTES = 64
WIDTH = "100"


class Program:
    """Command lines; `requests` is the socket of the process that forks for them."""

    def __init__(self, requests: socket.socket, readers: Executor) -> None:
        self._requests = requests
        self._readers = readers

    def __call__(
        self,
        *arguments: str,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        stdout: int | None = None,
    ) -> subprocess.CompletedProcess[str]:
        """Runs a command line, in this folder or `cwd`. `env` adds variables; `stdout` is where the output goes."""
        environment = {**os.environ, "COLUMNS": WIDTH, **(env or {})}
        if any(name.startswith("PYTHON") for name in env or {}):
            # Python reads them when it starts.
            command = [sys.executable, "-m", "autoperf", *arguments]
            return subprocess.run(command, capture_output=True, text=True, check=False, env=environment, cwd=cwd)
        return self._forked(Call(arguments, environment, str(cwd or Path.cwd())), stdout)

    def _forked(self, call: Call, stdout: int | None) -> subprocess.CompletedProcess[str]:
        (output, to_output), (errors, to_errors) = os.pipe(), os.pipe()
        texts = [self._readers.submit(_read, end) for end in (output, errors)]
        socket.send_fds(self._requests, [call.message()], [to_output if stdout is None else stdout, to_errors])
        for end in (to_output, to_errors):
            os.close(end)
        code: int = json.loads(self._requests.recv(ANSWER_BYTES))
        return subprocess.CompletedProcess(call.arguments, code, *(text.result() for text in texts))


def _read(descriptor: int) -> str:
    with open(descriptor, encoding="utf-8") as stream:
        return stream.read()


def to_nobody(program: Program, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A command with a pipe for its output whose reader has gone, as in `| true`; there must be no traceback of it."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = program(*arguments, stdout=writing)
    finally:
        os.close(writing)
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr
    return done


def copied_package(folder: Path) -> Path:
    """A copy of the program's package in this folder, for a test that changes it."""
    package = Path(autoperf.__file__).parent
    return Path(shutil.copytree(package, folder / package.name))


@contextmanager
def forked_program(folder: Path | None = None) -> Iterator[Program]:
    """The program, or the copy of its package that is in `folder`, as long as the context lasts."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    command = [sys.executable, program_server.__file__, str(theirs.fileno())]
    place = {} if folder is None else {"PYTHONPATH": str(folder)}
    with (
        subprocess.Popen(command, pass_fds=[theirs.fileno()], env={**os.environ, **place}),
        ThreadPoolExecutor(2) as readers,
        ours,
    ):
        theirs.close()
        yield Program(ours, readers)
