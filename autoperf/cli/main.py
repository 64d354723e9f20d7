"""The entry point: commands are imported when they are called, and every mistake becomes one line and an exit code."""

from __future__ import annotations

import contextlib
import importlib
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from autoperf import __version__
from autoperf.cli import streams
from autoperf.cli.causes import explained
from autoperf.core.control_characters import escape_controls
from autoperf.core.errors import AutoperfError
from autoperf.core.exits import Exit
from autoperf.core.versions import check_python
from autoperf.processes.failures import check_address_space

COMMANDS = {
    "discover": "Which operators are covered, by which rule, and which are not and why.",
    "generate": "Write one readable benchmark file for each operator.",
    "run": "Measure operators: forward, backward, memory.",
    "report": "Show a run file again, in any format.",
    "compare": "Judge two runs case by case: faster, slower, same, undecided.",
    "hunt": "Search for inputs on which an operator is slow without a reason.",
    "releases": "Install releases of MXNet side by side, and list them.",
    "doctor": "Check this machine for what makes figures wrong.",
}


class LazyGroup(click.Group):
    """Knows its commands by name, and imports only the one that runs, so that `--help` answers at once."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands in the order of use."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, imported."""
        if cmd_name not in COMMANDS:
            return None
        command = getattr(importlib.import_module(f"autoperf.cli.{cmd_name}"), cmd_name)
        return command if isinstance(command, click.Command) else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="autoperf")
def autoperf() -> None:
    """Operator benchmarks for Apache MXNet, generated from its own registry."""


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; its exit code: 0 done, 1 a finding, 2 the user's mistake, 130 interrupted."""
    return _guarded(lambda: autoperf.main(arguments, prog_name="autoperf", standalone_mode=False))


def run_file(path: str, arguments: Sequence[str] | None = None) -> int:
    """Measure a rendered file with the options in `arguments`; the exit code."""
    return _run_script("file", path, lambda: path, arguments)


def run_finding(path: str, claim: Mapping[str, Any], arguments: Sequence[str] | None = None) -> int:
    """Measure a finding again with the options in `arguments`; the exit code. `claim` is what its file claims."""

    def checked() -> object:
        return importlib.import_module("autoperf.pipeline.recheck").Claim(Path(path), **claim)

    return _run_script("recheck", path, checked, arguments)


def _run_script(name: str, path: str, subject: Callable[[], object], arguments: Sequence[str] | None) -> int:
    """Run a command that is none of `autoperf`, but what the Python file at this path does when it is run."""

    def call() -> object:
        command = getattr(importlib.import_module(f"autoperf.cli.{name}"), name)
        return command.main(arguments, prog_name=f"python {path}", standalone_mode=False, obj=subject())

    return _guarded(call)


def _guarded(call: Callable[[], object]) -> int:
    try:
        check_python(sys.version_info[:2])
        check_address_space()
        streams.open_standard_streams()
        streams.take_every_sign()
        if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGTERM, _interrupt)
        signal.signal(signal.SIGHUP, _interrupt)
        result = call()
    except (click.exceptions.Abort, KeyboardInterrupt):
        return _complain("interrupted", Exit.INTERRUPTED)
    except click.ClickException as error:
        error.show(sys.stderr)
        return error.exit_code
    except AutoperfError as error:
        return _complain(str(error), error.exit_code)
    except (SystemExit, OSError) as error:
        return _refused(error)
    return result if isinstance(result, int) else Exit.FINE


def _refused(error: SystemExit | OSError) -> int:
    """The exit code where the system refused something; a reader of our output that has gone (`| head`) is no error."""
    unread = streams.is_unread(error)
    if isinstance(error, SystemExit) and not unread:
        raise error
    streams.silence_stdout()
    return _complain(explained(error), Exit.USER_MISTAKE) if isinstance(error, OSError) and not unread else Exit.FINE


def _interrupt(_number: int, _frame: object) -> None:
    """SIGTERM and SIGHUP end a run as Ctrl-C does: what was measured is kept, and nothing is left behind."""
    raise KeyboardInterrupt


def _complain(message: str, code: int) -> int:
    if sys.stderr is not None:
        with contextlib.suppress(OSError):
            sys.stderr.write(f"autoperf: {escape_controls(message)}\n")
            sys.stderr.flush()
    return code
