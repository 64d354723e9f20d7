"""A user's own rules hang, crash and hog; it costs their operators, and each command says so."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from autoperf.core.outcome import Outcome, Status
from autoperf.hunt.stored import read_hunt
from tests.forked_program import Program
from tools.stored_run import read_run

QUICK = ("--warmup", "0", "--samples", "2", "--processes", "1", "--draws", "1")
HEAD = """\
import os, signal, threading, time
from autoperf.rules.rule import Draft, inputs, rule, tensor
from autoperf.strategies import shapes
"""
RULE = """
@rule("{name}", category="unary", canonical={canonical})
def {name}(draw, spec):
    {draw}
    return inputs(data=Draft(draw(shapes(1, 3))))
"""
TINY = '{"tiny": inputs(data=tensor(4, 4))}'
NASTY = {
    "exp": ("while True: pass", "no answer within the limit of 3 s"),
    "sin": ("os.abort()", "the process ended without an answer (SIGABRT)"),
    "cos": ("os._exit(0)", "the process ended without an answer (exit status 0)"),
    "tan": ("bytearray(2**31)", "MemoryError"),
    "abs": ("1 / 0", "ZeroDivisionError"),
}
SOUND = {
    "sqrt": "os.fork()",
    "square": "threading.Thread(target=time.sleep, args=(600,)).start()",
    "sign": "print('noise')",
}
LEDGER = Path(__file__).parents[2] / "ledgers" / "mxnet-1.9.1.json"
LIMITS = ("--timeout", "3", "--memory-limit", "1GiB")


def write(path: Path, draws: dict[str, str], canonical: str = TINY) -> tuple[str, ...]:
    """A file with a rule for each operator; the options that name it and them."""
    rules = (RULE.format(name=name, canonical=canonical, draw=draw) for name, draw in draws.items())
    path.write_text(HEAD + "".join(rules))
    return ("--rules", str(path), *(word for name in draws for word in ("--operator", name)))


def by_profile(path: Path) -> dict[tuple[str, str], Outcome]:
    return {(outcome.operator, outcome.profile): outcome for outcome in read_run(path).outcomes}


def test_draws_that_hang_crash_and_hog_cost_their_operators(program: Program, tmp_path: Path) -> None:
    draws = {name: draw for name, (draw, _) in NASTY.items()} | SOUND
    rules = write(tmp_path / "mine.py", draws)
    file = tmp_path / "run.ndjson"
    done = program("run", *rules, *QUICK, *LIMITS, "--run-file", str(file), "--format", "json")
    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stderr
    assert json.loads(done.stdout)
    outcomes = by_profile(file)
    assert set(outcomes) == {(name, profile) for name in draws for profile in ("tiny", "drawn")}
    for name in draws:
        assert outcomes[name, "tiny"].status is Status.MEASURED
    for name in SOUND:
        assert outcomes[name, "drawn"].status is Status.MEASURED
    for name, (_, words) in NASTY.items():
        drawn = outcomes[name, "drawn"]
        assert drawn.status is Status.FAILED
        assert drawn.reason.startswith(f"1 draw is missing: user_rules/mine.py:{name}: ")
        assert words in drawn.reason


def test_a_run_that_could_measure_nothing_says_so(program: Program, tmp_path: Path) -> None:
    rules = write(tmp_path / "mine.py", {"exp": "os._exit(0)"}, canonical="lambda spec: os._exit(0)")
    file = tmp_path / "run.ndjson"
    done = program("run", *rules, *QUICK, "--run-file", str(file))
    assert done.returncode == 1
    outcomes = by_profile(file)
    assert {profile: outcome.status for (_, profile), outcome in outcomes.items()} == {
        "canonical": Status.FAILED,
        "drawn": Status.FAILED,
    }
    assert outcomes["exp", "canonical"].reason == (
        "user_rules/mine.py:exp: its canonical inputs: the process ended without an answer (exit status 0)"
    )
    again = program("run", "--resume", str(file))
    assert len(read_run(file).outcomes) == 2, again.stderr


def test_two_sides_tell_the_same_of_a_rule_that_fails(program: Program, tmp_path: Path) -> None:
    rules = write(tmp_path / "mine.py", {"exp": "os.abort()"})
    installed = ("--mxnet", "installed") * 2
    done = program("run", *rules, *installed, *QUICK, "--run-file", str(tmp_path / "run.ndjson"))
    assert done.returncode == 1
    told = {
        outcome.reason
        for path in tmp_path.glob("run-*.ndjson")
        for outcome in read_run(path).outcomes
        if outcome.status is Status.FAILED
    }
    assert len(list(tmp_path.glob("run-*.ndjson"))) == 2
    assert told == {
        "1 draw is missing: user_rules/mine.py:exp: its draw: the process ended without an answer (SIGABRT)"
    }


def test_a_comparison_of_two_sides_ends_as_a_run_does(program: Program, tmp_path: Path) -> None:
    rules = write(tmp_path / "mine.py", {"exp": "os.abort()"})
    sides = ("--env", "A:SIDE=1", "--env", "B:SIDE=2", "--run-file", str(tmp_path / "sides.ndjson"))
    done = program("compare", *rules, *sides, *QUICK, "--threshold", "1000%")
    assert done.returncode == 1, done.stderr
    reason = "user_rules/mine.py:exp: its draw: the process ended without an answer (SIGABRT)"
    for side in "AB":
        assert f"side {side}: 1 case failed, crashed or timed out: " in done.stderr
    assert done.stderr.count(reason) >= 2


def test_generate_tells_what_a_rule_did_wrong(program: Program, tmp_path: Path) -> None:
    rules = write(tmp_path / "mine.py", {"exp": "os.abort()", "sign": "pass"})
    done = program("generate", *rules, "--draws", "1", "--folder", str(tmp_path / "suite"))
    assert done.returncode == 1
    assert "3 cases of 2 operators" in done.stdout
    assert (
        "exp: 1 rejected, user_rules/mine.py:exp: its draw: the process ended without an answer (SIGABRT)"
        in done.stderr
    )


def test_discover_tells_what_a_rule_did_wrong(program: Program, tmp_path: Path) -> None:
    rules = write(tmp_path / "mine.py", {"exp": "pass", "sign": "pass"}, canonical="lambda spec: os.abort()")
    done = program("discover", *rules, "--format", "json")
    assert done.returncode == 1
    listed = json.loads(done.stdout)["operators"]
    assert [(one["name"], one["status"]) for one in listed] == [("exp", "covered"), ("sign", "covered")]
    for name in ("exp", "sign"):
        assert (
            f"user_rules/mine.py:{name}: its canonical inputs: the process ended without an answer (SIGABRT)"
            in done.stderr
        )


@pytest.mark.parametrize("option", ["--write-ledger", "--check"])
def test_a_ledger_tells_what_a_rule_did_wrong_too(program: Program, tmp_path: Path, option: str) -> None:
    _, rules, *_ = write(tmp_path / "mine.py", {"exp": "pass"}, canonical="lambda spec: os.abort()")
    ledger = tmp_path / "ledger.json" if option == "--write-ledger" else LEDGER
    done = program("discover", "--rules", rules, option, str(ledger))
    assert done.returncode == 1
    assert "user_rules/mine.py:exp: its canonical inputs: the process ended without an answer (SIGABRT)" in done.stderr


def test_a_hunt_goes_on_with_the_next_operator(program: Program, tmp_path: Path) -> None:
    rules = write(tmp_path / "mine.py", {"exp": "os._exit(0)", "sign": "pass"})
    done = program("hunt", *rules, "--time-budget", "6s", "--folder", str(tmp_path / "hunt"))
    assert done.returncode == 1
    searched = {one.operator: one for one in read_hunt(tmp_path / "hunt").searched}
    assert (
        searched["exp"].reason
        == "user_rules/mine.py:exp: its draw: the process ended without an answer (exit status 0)"
    )
    assert (searched["sign"].reason, searched["sign"].tried > 1) == ("", True)
    assert searched["exp"].reason in done.stderr


def test_profiles_that_are_no_names_are_measured_or_refused(program: Program, tmp_path: Path) -> None:
    profiles = ("3x3", "x²", "a", "a_2", '"""', "class", "=1+1")
    listed = ", ".join(f"{profile!r}: inputs(data=tensor({size}))" for size, profile in enumerate(profiles, 1))
    file = tmp_path / "run.ndjson"
    rules = write(tmp_path / "my.rules.py", {"exp": "pass"}, canonical=f"{{{listed}}}")
    done = program("run", *rules, *QUICK, "--run-file", str(file))
    assert done.returncode == 0, done.stderr
    assert {profile for _, profile in by_profile(file)} == {*profiles, "drawn"}
    number = write(tmp_path / "mine.py", {"exp": "pass"}, canonical="{5: inputs(data=tensor(4))}")
    refused = program("run", *number, *QUICK, "--run-file", str(tmp_path / "none.ndjson"))
    assert refused.returncode == 2
    assert "user_rules/mine.py:exp: invalid profile 5 of type int: expected a name" in refused.stderr
    assert not (tmp_path / "none.ndjson").exists()


@pytest.mark.parametrize("command", ["run", "generate"])
def test_ctrl_c_while_a_rule_draws_prints_nothing_but_ours(tmp_path: Path, command: str) -> None:
    # The rule's process is a child of the command.
    rules = write(tmp_path / "mine.py", {"exp": "os.kill(os.getppid(), signal.SIGINT); time.sleep(600)"})
    output = ("--folder", str(tmp_path / "suite")) if command == "generate" else ("--format", "json", *QUICK)
    process = subprocess.Popen(
        [sys.executable, "-m", "autoperf", command, *rules, *output],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "AUTOPERF_CACHE": str(tmp_path / "cache")},
    )
    said, told = process.communicate(timeout=300)
    assert process.returncode == 130
    assert "interrupted" in told
    assert "Traceback" not in told
    if command == "generate":
        assert said == ""
    else:
        assert json.loads(said)
