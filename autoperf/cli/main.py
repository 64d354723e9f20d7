"""The entry point: imports a command when it is called, and turns each error into one line and an exit code."""

from __future__ import annotations

import contextlib
import errno
import importlib
import io
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import click

from autoperf import __version__
from autoperf.core.errors import AutoperfError, Exit, UnknownNameError, of_signal
from autoperf.core.interrupts import Interrupt, interrupts_resent
from autoperf.core.releases import check_python
from autoperf.core.texts import message_text
from autoperf.front import streams
from autoperf.processes.failures import address_space_note, check_address_space

REMEDIES = {
    errno.EMFILE: "raise the limit of open files (`ulimit -n`)",
    errno.ENFILE: "the system has too many open files: close other programs",
    errno.EAGAIN: "no process can be started: end other programs, or raise the limit of processes (`ulimit -u`)",
    errno.ENOMEM: "free some memory, or raise the limit (`ulimit -v`)",
    errno.ENOSPC: "the disk is full: free some space, or set TMPDIR and AUTOPERF_CACHE to other folders",
    errno.EDQUOT: "your quota is used up: free some space, or set TMPDIR and AUTOPERF_CACHE to other folders",
    errno.EROFS: "set TMPDIR and AUTOPERF_CACHE to other folders",
    errno.EIO: "check the disk; the terminal may have been closed",
}
SCRATCH = "the scratch folder was removed while it was in use: start again, or set TMPDIR to another folder"
COMMANDS = {
    "discover": "List operators: which rule covers each, or why none does.",
    "generate": "Write one readable benchmark file per operator.",
    "capture": "Write a network's operator calls to a file of cases.",
    "run": "Measure operators: forward, backward, memory.",
    "report": "Show a run file in any format.",
    "compare": "Compare two runs case by case: faster, slower, same, undecided.",
    "gate": "Let a change pass, or not: measure, compare, confirm, report.",
    "upgrade": "Show what a network gains, and what breaks, on another release or framework.",
    "history": "Keep runs over time, and find the night in which an operator changed.",
    "hunt": "Search for inputs on which an operator is unexpectedly slow.",
    "worker": "Measure on this machine for the runs of a Dask cluster.",
    "releases": "Install and list releases of MXNet, side by side.",
    "frameworks": "Install and list other frameworks, to compare MXNet with.",
    "doctor": "Check this machine for causes of wrong measurements.",
}


class _LazyGroup(click.Group):
    """A group that imports only the command that runs, so that `--help` is fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command = getattr(importlib.import_module(f"autoperf.cli.{cmd_name}"), cmd_name)
        return command if isinstance(command, click.Command) else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if not (args[0].startswith("-") or args[0] in COMMANDS or ctx.resilient_parsing):
            raise UnknownNameError("command", args[0], COMMANDS)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="autoperf")
def autoperf() -> None:
    """Operator benchmarks for Apache MXNet, generated from its own registry."""


def run(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line. Returns the exit code: 0 fine, 1 a finding, 2 the user's mistake, 130 Ctrl-C.

    SIGTERM and SIGHUP end it as Ctrl-C does, with 143 and 129.
    """
    return _guarded(lambda: autoperf.main(arguments, prog_name="autoperf", standalone_mode=False))


def run_file(path: str, arguments: Sequence[str] | None = None) -> int:
    """Measures a rendered file with the options in `arguments`. Returns the exit code."""

    def call() -> object:
        command = importlib.import_module("autoperf.cli.run").file
        return command.main(arguments, prog_name=f"python {path}", standalone_mode=False, obj=path)

    return _guarded(call)


def _guarded(call: Callable[[], object]) -> int:
    interrupt = Interrupt()
    try:
        with interrupts_resent((signal.SIGINT, signal.SIGTERM, signal.SIGHUP)) as interrupt:
            code = _exit_code(call, interrupt)
    except KeyboardInterrupt:
        # It came while an error was told, or at the very end.
        code = Exit.INTERRUPTED
    return of_signal(interrupt.number) if code == Exit.INTERRUPTED else code


def _exit_code(call: Callable[[], object], interrupt: Interrupt) -> int:
    try:
        check_python(sys.version_info[:2])
        check_address_space()
        streams.open_standard_streams()
        streams.replace_unencodable()
        result = call()
    except (click.exceptions.Abort, KeyboardInterrupt):
        return _report_error("interrupted", Exit.INTERRUPTED)
    except click.ClickException as error:
        shown = io.StringIO()
        error.show(shown)
        _write_error(shown.getvalue())
        return error.exit_code
    except AutoperfError as error:
        return _report_error(str(error), error.exit_code)
    except MemoryError:
        return _report_error(f"there is not enough memory{address_space_note()}", Exit.USER_MISTAKE)
    except (SystemExit, OSError, RuntimeError, ImportError) as error:
        return _system_error(error, is_interrupted=interrupt.number is not None)
    return result if isinstance(result, int) else Exit.FINE


def _system_error(error: SystemExit | OSError | RuntimeError | ImportError, *, is_interrupted: bool) -> int:
    """The exit code for an operating system error; a closed pipe on stdout (`| head`) is not an error."""
    if isinstance(error, RuntimeError | ImportError):
        # NumPy's extension modules replace an exception that interrupts their import; Python up to 3.11 wraps one that
        # interrupts the definition of a class, as while modules are imported.
        is_replaced = isinstance(error, ImportError) and is_interrupted
        if is_replaced or isinstance(error.__cause__, KeyboardInterrupt):
            return _report_error("interrupted", Exit.INTERRUPTED)
        raise error
    is_closed_pipe = streams.is_closed_pipe(error)
    if isinstance(error, SystemExit) and not is_closed_pipe:
        raise error
    streams.silence_stdout()
    if isinstance(error, SystemExit) or is_closed_pipe:
        return Exit.FINE
    return _report_error(describe_os_error(error), Exit.USER_MISTAKE)


def _report_error(message: str, code: int) -> int:
    _write_error(f"autoperf: {message}", ours=True)
    return code


def _write_error(text: str, *, ours: bool = False) -> None:
    """Writes to standard error; lines of our own break between words there, click breaks its own."""
    if sys.stderr is not None:
        with contextlib.suppress(OSError):
            shown = message_text(text)
            sys.stderr.write(f"{streams.wrapped(shown, sys.stderr)}\n" if ours else shown)
            sys.stderr.flush()


def describe_os_error(error: OSError) -> str:
    """The path, the system's message, and the remedy: `a.txt: Too many open files; raise the limit ...`."""
    path = os.fsdecode(error.filename) if isinstance(error.filename, str | bytes) else ""
    message = error.strerror or str(error) or type(error).__name__
    remedy = REMEDIES.get(error.errno or 0, "")
    if error.errno == errno.ENOENT:
        parts, temporary = Path(path).parts, Path(tempfile.gettempdir()).parts
        is_scratch = parts[: len(temporary)] == temporary and any(part.startswith("autoperf-") for part in parts)
        remedy = SCRATCH if is_scratch else ""
    return f"{path}: {message}"[0 if path else 2 :] + (f"; {remedy}" if remedy else "")
