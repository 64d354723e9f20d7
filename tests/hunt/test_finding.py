"""A finding's script: readable, valid Python, and the same two cases when it is read back."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import msgspec
import pytest
from syrupy.assertion import SnapshotAssertion

from autoperf.cases.suite import load
from autoperf.core.case import Case
from autoperf.core.finding import Finding
from autoperf.hunt.script import Circumstances, render_finding, threshold
from tests.finding_values import LOOP, SOFTMAX, TAKE, finding, softmax

HERE = Circumstances("1.9.1", 7, 2, {"OMP_NUM_THREADS": "2", "AUTOPERF_EXTENSIONS": "/a b/libcliff.so"})


def test_a_script_reads_like_one_that_somebody_wrote(snapshot: SnapshotAssertion) -> None:
    assert render_finding(TAKE, HERE, "take-1.py") == snapshot


@pytest.mark.parametrize("found", [SOFTMAX, TAKE, finding(LOOP, LOOP)], ids=lambda one: one.operator)
def test_its_cases_are_the_same_when_it_is_read_back(found: Finding, tmp_path: Path) -> None:
    path = tmp_path / "script.py"
    path.write_text(render_finding(found, HERE, path.name))
    slow, fast = load(path).cases
    assert (slow.function, slow.label, slow.case.id, slow.case.profile) == (
        "slow",
        found.case.id,
        found.case.id,
        "finding",
    )
    assert (fast.function, fast.label, fast.case.id, fast.case.profile) == (
        "fast",
        found.contrast.id,
        found.contrast.id,
        "contrast",
    )


def test_words_from_elsewhere_stay_words() -> None:
    wild = msgspec.structs.replace(SOFTMAX, step='"""\nimport os\n', family='ends with a quote "', evidence=())
    tree = ast.parse(render_finding(wild, Circumstances("1.9.1", 7), "a.py"))
    imported = [node.names[0].name for node in ast.walk(tree) if isinstance(node, ast.Import)]
    assert imported == ["sys"]
    said = ast.get_docstring(tree)
    assert said is not None
    assert 'step       """ import os' in said
    assert 'family     ends with a quote "' in said


def test_what_there_is_nothing_to_say_of_takes_no_line() -> None:
    bare = msgspec.structs.replace(SOFTMAX, step="", family="", evidence=())
    said = ast.get_docstring(ast.parse(render_finding(bare, Circumstances("1.9.1", 7), "a.py")))
    assert said is not None
    assert not re.search(r"^(step|family)", said, re.MULTILINE)
    assert "thread" not in said
    assert "Measure it again: python a.py\n" in said


@pytest.mark.parametrize(
    ("ratio", "expected_us", "above"),
    [
        (1.3, 100.0, 1.2),
        (1.9, 100.0, 1.38),
        (4.0, 100.0, 2.0),
        (4.0, 60.0, 2.0),
        (400.0, 100.0, 20.0),
        (9.0, 400.0, 12.0),
    ],
)
def test_a_finding_is_over_when_half_of_it_is_gone(ratio: float, expected_us: float, above: float) -> None:
    """Where as much work as the slow input asks for would take the fast one's kernel 400 us, a ratio of 4 is none, and
    36 is what was found."""
    found = msgspec.structs.replace(finding(ratio=ratio), contrast_us=100.0, expected_us=expected_us)
    assert threshold(found) == above
    text = render_finding(found, HERE, "a.py")
    assert f'contrast(__file__, slow, fast, pass_="forward", above={above}, threads=2)' in text


def test_a_long_description_is_broken_into_lines() -> None:
    long = msgspec.structs.replace(SOFTMAX, family="the length is a multiple of 1024 and " * 12)
    lines = render_finding(long, HERE, "a.py").splitlines()
    family = next(number for number, line in enumerate(lines) if line.startswith("family"))
    assert lines[family + 1].startswith(" " * 11)
    assert all(len(line) <= 120 for line in lines)


def test_a_case_of_its_own_is_no_other(tmp_path: Path) -> None:
    """The two cases differ in a parameter alone, which the script must keep."""
    path = tmp_path / "script.py"
    path.write_text(render_finding(SOFTMAX, HERE, path.name))
    cases: list[Case] = [one.case for one in load(path).cases]
    assert [case.params for case in cases] == [{"axis": 0}, {"axis": -1}]
    assert cases[0].id != cases[1].id
    assert cases[0].id == softmax().id
