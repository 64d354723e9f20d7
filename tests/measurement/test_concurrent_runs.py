"""Runs at the same time know of each other; those that are dead leave nothing to know."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from autoperf.core.events import Event, Notice
from autoperf.core.paths import cache_folder
from autoperf.measurement.concurrent_runs import MAX_COMMAND_LENGTH, ConcurrentRuns, notify_machine_use, shared_machine

JOIN = """
import sys
from pathlib import Path
from autoperf.measurement.concurrent_runs import ConcurrentRuns
with ConcurrentRuns(Path(sys.argv[1]), ("autoperf", "run", sys.argv[2]), "2024-01-01T00:00:00+00:00") as known:
    print(*[one.command[-1] for one in known.earlier], flush=True)
    sys.stdin.readline()
    print(*[one.command[-1] for one in known.later], flush=True)
"""


class Run:
    """A process that is known in a folder until it is told to end."""

    def __init__(self, folder: Path, name: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", JOIN, str(folder), name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout
        self.earlier = self.process.stdout.readline().split()

    def end(self) -> list[str]:
        """Whom it has heard of when it ends."""
        told, _ = self.process.communicate("\n")
        assert self.process.returncode == 0
        return told.split()

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()


def test_the_newer_is_told_at_once_and_the_older_at_its_end(tmp_path: Path) -> None:
    first, second = Run(tmp_path, "first"), Run(tmp_path, "second")
    third = Run(tmp_path, "third")
    assert (first.earlier, second.earlier, sorted(third.earlier)) == ([], ["first"], ["first", "second"])
    assert third.end() == []
    assert second.end() == ["third"]
    assert first.end() == ["second", "third"]
    assert not list(tmp_path.iterdir())


def test_runs_one_after_the_other_don_t_know_each_other(tmp_path: Path) -> None:
    assert Run(tmp_path, "first").end() == []
    second = Run(tmp_path, "second")
    assert (second.earlier, second.end()) == ([], [])


def test_what_a_killed_run_left_is_no_neighbour(tmp_path: Path) -> None:
    dead = Run(tmp_path, "dead")
    dead.kill()
    assert len(list(tmp_path.iterdir())) == 1
    alive = Run(tmp_path, "alive")
    assert alive.earlier == []
    assert len(list(tmp_path.iterdir())) == 1
    assert alive.end() == []


def test_where_nothing_can_be_written_nobody_is_known(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with ConcurrentRuns(tmp_path / "file" / "running", ("autoperf",), "now") as known:
        assert (known.earlier, known.later) == ((), ())


def test_they_are_told_in_a_line_with_process_time_and_command(tmp_path: Path) -> None:
    with ConcurrentRuns(tmp_path, ("autoperf", "run", "--operator", "a b", "x" * 999), "2024-01-01") as known:
        text = known.current.describe()
        assert text.startswith(f"process {os.getpid()} since 2024-01-01: autoperf run --operator 'a b' xxx")
        assert len(text) < MAX_COMMAND_LENGTH + 50


class Notices:
    """The notices of a session."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def handle(self, event: Event) -> None:
        assert isinstance(event, Notice)
        self.texts.append(event.text)


def test_any_number_of_runs_is_one_notice_at_the_beginning_and_one_at_the_end(own_cache: None) -> None:
    notices, folder = Notices(), cache_folder() / "running"
    earlier = [Run(folder, name) for name in ("a", "b", "c")]
    with shared_machine(("autoperf", "run"), notices) as others:
        notify_machine_use(others, notices)
        later = [Run(folder, name) for name in ("d", "e")]
    for run in (*earlier, *later):
        run.end()
    beginning, end = (text for text in notices.texts if "busy" not in text)
    assert beginning.startswith("another run is active on this machine")
    assert beginning.endswith(", and 2 more runs")
    assert end.startswith("another run started on this machine during this one")
    assert end.endswith("autoperf run d, and 1 more run")


@pytest.mark.parametrize("content", [b"", b"garbage\n", b'{"pid": 1', b'{"pid": "one"}\n'])
def test_a_file_that_says_nothing_is_no_neighbour(tmp_path: Path, content: bytes) -> None:
    run = Run(tmp_path, "strange")
    (path,) = tmp_path.iterdir()
    path.write_bytes(content)
    with ConcurrentRuns(tmp_path, ("autoperf",), "now") as known:
        assert known.earlier == ()
    run.end()
