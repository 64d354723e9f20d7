"""Fetches releases of MXNet and other frameworks with pip, in a child process that never outlives the program."""

from __future__ import annotations

import importlib.util
import signal
import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from autoperf.backends.releases import SUPPORTED
from autoperf.core.errors import LibraryError
from autoperf.core.paths import RELEASES_VARIABLE, child_environment
from autoperf.processes.forks import die_with_parent

_QUIET = ("--no-input", "--disable-pip-version-check", "--progress-bar", "off")
_PIP = ("install", "--no-deps", "--only-binary", ":all:", "--no-compile", *_QUIET)


def run_pip(version: str, content: Path, scratch: Path) -> None:
    """Runs pip in a child process; it unpacks below `scratch` too, so that its leftovers are removed with it."""
    if importlib.util.find_spec("pip") is None:
        raise LibraryError(
            f"{sys.executable} has no pip to install MXNet with; run `{sys.executable} -m ensurepip`, "
            f"or unpack a wheel of mxnet yourself and give its folder: --mxnet PATH"
        )
    command = [sys.executable, "-m", "pip", *_PIP, "--target", str(content), f"mxnet=={version}"]
    code, output = _run_to_end(command, child_environment({"TMPDIR": str(scratch)}))
    if code != 0:
        raise LibraryError(pip_problem(version, output.decode(errors="replace")))


def make_environment(folder: Path, requirements: Sequence[str], index: str) -> None:
    """Makes a virtual environment with these packages; `index` is a further package index, or empty.

    Raises LibraryError for errors of venv and pip, in their words.
    """
    python = folder / "bin" / "python"
    more = ("--extra-index-url", index, "--retries", "1") if index else ()
    for command in (
        [sys.executable, "-m", "venv", str(folder)],
        [str(python), "-m", "pip", "install", "--only-binary", ":all:", *_QUIET, *more, *requirements],
    ):
        code, output = _run_to_end(command, child_environment({}))
        if code != 0:
            lines = [line.strip() for line in output.decode(errors="replace").splitlines() if line.strip()]
            errors = [line for line in lines if line.startswith("ERROR:")] or lines or ["no output"]
            raise LibraryError(f"can't install {requirements[0]}: {errors[-1].removeprefix('ERROR:').strip()}")


def _run_to_end(command: list[str], environment: dict[str, str]) -> tuple[int, bytes]:
    """The exit code and the output of a command. It has ended when this returns or is interrupted.

    `subprocess.run` waits a quarter of a second for what it has killed when it is interrupted, and for nothing when it
    is interrupted while it starts: pip would write into a folder that is being removed.
    """
    interrupt = {signal.SIGINT}
    signal.pthread_sigmask(signal.SIG_BLOCK, interrupt)
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=environment,
            preexec_fn=partial(_prepare_child, interrupt),  # noqa: PLW1509 - autoperf forks from its only thread
        )
        try:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, interrupt)
            output, _ = process.communicate()
        finally:
            process.kill()
            process.wait()
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, interrupt)
    return process.returncode, output


def _prepare_child(interrupt: set[signal.Signals]) -> None:
    die_with_parent()
    signal.pthread_sigmask(signal.SIG_UNBLOCK, interrupt)


def pip_problem(version: str, output: str) -> str:
    """The last error in pip's output, and what to do."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line.removeprefix("ERROR:").strip() for line in lines if line.startswith("ERROR:")]
    last = errors[-1] if errors else lines[-1] if lines else "no output"
    if "No space left" in output:
        advice = f"free some space, or set {RELEASES_VARIABLE} to a folder elsewhere"
        return f"pip can't install MXNet {version}: the disk is full; {advice}"
    if "from versions: none" in output:
        return f"pip found no release of mxnet ({last}); check the network and pip's package index"
    hint = f"; known to work are {', '.join(SUPPORTED)}" if "No matching distribution" in output else ""
    return f"pip can't install MXNet {version}: {last}{hint}"
