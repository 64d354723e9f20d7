"""The script of a finding between two sides: it names what it needs, and times one input on both."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from autoperf.core.case import Case, Input
from autoperf.core.errors import UsageError
from autoperf.core.finding import Finding, SideRecord
from autoperf.hunt.recheck import Claim
from autoperf.hunt.script import Circumstances, render_finding
from tests.finding_values import finding
from tests.values import tensor

RELEASES = (
    SideRecord(words="MXNet 2.0.0b1", mxnet="2.0.0b1", library="2.0.0b1"),
    SideRecord(words="MXNet 1.9.1", mxnet="1.9.1", library="installed"),
)
EXP = Case(operator="exp", category="unary", profile="drawn", inputs=(Input("data", tensor(100, 100)),))


def found(sides: tuple[SideRecord, SideRecord] = RELEASES) -> Finding:
    """A ratio of nine is claimed, whether or not it is so."""
    words = sides[0].words, sides[1].words
    return msgspec.structs.replace(finding(EXP, EXP, 9.0), expected_us=1.0, sides=words)


def text_of(sides: tuple[SideRecord, SideRecord] = RELEASES) -> str:
    return render_finding(found(sides), Circumstances(sides[0].mxnet, 7, 1, {}, sides), "exp-1.py")


def run(path: Path, *options: str) -> tuple[int, str, str]:
    ended = subprocess.run([sys.executable, str(path), *options], capture_output=True, text=True, check=False)
    return ended.returncode, ended.stdout, ended.stderr


def test_a_script_has_one_input_and_says_what_it_needs() -> None:
    text = text_of()
    tree = ast.parse(text)
    assert [node.name for node in tree.body if isinstance(node, ast.FunctionDef)] == ["both"]
    words = ast.get_docstring(tree) or ""
    assert words.startswith("exp, forward: 9.00 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.")
    assert "It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn" in words
    assert 'sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "installed"})' in text


def test_a_build_of_one_s_own_is_named_by_its_path() -> None:
    own = SideRecord(words="MXNet 2.0.0", mxnet="2.0.0", library="/builds/libmxnet.so")
    assert "It needs MXNet 2.0.0 in /builds/libmxnet.so and MXNet 1.9.1, times" in text_of((own, RELEASES[1]))


def test_a_script_has_the_variables_of_its_sides() -> None:
    alike = SideRecord(words="MXNet 1.9.1", mxnet="1.9.1")
    one = msgspec.structs.replace(alike, words="MXNet 1.9.1 with A=1", env={"A": '"1"'})
    assert 'sides = ({"mxnet": None, "env": {"A": "\\"1\\""}}, {"mxnet": None})' in text_of((one, alike))


def test_a_script_times_both_builds(tmp_path: Path, next_library: Path) -> None:
    path = tmp_path / "exp-1.py"
    path.write_text(text_of())
    code, out, err = run(path, "--rounds", "6", "--format", "json")
    said = json.loads(out)
    assert code == int(said["holds"]), err
    assert said["sides"] == ["MXNet 2.0.0b1", "MXNet 1.9.1"]
    assert (said["rounds"], said["slow"], said["mxnet"]) == (6, said["fast"], "2.0.0b1")


def test_another_build_takes_the_place_of_each(tmp_path: Path) -> None:
    path = tmp_path / "exp-1.py"
    path.write_text(text_of())
    code, out, err = run(path, "--rounds", "6", "--mxnet", "installed", "--mxnet", "installed")
    assert code in (0, 1), err
    assert "the same input on B: MXNet 1.9.1" in out
    code, _, err = run(path, "--mxnet", "installed")
    assert code == 2
    assert "invalid --mxnet installed: expected the slow side's build, then the fast one's" in err


@pytest.mark.parametrize(
    "sides", [({"mxnet": "1.9.1"},), ({"mxnet": "1.9.1"}, {}), ({"mxnet": 1}, {"mxnet": None}), ("1.9.1", "2.0.0b1")]
)
def test_sides_that_make_no_sense_are_refused(sides: tuple[dict[str, str], ...]) -> None:
    with pytest.raises(UsageError, match="invalid sides"):
        Claim(Path("a.py"), "both", "both", "forward", 2.0, sides=sides)
