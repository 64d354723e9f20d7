"""Every option has a help text, the shell completes names, and errors of the system are put in words."""

from __future__ import annotations

import errno
import importlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import click
import pytest
from click.shell_completion import ShellComplete

from autoperf.cli.command import COMMON, GROUPS, MIN_OPTIONS, group_options
from autoperf.cli.main import COMMANDS, autoperf, describe_os_error
from autoperf.comparison.compare import compare_files
from autoperf.comparison.comparison import ComparisonOptions
from autoperf.comparison.report import ComparisonReport
from autoperf.core.outcome import NOT_TIMED, Status
from autoperf.hunt.session import overrun_notices
from tests.forked_program import Program
from tests.reports.report_values import text_of
from tests.values import outcome, passed, steady, write_run

SCRIPTS = {"file": "run"}
"""The command behind `python FILE`, by its module."""


def commands_of(name: str) -> list[click.Command]:
    command = getattr(importlib.import_module(f"autoperf.cli.{SCRIPTS.get(name, name)}"), name)
    return list(command.commands.values()) if isinstance(command, click.Group) else [command]


@pytest.mark.parametrize("name", COMMANDS)
def test_help_imports_nothing_heavy(name: str) -> None:
    heavy = {"numpy", "scipy", "rich", "hypothesis", "jinja2", "dask", "distributed"}
    words = f"import sys; from autoperf.cli.main import run; run([{name!r}, '--help'])"
    code = f"{words}; print({heavy} & {{*sys.modules}})"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout.endswith("\nset()\n")


@pytest.mark.parametrize("name", [*COMMANDS, *SCRIPTS])
def test_every_option_has_a_help_text(name: str) -> None:
    commands = commands_of(name)
    assert all(each.help for each in commands)
    options = [option for each in commands for option in each.params if isinstance(option, click.Option)]
    assert options
    assert [option.opts[0] for option in options if not option.help] == []


@pytest.mark.parametrize("name", [*COMMANDS, *SCRIPTS])
def test_every_option_of_a_long_help_has_a_group(name: str) -> None:
    known = {flag for flags in GROUPS.values() for flag in flags}
    for command in commands_of(name):
        flags = {each.opts[0] for each in command.params if isinstance(each, click.Option)}
        groups = group_options(command.name, command.params)
        if len(flags) < MIN_OPTIONS:
            assert not groups
            continue
        assert flags <= known
        assert sorted(option.opts[0] for group in groups for option in group) == sorted(flags)


def test_groups_name_each_option_once_and_none_that_is_gone() -> None:
    named = [flag for flags in GROUPS.values() for flag in flags]
    commands = [command for name in (*COMMANDS, *SCRIPTS) for command in commands_of(name)]
    options = {option.opts[0] for command in commands for option in command.params}
    assert len(named) == len(set(named))
    assert set(named) <= options


@pytest.mark.parametrize("name", ["run", "compare", "hunt", "generate"])
def test_help_begins_with_the_ten_common_options(program: Program, name: str) -> None:
    text = program(name, "--help").stdout
    groups = {group.title: group for group in group_options(name, commands_of(name)[0].params)}
    assert next(iter(groups)) == COMMON
    assert len(groups[COMMON]) == 10
    assert titles(text) == [COMMON, "Other options"]
    assert f"\n  autoperf {name} " in text.partition(f"{COMMON}:")[0]
    assert len(text.splitlines()) < 60
    more = sum(not option.hidden for title in groups if title != COMMON for option in groups[title])
    assert f"Show the other {more} options too" in text
    everything = program(name, "--help-all").stdout
    assert titles(everything) == [*groups, "Other options"]
    assert everything.startswith(text.partition(f"{COMMON}:")[0])


def titles(text: str) -> list[str]:
    """The titles of the groups of options in a help."""
    return [line.removesuffix(":") for line in text.splitlines() if line.endswith(":") and not line.startswith(" ")]


def test_a_command_without_common_options_has_one_help(program: Program) -> None:
    assert "--help-all" not in program("report", "--help").stdout
    refused = program("report", "--help-all")
    assert (refused.returncode, refused.stdout) == (2, "")


SCRATCH = str(Path(tempfile.gettempdir()) / "autoperf-abc" / "suite.py")


@pytest.mark.parametrize(
    ("number", "place", "words"),
    [
        (errno.EMFILE, "", "Too many open files; raise the limit of open files (`ulimit -n`)"),
        (errno.EAGAIN, "", "Resource temporarily unavailable; no process can be started"),
        (errno.ENOSPC, "a.txt", "a.txt: No space left on device; the disk is full: free some space"),
        (errno.ENOENT, SCRATCH, f"{SCRATCH}: No such file or directory; the scratch folder was removed while"),
        (errno.ENOENT, "a.txt", "a.txt: No such file or directory"),
        (errno.EACCES, "a.txt", "a.txt: Permission denied"),
    ],
)
def test_an_error_of_the_system_is_told_with_its_cause(number: int, place: str, words: str) -> None:
    told = describe_os_error(OSError(number, os.strerror(number), place or None))
    assert told.startswith(words)
    assert "can't write the output" not in told
    assert ";" in told or number in (errno.ENOENT, errno.EACCES)


def test_an_error_without_words_is_told_by_its_name() -> None:
    assert describe_os_error(OSError()) == "OSError"


def test_a_hunt_beyond_its_budget_says_what_took_the_time() -> None:
    assert list(overrun_notices(10.0, 4.0, 21.0)) == [
        "the hunt took 21 s with a budget of 10 s: 4 s to start, 17 s to search and to confirm findings"
    ]
    assert list(overrun_notices(10.0, 3.0, 15.0)) == [
        "the hunt took 15 s with a budget of 10 s: 3 s to start, 12 s to search and to confirm findings"
    ]
    assert not list(overrun_notices(10.0, 1.0, 10.9))


def test_the_side_that_lacks_a_case_has_the_reason(tmp_path: Path) -> None:
    """Of two sides measured in turn the other is skipped too, which is no reason of its own."""
    measured = [outcome(n, passed(steady(10.0))) for n in range(3)]
    lacking = outcome(7, status=Status.SKIPPED, reason="MXNet 1.9.1 has no operator mish", operator="mish")
    idle = outcome(7, status=Status.SKIPPED, reason=f"{NOT_TIMED} has no such case", operator="mish")
    base = write_run(tmp_path / "base.ndjson", [*measured, lacking])
    new = write_run(tmp_path / "new.ndjson", [*measured, idle])
    found = compare_files(base, new, ComparisonOptions())
    (missing,) = found.unmatched
    assert (missing.missing, missing.reason) == ("base", "skipped: MXNet 1.9.1 has no operator mish")
    text = " ".join(text_of("comparison", "table", ComparisonReport(found), 120).split())
    assert "1 not measured in base (skipped: MXNet 1.9.1 has no operator mish): mish" in text
    assert "on both sides" not in text


def completed(*words: str) -> list[str]:
    """What is offered for the last word."""
    complete = ShellComplete(autoperf, {}, "autoperf", "_AUTOPERF_COMPLETE")
    return [item.value for item in complete.get_completions(list(words[:-1]), words[-1])]


@pytest.mark.parametrize("command", ["run", "discover", "compare", "hunt", "generate", "report"])
def test_operators_are_completed(command: str) -> None:
    assert {"softmax", "softmax_cross_entropy"} <= set(completed(command, "--operator", "soft"))


def test_the_last_name_of_a_list_is_completed() -> None:
    assert "exp,log_softmax" in completed("run", "--operator", "exp,log_s")


def test_categories_and_groups_are_completed() -> None:
    assert completed("run", "--category", "conv") == ["convolution", "conversion"]
    assert "nn_conv" in completed("report", "--category", "nn_")


def test_namespaces_are_completed() -> None:
    assert completed("run", "--namespace", "np") == ["np", "npx"]


def test_releases_are_completed() -> None:
    assert "1.9.1" in completed("run", "--mxnet", "1.")


def test_a_library_that_can_not_be_found_completes_nothing() -> None:
    assert completed("run", "--mxnet", "/no/such/library.so", "--operator", "soft") == []
