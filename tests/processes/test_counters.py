"""Events of this process are counted in all of its threads. Page faults stand for instructions, which few machines that
run tests can count: both are read in the same way."""

from __future__ import annotations

import errno
import mmap
import os
import platform
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from autoperf.core.errors import CounterError, UsageError
from autoperf.processes import counters
from autoperf.processes.counters import (
    INSTRUCTIONS,
    Counter,
    Event,
    Unavailable,
    reason,
    require_counters,
    unavailable,
)

PAGE_FAULTS = Event("page-faults", 1, 2)
TASK_CLOCK = Event("task-clock", 1, 1)
NOTHING = Event("nothing", 0, 12345)
PAGES = 400


@pytest.fixture
def counter() -> Iterator[Counter]:
    opened = Counter(PAGE_FAULTS)
    yield opened
    opened.close()


def touch(pages: int = PAGES) -> None:
    """Faults so many times."""
    with mmap.mmap(-1, pages * mmap.PAGESIZE) as fresh:
        fresh.madvise(mmap.MADV_NOHUGEPAGE)
        for page in range(pages):
            fresh[page * mmap.PAGESIZE] = 1


def test_events_between_start_and_stop_are_counted(counter: Counter) -> None:
    touch()
    counter.start()
    assert counter.stop()[0] < PAGES / 4
    counter.start()
    touch()
    touch()
    (counted,) = counter.stop()
    assert 2 * PAGES <= counted < 2.5 * PAGES
    touch()
    counter.start()
    assert counter.stop()[0] < PAGES / 4


def test_several_events_are_counted_between_the_same_calls() -> None:
    both = Counter(PAGE_FAULTS, TASK_CLOCK)
    assert both.names == ("page-faults", "task-clock")
    both.start()
    touch()
    faults, nanoseconds = both.stop()
    both.close()
    assert PAGES <= faults < 1.5 * PAGES
    assert nanoseconds > 1000


def test_threads_that_ran_already_are_counted() -> None:
    go, done = threading.Event(), threading.Event()

    def work() -> None:
        go.wait()
        touch()
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    counter = Counter(PAGE_FAULTS)
    counter.start()
    go.set()
    done.wait()
    assert counter.stop()[0] >= PAGES
    thread.join()
    counter.close()


def test_threads_that_start_later_are_counted(counter: Counter) -> None:
    counter.start()
    thread = threading.Thread(target=touch)
    thread.start()
    thread.join()
    assert counter.stop()[0] >= PAGES


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_files_are_closed(counter: Counter) -> None:
    before = open_files()
    other = Counter(PAGE_FAULTS)
    assert open_files() > before
    other.close()
    other.close()
    assert open_files() == before
    assert unavailable(PAGE_FAULTS) is None
    assert open_files() == before


def test_a_thread_that_has_ended_is_left_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for task in (os.getpid(), 2**22 + 1):
        (tmp_path / str(task)).mkdir()
    monkeypatch.setattr(counters, "TASKS", tmp_path)
    counter = Counter(PAGE_FAULTS)
    counter.start()
    touch()
    assert counter.stop()[0] >= PAGES
    counter.close()


def test_a_counter_that_another_program_has_taken_is_an_error(counter: Counter) -> None:
    counter._files[PAGE_FAULTS].append(os.open(os.devnull, os.O_RDONLY))
    with pytest.raises(CounterError, match=r"page-faults were not counted all the time.*end other profilers"):
        counter.start()


def test_an_event_that_the_processor_does_not_have_is_an_error() -> None:
    assert isinstance(unavailable(NOTHING), Unavailable)
    with pytest.raises(CounterError, match="nothing"):
        Counter(NOTHING)


@pytest.mark.parametrize("code", [errno.ENOENT, errno.ENODEV, errno.EOPNOTSUPP])
def test_no_counter_has_no_remedy(code: int) -> None:
    expected = "the processor has no counter of instructions, as in most virtual machines"
    assert reason(INSTRUCTIONS, code) == Unavailable(expected)
    assert str(reason(INSTRUCTIONS, code)) == expected


@pytest.mark.parametrize("code", [errno.EACCES, errno.EPERM])
def test_what_is_not_permitted_has_a_remedy(code: int, tmp_path: Path) -> None:
    (tmp_path / "paranoid").write_text("4\n")
    found = reason(INSTRUCTIONS, code, tmp_path / "paranoid")
    assert f"({tmp_path / 'paranoid'} is 4)" in found.finding
    assert "sysctl kernel.perf_event_paranoid=2" in found.advice
    assert "PERFMON" in str(found)
    assert "unreadable" in reason(INSTRUCTIONS, code, tmp_path / "none").finding


def test_other_errors_are_told() -> None:
    assert "no perf_event_open" in reason(INSTRUCTIONS, errno.ENOSYS).finding
    assert os.strerror(errno.EMFILE) in reason(INSTRUCTIONS, errno.EMFILE).finding


def test_a_processor_whose_system_calls_are_not_known_has_no_counters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "sparc64")
    assert unavailable(PAGE_FAULTS) == reason(PAGE_FAULTS, errno.ENOSYS)


def test_a_machine_without_counters_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counters, "EVENTS", {"instructions": PAGE_FAULTS, "cycles": NOTHING})
    require_counters(())
    require_counters(("instructions",))
    with pytest.raises(UsageError, match=r"--counters cycles can't be used: .*, or let valgrind count"):
        require_counters(("instructions", "cycles"))
