"""A Python module in a process of its own, which may crash, hang or send nonsense without harm to its parent."""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Generic, TypeVar

import msgspec

from autoperf.capi.linux import die_with_parent
from autoperf.core.child_environment import child_environment
from autoperf.processes.channel import Channel, ChannelClosed, ChannelError, ChannelMismatched, ChannelSilent
from autoperf.processes.exit_status import TAIL_BYTES, ExitStatus, log_tail, with_tail
from autoperf.processes.failures import start_error

Request = TypeVar("Request")
Answer = TypeVar("Answer")

END_PATIENCE = 2.0
"""The seconds that a process may take to end once it has closed its pipe."""
INVALID_ANSWER = "the process wrote garbage in place of an answer"
MISMATCH = "the process answered another request"


class ChildProcess(Generic[Request, Answer]):
    """A module in a process group and a session of its own, which Ctrl-C doesn't reach, and a channel to it.

    Messages go over pipes of their own. What the process prints goes to an unnamed file in `folder`, or else where
    temporary files are, and its tail is read. With `may_fork` the end of the process itself closes the channel, even
    if its forks hold the pipes open. Raises ProcessError if it can't be started.
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
    ) -> None:
        with contextlib.ExitStack() as undo:
            try:
                self._log = undo.enter_context(_log_file(folder))
                to_child, ours_to_child = _pipe(undo)
                ours_from_child, from_child = _pipe(undo)
                self._process = subprocess.Popen(
                    [sys.executable, "-m", module, str(to_child), str(from_child), *arguments],
                    stdin=subprocess.DEVNULL,
                    stdout=self._log,
                    stderr=subprocess.STDOUT,
                    pass_fds=(to_child, from_child),
                    start_new_session=True,
                    env=child_environment(env),
                )
            except OSError as error:
                raise start_error(f"the {_label(module)} process", error) from error
            undo.pop_all()
        os.close(to_child)
        os.close(from_child)
        # A request that is larger than a pipe must not wait for ever for a process that has stopped.
        os.set_blocking(ours_to_child, False)
        ended = self._has_ended if may_fork else None
        self.channel: Channel[Request, Answer] = Channel(ours_from_child, ours_to_child, decoder, ended)

    @property
    def pid(self) -> int:
        """The id of the process."""
        return self._process.pid

    def clear_log(self) -> None:
        """Empties the log: what comes from here on belongs to the next case."""
        os.ftruncate(self._log.fileno(), 0)

    def tail(self) -> str:
        """What the process has printed last since `clear_log`, in one sentence; empty if nothing."""
        size = os.fstat(self._log.fileno()).st_size
        return log_tail(os.pread(self._log.fileno(), TAIL_BYTES, max(0, size - TAIL_BYTES)).decode(errors="replace"))

    def ended(self, patience: float) -> int | None:
        """The exit code (negative: the signal) once the process has ended, or None if it lives on after `patience`."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(patience)
        return self._process.returncode

    def exit_status(self, patience: float) -> ExitStatus:
        """How the process ended, waiting for that so many seconds."""
        code = self.ended(patience)
        return ExitStatus(code, self.tail())

    def no_answer(self, error: ChannelError, limit: float) -> str:
        """Why there is no answer within `limit` seconds: a timeout, the end of the process, or an invalid message."""
        if isinstance(error, ChannelSilent):
            return with_tail(f"no answer within the limit of {limit:g} s", self.tail())
        if isinstance(error, ChannelClosed):
            return self.exit_status(END_PATIENCE).told("the process ended without an answer ({})")
        mismatched = isinstance(error, ChannelMismatched)
        text = MISMATCH if mismatched else INVALID_ANSWER
        return with_tail(text, self.tail())

    def kill(self) -> None:
        """Ends the process and whatever it has forked; a second time does nothing."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        if not self._log.closed:
            self.channel.close()
            self._log.close()

    def _has_ended(self) -> bool:
        return self._process.poll() is not None


def parent_channel(
    arguments: Sequence[str], decoder: msgspec.msgpack.Decoder[tuple[int, Request]]
) -> Channel[Answer, Request]:
    """The other end, in a process that was started with these arguments, and that ends with its parent."""
    die_with_parent()
    reading, writing = int(arguments[0]), int(arguments[1])
    for descriptor in (reading, writing):
        # A program that this one starts must not keep the pipes open.
        os.set_inheritable(descriptor, False)
    return Channel(reading, writing, decoder)


def _label(module: str) -> str:
    """What messages call a module's process: worker, trial, registry service."""
    return module.removeprefix("autoperf.").removeprefix("executor.").replace(".", " ").replace("_", " ")


def _log_file(folder: Path | None) -> IO[bytes]:
    """A file without a name, in the folder of temporary files if in no other, to which every writer appends."""
    file = tempfile.TemporaryFile(buffering=0, dir=folder)  # noqa: SIM115 - as long as the process lives
    flags = fcntl.fcntl(file, fcntl.F_GETFL)
    fcntl.fcntl(file, fcntl.F_SETFL, flags | os.O_APPEND)
    return file


def _pipe(undo: contextlib.ExitStack) -> tuple[int, int]:
    ends = os.pipe()
    for descriptor in ends:
        undo.callback(os.close, descriptor)
    return ends
