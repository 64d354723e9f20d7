"""Ctrl-C at any moment of the first half second ends a command without a traceback of autoperf's."""

from __future__ import annotations

import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import autoperf
from autoperf.core.errors import Exit
from tools.stored_run import StoredRun, read_run

COMMANDS = (("discover",), ("--help",), ("doctor",), ("run", "--operator", "exp", "--run-file", "/no/where"))
WINDOW = 0.5
# The signal's handler runs within `__del__`, whose exceptions Python drops.
DROPPED = """
import os, signal

class Dropped:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
        for _ in range(1000):
            pass
"""
AFTERWARDS = """
import sys, time
from autoperf.core.interrupts import interrupts_resent

signal.signal(signal.SIGINT, signal.default_int_handler)
try:
    with interrupts_resent():
        Dropped()
        time.sleep(600)
except KeyboardInterrupt:
    print("interrupted")
print(sys.unraisablehook is sys.__unraisablehook__, signal.getsignal(signal.SIGALRM) == signal.SIG_DFL)
"""
AFTER_THE_FIRST_CASE = """
from autoperf.measurement.run_session import WorkCounter

counted = WorkCounter.counted
dropped = [Dropped()]

def dropping(counter, outcome, batch):
    dropped.clear()
    return counted(counter, outcome, batch)

WorkCounter.counted = dropping
signal.signal(signal.SIGINT, signal.default_int_handler)
"""
AFTER_THE_SECOND_LINE = """
import os, signal
from autoperf.runs.run_writer import RunWriter

add = RunWriter.add
lines = []

def interrupted(writer, outcome, replaced):
    add(writer, outcome, replaced)
    lines.append(outcome)
    if len(lines) == 2:
        os.kill(os.getpid(), signal.SIGINT)

RunWriter.add = interrupted
"""
COMMAND_LINE = """
import sys
from autoperf.cli.main import run

sys.exit(run(sys.argv[1:]))
"""
FROM_PYTHON = """
import autoperf

try:
    autoperf.measure(category="trigonometric", draws=0, runs=3, warmup=0, processes=1, progress=False)
except KeyboardInterrupt as error:
    print(error)
"""
PACKAGE = str(Path(autoperf.__file__).parent)


def interrupted(command: tuple[str, ...], seconds: float) -> tuple[int, str]:
    """The exit code and standard error of a command that gets Ctrl-C after so many seconds."""
    with subprocess.Popen(
        [sys.executable, "-m", "autoperf", *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        time.sleep(seconds)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate()
    return process.returncode, errors


def ours(errors: str) -> bool:
    """Whether a traceback is of autoperf, and not of Python's own start, in which no program can have a say."""
    files = re.findall(rf'File "{re.escape(PACKAGE)}/(.*?)"', errors)
    return any(file != "__init__.py" for file in files) or "Exception ignored" in errors


def check(seed: int, signals: int) -> None:
    draw = random.Random(seed)
    for _ in range(signals):
        command, seconds = draw.choice(COMMANDS), draw.uniform(0, WINDOW)
        code, errors = interrupted(command, seconds)
        assert not ours(errors), f"{command} after {seconds:.4f} s: {errors}"
        python_starts = 1 if "Traceback" in errors else None
        assert code in (*Exit, -signal.SIGINT, python_starts), f"{command} after {seconds:.4f} s: {code}, {errors}"


def test_an_early_ctrl_c_leaves_no_traceback() -> None:
    check(seed=1, signals=10)


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(2, 8))
def test_many_an_early_ctrl_c_leaves_no_traceback(seed: int) -> None:
    check(seed, signals=200)


def test_ctrl_c_while_the_interpreter_ends_is_silent() -> None:
    """The signal comes when the program is done and Python closes down."""
    script = (
        "import atexit, os, signal, sys\n"
        "atexit.register(os.kill, os.getpid(), signal.SIGINT)\n"
        "from autoperf.__main__ import main\n"
        "sys.argv = ['autoperf', '--version']\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (-signal.SIGINT, "")
    assert done.stdout.startswith("autoperf")


@pytest.mark.parametrize(("cause", "ends"), [("KeyboardInterrupt", "130"), ("ValueError", "a traceback")])
def test_an_interrupt_of_the_definition_of_a_class_ends_the_command(cause: str, ends: str) -> None:
    """Python up to 3.11 makes a RuntimeError of it; of another error it stays one."""
    script = (
        "import sys\n"
        "from autoperf.cli import main\n"
        "def interrupted(*arguments, **options):\n"
        f"    raise RuntimeError('Error calling __set_name__') from {cause}()\n"
        "main.autoperf.main = interrupted\n"
        "sys.exit(main.run(['discover']))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (str(done.returncode) if done.returncode == 130 else "a traceback") == ends
    assert ("Traceback" in done.stderr) is (ends == "a traceback")


@pytest.mark.parametrize("ends", ["raise", "return Exit.INTERRUPTED"])
@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129)])
def test_the_exit_code_tells_the_signal(name: str, code: int, ends: str) -> None:
    """Whether a command lets the interrupt through, or keeps its results first and says that it was interrupted."""
    script = (
        "import os, signal, sys, time\n"
        "from autoperf.cli import main\n"
        "from autoperf.core.errors import Exit\n"
        "def command(*arguments, **options):\n"
        "    try:\n"
        f"        os.kill(os.getpid(), signal.{name})\n"
        "        time.sleep(600)\n"
        "    except KeyboardInterrupt:\n"
        f"        {ends}\n"
        "main.autoperf.main = command\n"
        # As a shell starts it: tests may run under `nohup`, whose programs ignore the signal.
        f"signal.signal(signal.{name}, signal.SIG_DFL)\n"
        "sys.exit(main.run(['discover']))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, "Traceback" in done.stderr) == (code, False)


def test_an_interrupt_that_python_drops_is_sent_again() -> None:
    done = subprocess.run([sys.executable, "-c", DROPPED + AFTERWARDS], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("interrupted\nTrue True\n", "")


IMPORTED = """
import os, signal

for number in (signal.SIGINT,) * COUNT:
    os.kill(os.getpid(), number)
print("imported")
"""
IMPORTING = """
import signal, sys, time
from autoperf.core.interrupts import interrupts_resent

signal.signal(signal.SIGINT, signal.default_int_handler)
try:
    with interrupts_resent():
        import interrupted_module
        time.sleep(PAUSE)
except KeyboardInterrupt:
    print("interrupted")
print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)
"""


@pytest.mark.parametrize(
    ("signals", "pause", "told"),
    [(1, 600, "imported\ninterrupted\n"), (1, 0, "imported\ninterrupted\n"), (2, 600, "interrupted\n")],
)
def test_an_interrupt_of_an_import_comes_after_it_and_a_second_one_at_once(
    signals: int, pause: int, told: str, tmp_path: Path
) -> None:
    """Also where the block ends before the signal is sent again."""
    (tmp_path / "interrupted_module.py").write_text(IMPORTED.replace("COUNT", str(signals)))
    script = f"import sys\nsys.path.insert(0, {str(tmp_path)!r})\n" + IMPORTING.replace("PAUSE", str(pause))
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == (f"{told}True\n", "")


def test_a_program_that_runs_in_an_import_is_interrupted_at_once(tmp_path: Path) -> None:
    """Its import ends with the program."""
    program = IMPORTING.replace("import interrupted_module", "signal.raise_signal(signal.SIGINT)")
    (tmp_path / "program.py").write_text(program.replace("PAUSE", "600"))
    script = f"import sys\nsys.path.insert(0, {str(tmp_path)!r})\nimport program\n"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("interrupted\nTrue\n", "")


COMMAND = """
import os, signal, sys
from autoperf.cli import main
from autoperf.core.errors import AutoperfError

class Interrupting(AutoperfError):
    def __str__(self):
        signal.raise_signal(signal.SIGINT)

def command(*arguments, **options):
    BODY

main.autoperf.main = command
"""


def test_ctrl_c_while_an_error_is_told_leaves_no_traceback() -> None:
    script = COMMAND.replace("BODY", "raise Interrupting") + "sys.exit(main.run([]))\n"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "")


def test_a_signal_that_the_caller_ignores_stays_ignored() -> None:
    """As SIGHUP under `nohup`."""
    ignored = "signal.signal(signal.SIGHUP, signal.SIG_IGN)\nsys.exit(main.run([]))\n"
    script = COMMAND.replace("BODY", "signal.raise_signal(signal.SIGHUP)") + ignored
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_other_exceptions_that_python_drops_are_told_as_ever() -> None:
    script = (
        "from autoperf.core.interrupts import interrupts_resent\n"
        "class Failing:\n"
        "    def __del__(self):\n"
        "        raise ValueError\n"
        "with interrupts_resent():\n"
        "    Failing()\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "Exception ignored in: <function Failing.__del__" in done.stderr


def interrupted_run(preparation: str, file: Path, *options: str) -> StoredRun:
    """The run file of a run that a preparation of the program interrupts."""
    exact = ("--draws", "0", "--samples", "3", "--warmup", "0", "--processes", "1", "--run-file", str(file))
    command = [sys.executable, "-c", preparation + COMMAND_LINE, "run", *options, *exact]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == Exit.INTERRUPTED, done.stderr
    assert "interrupted" in done.stderr
    assert "Exception ignored" not in done.stderr
    run = read_run(file)
    assert run.end
    assert not run.end.complete
    return run


def test_a_run_ends_after_an_interrupt_that_python_drops(tmp_path: Path) -> None:
    run = interrupted_run(DROPPED + AFTER_THE_FIRST_CASE, tmp_path / "run.ndjson", "--category", "trigonometric")
    assert 1 <= len(run.outcomes) < 10


def test_ctrl_c_does_not_part_the_cases_of_a_round(tmp_path: Path) -> None:
    """They are measured when the first of them is written; the first case of the run is a round of its own."""
    run = interrupted_run(AFTER_THE_SECOND_LINE, tmp_path / "run.ndjson", "--operator", "exp,log")
    assert {outcome.operator for outcome in run.outcomes} == {"exp"}
    assert len(run.outcomes) > 2


def test_a_run_from_python_ends_after_such_an_interrupt() -> None:
    script = DROPPED + AFTER_THE_FIRST_CASE + FROM_PYTHON
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert re.match(r"\d outcomes? kept in .*; autoperf.load reads the file\n", done.stdout)
    assert done.stderr == ""


def test_an_interrupted_gate_tells_what_resumes_its_run(tmp_path: Path) -> None:
    base, new = tmp_path / "base.ndjson", tmp_path / "new.ndjson"
    exact = ("--draws", "0", "--samples", "3", "--warmup", "0", "--processes", "1", "--run-file", str(base))
    subprocess.run([sys.executable, "-m", "autoperf", "run", "--operator", "exp,log", *exact], check=True)
    command = [sys.executable, "-c", AFTER_THE_SECOND_LINE + COMMAND_LINE, "gate", str(base), "--run-file", str(new)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    told = " ".join(done.stderr.split())
    assert done.returncode == Exit.INTERRUPTED, told
    assert f"results: {new}" in told
    assert f"kept; resume with `autoperf run --resume {new}`" in told
