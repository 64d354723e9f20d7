"""Calls of autoperf for `fuzz.py`: in a fork or in a process of its own, within a time limit."""

from __future__ import annotations

import contextlib
import importlib
import os
import pkgutil
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

import autoperf

TIME_LIMIT = 120.0
"""Seconds after which a call counts as hung."""
CODES = frozenset({0, 1, 2, 3})


@dataclass(frozen=True)
class CallResult:
    """How one call of autoperf ended; the code is None where it hung."""

    code: int | None
    output: str


def problems_of(result: CallResult) -> list[str]:
    """Problems in how a call ended: a hang, a traceback, an undocumented exit code."""
    if result.code is None:
        return [f"it hung: {result.output[-300:]}"]
    problems = []
    if "Traceback (most recent call last)" in result.output:
        problems.append(f"a traceback: {result.output.strip().splitlines()[-1]}")
    if result.code not in CODES:
        problems.append(f"exit code {result.code}: {result.output[-300:]}")
    if result.code == 2 and "autoperf: " not in result.output:
        problems.append(f"no reason is told: {result.output[-300:]}")
    return problems


def preload() -> None:
    """Imports all of autoperf that needs no other framework, so that forks need not."""
    for module in pkgutil.walk_packages(autoperf.__path__, "autoperf."):
        if not module.name.endswith("__main__"):
            with contextlib.suppress(ModuleNotFoundError):
                importlib.import_module(module.name)


def run_in_fork(words: Sequence[str], environment: Mapping[str, str], log: Path) -> CallResult:
    """One call of autoperf in a fork of this process, which has imported it: many are tried that only read a file."""
    child = os.fork()
    if child == 0:
        code = 70
        try:
            os.setsid()
            null, output = os.open(os.devnull, os.O_RDONLY), os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            for descriptor, standard in ((null, 0), (output, 1), (output, 2)):
                os.dup2(descriptor, standard)
            os.environ.update(environment)
            tempfile.tempdir = None
            sys.argv = ["autoperf", *words]
            code = run_main()
        finally:
            os._exit(code)
    return CallResult(*wait_for(child, log))


def run_main() -> int:
    """The exit code of autoperf's own `main`, with the traceback of an uncaught exception on stderr."""
    import traceback  # noqa: PLC0415

    from autoperf.cli.main import run  # noqa: PLC0415

    code = 0
    try:
        code = run()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # noqa: BLE001
        traceback.print_exc()
        code = 70
    sys.stdout.flush()
    sys.stderr.flush()
    return code


def wait_for(child: int, log: Path) -> tuple[int | None, str]:
    """The exit code of a child of ours, None if it had to be killed, and its output."""
    deadline = time.monotonic() + TIME_LIMIT
    done = False
    try:
        while time.monotonic() < deadline:
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                done = True
                return os.waitstatus_to_exitcode(status), log.read_text(errors="replace")
            time.sleep(0.005)
    finally:
        if not done:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
    return None, log.read_text(errors="replace")


def run_to_end(
    command: Sequence[str],
    environment: Mapping[str, str],
    log: Path,
    meanwhile: Callable[[subprocess.Popen[bytes]], object] = lambda _process: None,
) -> CallResult:
    """One call of autoperf in a process of its own, with all that it starts ended where it hangs."""
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
        )
        try:
            meanwhile(process)
            code: int | None = process.wait(TIME_LIMIT)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            for descendant in descendants(process.pid) if process.poll() is None else ():
                with contextlib.suppress(psutil.Error):
                    descendant.kill()
            process.kill()
            process.wait()
    return CallResult(code, log.read_text(errors="replace"))


def kill_descendant(
    command: Sequence[str], environment: Mapping[str, str], log: Path, draw: random.Random
) -> tuple[CallResult, str]:
    """Calls autoperf, and kills a process below it at a drawn moment; how it ended, and what was killed."""
    killed = "nothing: it had ended before"

    def kill(process: subprocess.Popen[bytes]) -> None:
        nonlocal killed
        time.sleep(draw.uniform(0.2, 3.0))
        deadline = time.monotonic() + 3
        while process.poll() is None and time.monotonic() < deadline:
            victims = descendants(process.pid)
            if victims:
                victim = draw.choice(victims)
                with contextlib.suppress(psutil.Error):
                    killed = " ".join(victim.cmdline()[1:4])
                    victim.kill()
                return
            time.sleep(0.01)

    result = run_to_end(command, environment, log, kill)
    return result, killed


def descendants(pid: int) -> list[psutil.Process]:
    """The descendants of a process, parents before children."""
    try:
        return psutil.Process(pid).children(recursive=True)
    except psutil.Error:
        return []
