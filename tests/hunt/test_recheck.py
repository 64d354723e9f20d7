"""A finding's script measures both inputs on the real MXNet, and its exit code says whether it is still so."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from autoperf.core.case import Case
from autoperf.core.errors import UsageError
from autoperf.core.finding import Finding
from autoperf.hunt.recheck import Claim
from autoperf.hunt.script import Circumstances, render_finding
from tests.finding_values import finding
from tests.values import case, inputs, tensor

HERE = Circumstances("1.9.1", 7, 2)


def exp(rows: int, dtype: str = "float32") -> Case:
    """One that takes long beside the other: a factor of a thousand in the elements isn't lost on a busy machine."""
    return case("exp", rows, dtype=dtype, profile="drawn")


def claimed(slow: Case, fast: Case) -> Finding:
    """A ratio of nine is claimed, whether or not it is so: the script's limit is three."""
    return msgspec.structs.replace(finding(slow, fast, 9.0), expected_us=1.0)


SLOW = claimed(exp(4_000_000), exp(400))


def script(folder: Path, found: Finding = SLOW) -> Path:
    path = folder / "exp-1.py"
    path.write_text(render_finding(found, HERE, path.name))
    return path


def run(path: Path, *options: str) -> tuple[int, str, str]:
    command = [sys.executable, str(path), *options]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    return ended.returncode, ended.stdout, ended.stderr


@pytest.mark.parametrize("pass_", ["forward", "backward"])
def test_what_holds_exits_with_one(tmp_path: Path, pass_: str) -> None:
    found = msgspec.structs.replace(SLOW, pass_=pass_)
    code, out, err = run(script(tmp_path, found), "--rounds", "6", "--format", "json")
    assert (code, err) == (1, "")
    said = json.loads(out)
    assert (said["pass"], said["holds"], said["above"], said["rounds"]) == (pass_, True, 3.0, 6)
    assert said["slow"]["case"] == exp(4_000_000).id
    assert said["low"] <= said["ratio"] <= said["high"]
    assert said["mxnet"] == "1.9.1"


START = "import runpy, sys; sys.modules['click'] = None; runpy.run_path(sys.argv[1], run_name='__main__')"
FAILING = (
    "import runpy, sys\n"
    "from autoperf.cli import main\n"
    "def failing(*arguments):\n"
    "    raise ZeroDivisionError\n"
    "main.run_finding = failing\n"
    "runpy.run_path(sys.argv[1], run_name='__main__')\n"
)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-I", "-S"], "exp-1.py: can't import autoperf: No module named 'autoperf'; run it with the Python that has "),
        (["-c", START], "exp-1.py: import of click halted; None in sys.modules; run it with the Python that has "),
        (["-c", FAILING], "ZeroDivisionError"),
    ],
)
def test_an_error_exits_with_two(tmp_path: Path, options: list[str], message: str) -> None:
    """Python itself exits with 1 then, which would say that the finding holds."""
    command = [sys.executable, *options, str(script(tmp_path))]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert message in ended.stderr
    assert "Traceback" not in ended.stderr or message == "ZeroDivisionError"


def test_what_is_over_exits_with_zero(tmp_path: Path) -> None:
    over = claimed(exp(400), exp(4_000_000))
    code, out, err = run(script(tmp_path, over), "--rounds", "6")
    assert (code, err) == (0, "")
    assert "not reproduced: the ratio is below 3.00" in out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--mxnet", "missing"), "the path given, 'missing'"),
        (("--rounds", "5"), "Invalid value for '--rounds'"),
        (("--ctx", "gpu(0)"), "gpu"),
    ],
)
def test_a_mistake_exits_with_two(tmp_path: Path, options: tuple[str, ...], words: str) -> None:
    code, out, err = run(script(tmp_path), *options)
    assert (code, out) == (2, "")
    assert words in err
    assert "Traceback" not in err


def test_inputs_that_cannot_be_run_are_a_mistake_not_an_end(tmp_path: Path) -> None:
    """Another release may refuse them, which says nothing of how fast they are."""
    refused = case("broadcast_add", profile="drawn", inputs=inputs(lhs=tensor(2, 3), rhs=tensor(7, 3)))
    code, _, err = run(script(tmp_path, claimed(refused, refused)))
    assert code == 2
    assert "can't recheck the finding" in err
    assert "Traceback" not in err


def test_tensors_that_do_not_fit_each_other_are_not_run(tmp_path: Path) -> None:
    """An earlier hunt's, whose kernel would read beyond the end."""
    unfit = case("Correlation", inputs=inputs(data1=tensor(1, 2, 16, 16), data2=tensor(1, 3, 16, 16)), profile="drawn")
    code, out, err = run(script(tmp_path, claimed(unfit, exp(400))))
    assert (code, out) == (2, "")
    assert "can't recheck the finding: c of data2 (n c h w) is 3, and in data1 it is 2" in err
    assert "MXNet's inference doesn't check it" in err


def test_a_script_that_was_edited_wrongly_says_where(tmp_path: Path) -> None:
    path = script(tmp_path)
    path.write_text(path.read_text().replace("@case", "#"))
    code, _, err = run(path)
    assert code == 2
    assert f"{path}: has no case; mark a function with @case()" in err


@pytest.mark.parametrize(
    ("pass_", "above", "words"), [("both", 2.0, "'both'"), ("forward", 0.5, "0.5"), ("forward", "2", "'2'")]
)
def test_a_claim_that_makes_no_sense_is_refused(pass_: str, above: float, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        Claim(Path("a.py"), "slow", "fast", pass_, above)  # type: ignore[arg-type]


def test_another_operator_can_be_the_fast_one(tmp_path: Path) -> None:
    fast = msgspec.structs.replace(exp(400), operator="relu")
    path = script(tmp_path, claimed(exp(4_000_000), fast))
    assert 'operator="relu"' in path.read_text()
    code, out, err = run(path, "--rounds", "6")
    assert (code, err) == (1, "")
    assert "fast     relu: data (400,)" in out
