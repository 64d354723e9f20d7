"""Children that print, crash, stop or can't be started: what is said is theirs, and nothing is left behind."""

from __future__ import annotations

import os
import resource
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import psutil
import pytest

from autoperf.core.errors import ProcessError
from autoperf.processes.channel import ChannelClosed, ChannelError, ChannelMismatched, ChannelSilent
from autoperf.processes.child_process import ChildProcess
from tests.processes.scripted_child import Start

PRINTING = """\
import os
os.write(1, b"printed before anything else\\n" * 3)
"""


def soon(seconds: float = 60.0) -> float:
    return time.monotonic() + seconds


def test_answers_come_to_their_requests(start: Start) -> None:
    child = start()
    assert [child.channel.ask(f"answer = {number} ** 2", soon()) for number in range(5)] == ["0", "1", "4", "9", "16"]


def test_what_is_printed_is_in_the_log_alone(start: Start) -> None:
    child = start()
    assert child.channel.ask("import os; os.write(1, b'out\\n'); os.write(2, b'err\\n'); answer = 1", soon()) == "1"
    assert child.tail() == "err"
    child.clear_log()
    assert child.tail() == ""
    child.channel.ask("os.write(1, b'after\\n')", soon())
    assert child.tail() == "after"


def test_a_library_that_prints_in_every_process_does_no_harm(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sitecustomize.py").write_text(PRINTING)
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{os.environ['PYTHONPATH']}")
    child = start()
    assert child.channel.ask("answer = 'clean'", soon()) == "clean"
    assert child.tail() == "printed before anything else"


def test_a_second_answer_is_no_answer_to_the_next_request(start: Start) -> None:
    child = start()
    assert child.channel.ask("channel.send('too many', number := 1); answer = 'right'", soon()) == "too many"
    with pytest.raises(ChannelMismatched):
        child.channel.ask("answer = 'other'", soon())


@pytest.mark.parametrize(
    ("request_", "told"),
    [
        ("import os; os._exit(7)", "it ended (exit status 7)"),
        ("import os; os.write(2, b'the cause\\n'); os._exit(1)", "it ended (exit status 1): the cause"),
        ("import os; os.abort()", "it ended (SIGABRT)"),
        ("import os; os.kill(os.getpid(), 9)", "it ended (SIGKILL, as Linux sends it when memory runs out)"),
        ("raise KeyError('x')", "it ended (exit status 1): 'x'"),
    ],
)
def test_an_end_has_one_account(start: Start, request_: str, told: str) -> None:
    child = start()
    with pytest.raises(ChannelClosed):
        child.channel.ask(request_, soon())
    assert child.exit_status(30).describe("it ended ({})") == told


def test_much_output_without_a_blank_has_a_tail_all_the_same(start: Start) -> None:
    child = start()
    with pytest.raises(ChannelClosed):
        child.channel.ask("import os; os.write(2, b'x' * 70_000); os.write(2, b'y' * 7_000_000); os._exit(1)", soon())
    assert child.exit_status(30).tail.endswith("yyy…")


def test_a_child_that_has_stopped_is_silent_whatever_it_is_sent(start: Start) -> None:
    child = start()
    child.channel.ask("", soon())
    os.kill(child.pid, signal.SIGSTOP)
    with pytest.raises(ChannelSilent):
        child.channel.ask("x" * 1_000_000, soon(0.05))


def test_what_a_child_starts_has_none_of_its_pipes(start: Start) -> None:
    program = f"{sys.executable!r}, '-c', 'import os; print(*os.listdir(\"/proc/self/fd\"))'"
    request = f"import subprocess; answer = subprocess.check_output([{program}], text=True, close_fds=False)"
    child = start()
    pipes = child.channel.ask("import sys; answer = ' '.join(sys.argv[1:3])", soon()).split()
    assert not {*pipes} & {*child.channel.ask(request, soon()).split()}


def test_a_fork_that_holds_the_pipes_does_not_hide_the_end_of_its_process(start: Start) -> None:
    child = start(may_fork=True)
    with pytest.raises(ChannelClosed) as caught:
        child.channel.ask("import os, time; os.fork() or time.sleep(600); os._exit(5)", soon())
    assert child.no_answer(caught.value, 60.0) == "the process ended without an answer (exit status 5)"


def test_what_a_process_wrote_before_its_end_is_read(start: Start) -> None:
    child = start(may_fork=True)
    number = child.channel.post("channel.send('the answer', 1); import os; os._exit(0)", soon())
    child.exit_status(60)
    assert child.channel.answer(number, soon()) == "the answer"


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        ("import time; time.sleep(600)", "no answer within the limit of 0.5 s: noise"),
        ("import os; os.abort()", "the process ended without an answer (SIGABRT): noise"),
        ("channel.send('a', 7)", "the process answered another request: noise"),
        (
            "import os; os.write(channel.writing, b'\\0\\0\\0\\1\\xc1')",
            "the process wrote garbage in place of an answer: noise",
        ),
    ],
)
def test_a_missing_answer_has_one_account(start: Start, request_: str, reason: str) -> None:
    child = start()
    child.channel.ask("print('noise')", soon())
    with pytest.raises(ChannelError) as caught:
        child.channel.ask(request_, soon(0.5 if "sleep" in request_ else 60.0))
    assert child.no_answer(caught.value, 0.5) == reason


def test_what_a_child_starts_ends_with_it(start: Start) -> None:
    child = start()
    pid = int(child.channel.ask("import subprocess; answer = subprocess.Popen(['sleep', '1000']).pid", soon()))
    assert runs(pid)
    child.kill()
    child.kill()
    while runs(pid):
        time.sleep(0.01)


def runs(pid: int) -> bool:
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def open_files() -> list[str]:
    return sorted(path.name for path in Path("/proc/self/fd").iterdir())


@contextmanager
def limited(what: int, soft: int) -> Iterator[None]:
    before = resource.getrlimit(what)
    resource.setrlimit(what, (soft, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(what, before)


@pytest.mark.parametrize("free", range(4))
def test_too_many_open_files_are_named_and_none_is_leaked(start: Start, free: int) -> None:
    """Whichever of the log and the pipes can't be had."""
    before = open_files()
    taken = [os.open(os.devnull, os.O_RDONLY) for _ in range(3)]
    lowest = os.dup(0)
    os.close(lowest)
    with (
        limited(resource.RLIMIT_NOFILE, lowest + free),
        pytest.raises(ProcessError, match=r"too many files are open in this process; raise the limit"),
    ):
        start()
    for descriptor in taken:
        os.close(descriptor)
    assert open_files() == before
    assert start().channel.ask("answer = 'again'", soon()) == "again"


def test_a_place_for_the_log_that_is_gone_is_named(start: Start, tmp_path: Path) -> None:
    with pytest.raises(ProcessError, match=r"can't start the scripted child process: No such file or directory .*gone"):
        ChildProcess[str, str]("scripted_child", [], msgspec.msgpack.Decoder(tuple[int, str]), {}, tmp_path / "gone")
