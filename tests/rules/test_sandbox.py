"""What a user's rules do to their process is told, and is done to that process alone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from autoperf.core.case import Case
from autoperf.core.errors import AutoperfError, RuleError, SandboxError, UserRuleError
from autoperf.core.operator import Operator, Role
from autoperf.rules.rule import InputSpec, Rule
from autoperf.rules.sandbox import Limits, UserRules, user_rules

FILE = """\
import os, sys, threading, time
from autoperf.rules.rule import Draft, inputs, rule, tensor
from autoperf.strategies import shapes

{top}

@rule("sound", category="activation", canonical={{"tiny": inputs(data=tensor(4, 4))}}, flops=lambda case: 5)
def sound(draw, spec):
    return inputs(data=Draft(draw(shapes(1, 3))))

@rule("nasty", category="activation", canonical={{"tiny": inputs(data=tensor(4, 4))}}, flops={flops})
def nasty(draw, spec):
    {draw}
    return inputs(data=Draft(draw(shapes(1, 3))))
"""
ENDLESS = "while True: pass"
DRAWS = {
    "has no end": (ENDLESS, "no answer within the limit of 0.5 s"),
    "ends the process": ("os._exit(0)", "the process ended without an answer (exit status 0)"),
    "ends the process with a word": (
        "os.write(2, b'the word'); os._exit(3)",
        "the process ended without an answer (exit status 3): the word",
    ),
    "aborts": ("os.abort()", "the process ended without an answer (SIGABRT)"),
    "reads past memory": ("import ctypes; ctypes.string_at(0)", "the process ended without an answer (SIGSEGV)"),
    "kills": (
        "os.kill(os.getpid(), 9)",
        "the process ended without an answer (SIGKILL, as Linux sends it when memory runs out)",
    ),
    "closes its pipes": ("os.closerange(3, 256); os._exit(4)", "the process ended without an answer (exit status 4)"),
    "closes its pipes and lives on": (
        "os.closerange(3, 256); time.sleep(600)",
        "the process ended without an answer (it stopped answering)",
    ),
    "answers in another's place": (
        "os.write(int(sys.argv[2]), b'\\0\\0\\0\\1\\xc1'); time.sleep(600)",
        "the process wrote garbage in place of an answer",
    ),
    "announces more than there is": (
        "os.write(int(sys.argv[2]), b'\\xff\\xff\\xff\\xff'); time.sleep(600)",
        "the process wrote garbage in place of an answer",
    ),
    "leaves a copy that holds the pipe": (
        "os.fork() or time.sleep(600); os._exit(5)",
        "the process ended without an answer (exit status 5)",
    ),
}
MATCHING = """
from pathlib import Path
from autoperf.rules.rule import inputs, rule, tensor

def endless(operator):
    with Path(__file__).with_name("asked").open("a") as file:
        file.write("x")
    while True:
        pass

@rule(matches=endless, rank=1, category="activation", canonical={})
def nasty(draw, spec): ...

@rule(matches=lambda operator: True, rank=2, category="activation", canonical={})
def sound(draw, spec): ...
"""
HANGING = """
from autoperf.rules.rule import inputs, rule, tensor

def endless(*arguments):
    while True:
        pass

@rule("odd", category="activation", canonical={canonical}, flops={flops})
def odd(draw, spec): ...
"""
SCRIPT = """
import signal, sys
from pathlib import Path
from autoperf.rules.sandbox import Limits
from autoperf.rules.sandbox import user_rules

signal.signal(signal.SIGINT, signal.default_int_handler)
try:
    with user_rules([Path(sys.argv[1])], Limits(600.0)):
        pass
except KeyboardInterrupt:
    sys.exit(130)
"""
SPAWNING = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
open({place!r}, "w").write(f"{{child.pid}}\\n")
time.sleep(600)
"""

Read = Callable[..., UserRules]


@pytest.fixture
def read(tmp_path: Path) -> Iterator[Read]:
    """Reads a file of rules, of which one is nasty; they can be asked until the test is over."""
    with ExitStack() as stack:

        def call(
            *, top: str = "", draw: str = "pass", flops: str = "None", seconds: float = 60.0, memory: int = 2**32
        ) -> UserRules:
            file = tmp_path / "mine.py"
            file.write_text(FILE.format(top=top, draw=draw, flops=flops))
            return stack.enter_context(user_rules([file], Limits(seconds, memory)))

        yield call


def spec(name: str) -> InputSpec:
    return InputSpec(Operator(name, Role.FORWARD, "nd"))


def drawn(rules: UserRules, name: str, count: int = 8) -> list[object]:
    return [call.tensors for call in rule(rules, name).drawn(spec(name), "a seed", count)]


def rule(rules: UserRules, name: str) -> Rule:
    return rules.catalog.named[name]


@pytest.mark.parametrize("nature", DRAWS)
def test_a_draw_costs_its_rule_alone(read: Read, nature: str) -> None:
    draw, words = DRAWS[nature]
    rules = read(draw=draw, seconds=0.5 if draw == ENDLESS else 60.0)
    sound = drawn(rules, "sound")
    with pytest.raises(SandboxError) as caught:
        drawn(rules, "nasty")
    assert str(caught.value).startswith("user_rules/mine.py:nasty: its draw: ")
    assert words in str(caught.value)
    assert drawn(rules, "sound") == sound
    assert list(rule(rules, "nasty").canonical(spec("nasty"))) == ["tiny"]
    assert rules.sandbox.failures == (str(caught.value),)


def test_what_was_lost_once_is_not_tried_again(read: Read, tmp_path: Path) -> None:
    rules = read(draw=f"open({str(tmp_path / 'tried')!r}, 'a').write('x'); os._exit(0)")
    for _ in range(3):
        with pytest.raises(SandboxError, match="exit status 0"):
            drawn(rules, "nasty")
    assert len((tmp_path / "tried").read_text()) == 1


def test_memory_has_a_limit(read: Read) -> None:
    rules = read(draw="bytearray(2**30)", memory=2**28)
    with pytest.raises(UserRuleError, match=r"mine\.py:nasty: MemoryError: .*--memory-limit"):
        drawn(rules, "nasty")
    assert drawn(rules, "sound")


def test_a_matcher_that_hangs_is_told_and_not_asked_again(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(MATCHING)
    with user_rules([file], Limits(0.5)) as rules:
        nasty, sound = (rule for rule in rules.catalog.inferred)
        assert nasty.matches
        assert sound.matches
        for _ in range(2):
            with pytest.raises(
                SandboxError, match=r"mine\.py:nasty: its matcher: no answer within the limit of 0\.5 s"
            ):
                nasty.matches(Operator("exp", Role.FORWARD, "nd"))
        assert sound.matches(Operator("exp", Role.FORWARD, "nd"))
        assert len((tmp_path / "asked").read_text()) == 1


@pytest.mark.parametrize("kind", ["canonical", "flops"])
def test_other_functions_that_hang_are_told(tmp_path: Path, kind: str) -> None:
    file = tmp_path / "mine.py"
    given = {"canonical": "{'tiny': inputs(data=tensor(4, 4))}", "flops": "None", kind: "endless"}
    file.write_text(HANGING.format(**given))
    case = Case(operator="odd", category="activation", profile="tiny", inputs=())
    with user_rules([file], Limits(0.5)) as rules:
        odd = rule(rules, "odd")
        ask = {"canonical": lambda: odd.canonical(spec("odd")), "flops": lambda: odd.flops and odd.flops(case)}[kind]
        with pytest.raises(SandboxError) as caught:
            ask()
    what = "canonical inputs" if kind == "canonical" else "flops"
    assert str(caught.value) == f"user_rules/mine.py:odd: its {what}: no answer within the limit of 0.5 s"


def test_a_formula_that_ends_its_process_is_told(read: Read) -> None:
    case = Case(operator="nasty", category="activation", profile="tiny", inputs=())
    rules = read(flops="lambda case: os._exit(0)")
    count, sound = rule(rules, "nasty").flops, rule(rules, "sound").flops
    assert count
    assert sound
    with pytest.raises(
        SandboxError, match=r"mine\.py:nasty: its flops: the process ended without an answer \(exit status 0\)"
    ):
        count(case)
    assert sound(case) == 5.0


@pytest.mark.parametrize(
    "top",
    [
        "threading.Thread(target=time.sleep, args=(600,)).start()",
        "os.fork()",
        "os.fork() or time.sleep(600)",
        "print('noise'); os.write(1, b'noise')",
        "os.close(0); os.close(1); os.close(2)",
    ],
)
def test_threads_copies_and_noise_change_no_answer(read: Read, top: str) -> None:
    plain = drawn(read(), "sound")
    rules = read(top=top)
    assert [drawn(rules, "sound") for _ in range(3)] == [plain] * 3
    assert drawn(rules, "nasty") == plain
    assert rules.sandbox.failures == ()


def test_a_fork_in_a_draw_changes_no_answer(read: Read) -> None:
    rules = read(draw="os.fork()")
    # Each copy draws the rest, and is copied with each draw.
    plain = drawn(rules, "sound", 3)
    assert [drawn(rules, name, 3) for name in ("nasty", "sound", "nasty")] == [plain] * 3


def test_a_process_that_ends_between_two_requests_is_replaced(read: Read, tmp_path: Path) -> None:
    place = tmp_path / "pid"
    rules = read(draw=f"open({str(place)!r}, 'w').write(str(os.getpid()))")
    plain = drawn(rules, "nasty")
    process = Path("/proc", place.read_text())
    os.kill(int(process.name), signal.SIGKILL)
    _wait_for(lambda: _state(process) == "Z")
    assert drawn(rules, "nasty") == plain
    assert place.read_text() != process.name


def test_a_file_that_changes_is_told(read: Read, tmp_path: Path) -> None:
    rules = read(draw="os._exit(0)")
    with pytest.raises(SandboxError):
        drawn(rules, "nasty")
    file = tmp_path / "mine.py"
    file.write_text(file.read_text().replace("activation", "unary"))
    with pytest.raises(UserRuleError, match=r"mine\.py: the rules have changed since they were read"):
        drawn(rules, "sound")


@pytest.mark.parametrize(
    ("top", "words"),
    [
        (ENDLESS, r"mine\.py: can't read the rules: no answer within the limit of 0\.5 s"),
        ("os._exit(0)", r"mine\.py: can't read the rules: the process ended without an answer \(exit status 0\)"),
        (
            "os.fork() or time.sleep(600); os.abort()",
            r"mine\.py: can't read the rules: the process ended without an answer \(SIGABRT\)",
        ),
        ("bytearray(2**30)", r"mine\.py: MemoryError: .*--memory-limit"),
    ],
)
def test_a_file_that_cannot_be_read_is_named(read: Read, top: str, words: str) -> None:
    with pytest.raises(RuleError, match=words):
        read(top=top, seconds=0.5 if top == ENDLESS else 60.0, memory=2**28)


@pytest.mark.parametrize("place", ["pipe.py", "folder", "device.py"])
def test_what_is_not_a_regular_file_is_refused_at_once(tmp_path: Path, place: str) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe.py")
    os.mkfifo(tmp_path / "folder" / "pipe.py")
    (tmp_path / "device.py").symlink_to("/dev/zero")
    words = "it is a device" if place == "device.py" else "it is a named pipe"
    with (
        pytest.raises(RuleError, match=rf"can't read .*\.py: {words}; give a regular file"),
        user_rules([tmp_path / place]),
    ):
        pass


def test_what_a_rule_starts_ends_with_it(read: Read, tmp_path: Path) -> None:
    place = tmp_path / "pid"
    command = "[sys.executable, '-c', 'import time; time.sleep(600)']"
    rules = read(top=f"import subprocess; open({str(place)!r}, 'w').write(str(subprocess.Popen({command}).pid))")
    child = Path("/proc", place.read_text())
    assert _state(child) != "Z"
    rules.sandbox.close()
    _wait_for(lambda: _state(child) == "Z")


def test_ctrl_c_ends_the_process_and_what_it_started(tmp_path: Path) -> None:
    place, file = tmp_path / "child", tmp_path / "mine.py"
    file.write_text(SPAWNING.format(place=str(place)))
    process = subprocess.Popen([sys.executable, "-c", SCRIPT, str(file)])
    _wait_for(lambda: place.exists() and place.read_text().endswith("\n"))
    grandchild = Path("/proc", place.read_text().strip())
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 130
    _wait_for(lambda: _state(grandchild) == "Z")


DATA = {
    "a profile that is a number": ("canonical={5: inputs()}", "invalid profile 5 of type int"),
    "a profile without a name": ("canonical={' ': inputs()}", "invalid profile ' '"),
    "a profile that steers a terminal": ("canonical={'\\x1b[31m': inputs()}", "invalid profile '\\x1b[31m'"),
    "half a character": ("canonical={'\\ud800': inputs()}", "invalid profile '\\ud800'"),
    "a profile of a number by a function": ("canonical=lambda spec: {5: inputs()}", "invalid profile 5 of type int"),
    "a category of a number": ("category=5", "unknown category 5"),
    "an unknown dtype": ("dtype='float33'", "unknown dtype in user_rules/mine.py:odd 'float33'"),
    "unknown dtypes": ("dtypes=('float32', 7)", "unknown dtype in user_rules/mine.py:odd '7'"),
    "dtypes without a comma": ("dtypes='float32'", "invalid dtypes 'float32': expected a tuple"),
    "limits without words": ("limits={'': 'no GPU'}", "invalid limits {'': 'no GPU'}: expected texts by the words"),
    "limits that are none": ("limits=5", "invalid limits 5: expected texts by the words"),
    "contents that are none": ("contents={'data': 5}", "user_rules/mine.py:odd: invalid contents"),
    "a rank of words": ("rank='first'", "user_rules/mine.py:odd: a value that no rule may have"),
    "a parameter too large to be written": (
        "canonical={'small': inputs(seed=2**70)}",
        "user_rules/mine.py:odd: its inputs can't be stored",
    ),
}


@pytest.mark.parametrize("nature", DATA)
def test_data_of_a_rule_that_could_not_be_read_back_is_refused(tmp_path: Path, nature: str) -> None:
    given, words = DATA[nature]
    values = {"category": "'activation'", "canonical": "{'small': inputs()}"}
    name, _, value = given.partition("=")
    text = ", ".join(f"{key}={each}" for key, each in {**values, name: value}.items())
    file = tmp_path / "mine.py"
    file.write_text(f"from autoperf.rules.rule import inputs, rule\n@rule('odd', {text})\ndef odd(draw, spec): ...\n")
    with pytest.raises(AutoperfError) as caught, user_rules([file]) as rules:
        rule(rules, "odd").canonical(spec("odd"))
    assert words in str(caught.value)


@pytest.mark.parametrize("name", ["my.rules.py", "1st.py", "two words.py", "class.py"])
def test_a_file_may_have_any_name(tmp_path: Path, name: str) -> None:
    text = FILE.format(top="", draw="pass", flops="None")
    (tmp_path / name).write_text(text)
    (tmp_path / "my_rules.py").write_text(text.replace('"sound"', '"another"').replace('"nasty"', '"other"'))
    with user_rules([tmp_path]) as rules:
        assert rule(rules, "sound").source == f"user_rules/{name}:sound"
        assert rule(rules, "another").source == "user_rules/my_rules.py:sound"
        assert drawn(rules, "sound") == drawn(rules, "another")


def _wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def _state(process: Path) -> str:
    """As Linux tells it; "Z" too for a process that nobody has any more."""
    try:
        return (process / "stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "Z"
