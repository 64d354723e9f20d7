"""Runs a Python module in a child process, isolated from crashes, hangs and invalid messages."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Generic, TypeVar

import msgspec
import psutil

from autoperf.core.errors import ProcessError
from autoperf.core.files import child_environment
from autoperf.processes.channel import Channel, ChannelClosed, ChannelError
from autoperf.processes.failures import TAIL_BYTES, ExitStatus, log_tail, no_answer, start_error

Request = TypeVar("Request")
Answer = TypeVar("Answer")

END_PATIENCE = 2.0
"""The seconds that a process may take to end once it has closed its pipe."""


class ChildProcess(Generic[Request, Answer]):
    """A module that runs in a new session and process group (Ctrl-C doesn't reach it), and a channel to it.

    Messages go over two dedicated pipes. Standard output and error go to an unnamed file in `folder` (default: the
    folder of temporary files), of which the tail is read. With `may_fork` the end of the process itself closes the
    channel, even if its forks hold the pipes open. `interpreter` is the Python that runs it (default: this one), by
    the program and the arguments that stand `before` it. With `starts_numpy` NumPy is imported before the module.
    Raises ProcessError if it can't be started.
    """

    def __init__(
        self,
        module: str,
        arguments: Sequence[str],
        decoder: msgspec.msgpack.Decoder[tuple[int, Answer]],
        env: Mapping[str, str],
        folder: Path | None = None,
        *,
        may_fork: bool = False,
        interpreter: Path | None = None,
        before: Sequence[str] = (),
        starts_numpy: bool = True,
    ) -> None:
        python = (*before, str(interpreter or sys.executable), "-m")
        started = ["autoperf.processes.start"] if starts_numpy else []
        with contextlib.ExitStack() as undo:
            try:
                self._log = undo.enter_context(_log_file(folder))
                to_child, ours_to_child = _pipe(undo)
                ours_from_child, from_child = _pipe(undo)
                self._process = subprocess.Popen(
                    [*python, *started, module, str(to_child), str(from_child), *arguments],
                    stdin=subprocess.DEVNULL,
                    stdout=self._log,
                    stderr=subprocess.STDOUT,
                    pass_fds=(to_child, from_child),
                    start_new_session=True,
                    env=child_environment(env),
                )
            except OSError as error:
                # Such as worker, trial or registry service.
                label = re.sub(r"[._]", " ", re.sub(r"^autoperf\.((measurement|cases|backends)\.)?", "", module))
                raise start_error(f"the {label} process", error) from error
            undo.pop_all()
        os.close(to_child)
        os.close(from_child)
        # A request that is larger than the pipe must not block for ever if the process has stopped.
        os.set_blocking(ours_to_child, False)
        ended = (lambda: self._process.poll() is not None) if may_fork else None
        self.channel: Channel[Request, Answer] = Channel(ours_from_child, ours_to_child, decoder, ended)

    @property
    def pid(self) -> int:
        """The id of the process."""
        return self._process.pid

    def clear_log(self) -> None:
        """Empties the log, so that `tail` returns the output of the next request only."""
        os.ftruncate(self._log.fileno(), 0)

    def tail(self) -> str:
        """The last message in the log since `clear_log`, as one sentence; empty if there is none."""
        return log_tail(self.log())

    def log(self) -> str:
        """The end of the log since `clear_log`."""
        size = os.fstat(self._log.fileno()).st_size
        return os.pread(self._log.fileno(), TAIL_BYTES, max(0, size - TAIL_BYTES)).decode(errors="replace")

    def exit_code(self, patience: float) -> int | None:
        """The exit code (negative: the signal), or None if the process still runs after `patience` seconds."""
        with contextlib.suppress(psutil.Error):
            # The first thread has ended; Linux gives the code when the last one has.
            if psutil.Process(self.pid).status() == psutil.STATUS_ZOMBIE:
                patience = max(patience, END_PATIENCE)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(patience)
        return self._process.returncode

    def exit_status(self, patience: float) -> ExitStatus:
        """The exit status of the process; waits up to `patience` seconds for its end."""
        return ExitStatus(self.exit_code(patience), self.tail())

    def no_answer(self, error: ChannelError, limit: float) -> str:
        """Why there is no answer within `limit` seconds."""
        patience = END_PATIENCE if isinstance(error, ChannelClosed) else 0.0
        return no_answer(error, limit, self.exit_status(patience))

    def kill(self) -> None:
        """Kills the process group and closes the channel and the log; a second call does nothing."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        if not self._log.closed:
            self.channel.close()
            self._log.close()


def _log_file(folder: Path | None) -> IO[bytes]:
    file = tempfile.TemporaryFile(buffering=0, dir=folder)  # noqa: SIM115 - as long as the process lives
    fcntl.fcntl(file, fcntl.F_SETFL, fcntl.fcntl(file, fcntl.F_GETFL) | os.O_APPEND)
    return file


def _pipe(undo: contextlib.ExitStack) -> tuple[int, int]:
    ends = os.pipe()
    for descriptor in ends:
        undo.callback(os.close, descriptor)
    return ends


PATIENCE = 60.0


def output_of(interpreter: Path, code: str, arguments: Sequence[str]) -> bytes:
    """The standard output of the code. Raises ProcessError if it can't be run, or fails."""
    return program_output([str(interpreter), "-c", code, *arguments])


def program_output(command: Sequence[str]) -> bytes:
    """The standard output of a program. Raises ProcessError if it can't be run, or fails."""
    try:
        done = subprocess.run(
            command, capture_output=True, check=False, timeout=PATIENCE, stdin=subprocess.DEVNULL,
            env=child_environment({}),
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        raise ProcessError(f"no answer within {PATIENCE:g} s") from error
    except OSError as error:
        raise ProcessError(str(error)) from error
    if done.returncode != 0:
        lines = done.stderr.decode(errors="replace").split("\n")
        raise ProcessError(next((line for line in reversed(lines) if line.strip()), f"exit code {done.returncode}"))
    return done.stdout
