"""Composites run eagerly, as a graph and as a static graph, by the rules of every run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.forked_program import Program

QUICK = ("--warmup", "1", "--samples", "3", "--processes", "1")
BESIDE_A_LOAD = (
    "kernels ran at the same time",
    "have no kernel in the trace",
    "the number of kernels differs",
    "longer than the wall time",
)
"""Words of the notes that a few samples beside other tests may have."""
PAGE = Path(__file__).parents[2] / "docs" / "reference" / "composites.md"


def own(folder: Path, name: str) -> str:
    """The file of the documentation's composite, under this name."""
    path = folder / f"{name}.py"
    example = PAGE.read_text().partition("```python\n")[2].partition("```")[0]
    path.write_text(example.replace("scaled_tanh", name))
    return str(path)


def test_ways_are_beside_each_other_and_cases_of_their_own(program: Program, tmp_path: Path) -> None:
    options = ("--operator", "maxout", "--operator", "fast_nms", "--input-profile", "small", *QUICK, "--quiet")
    done = program("run", *options, "--run-file", str(tmp_path / "a.ndjson"))
    assert done.returncode == 0, done.stderr
    passes = [line.split()[0] for line in done.stdout.splitlines() if line.split()[1:2] == ["wall"]]
    # What is suppressed has no gradient.
    assert passes == ["forward", "forward", "backward"]
    assert "6 cases = 6 measured + 0 skipped" in done.stdout
    document = json.loads(program("report", str(tmp_path / "a.ndjson"), "--format", "json").stdout)
    notes = [note for outcome in document["outcomes"] for note in outcome["forward"].get("notes", ())]
    assert not [note for note in notes if not any(words in note for words in BESIDE_A_LOAD)]
    # That of its operators isn't counted, so none is far from the roofline.
    assert not any("work" in outcome for outcome in document["outcomes"])
    ways = {outcome["profile"]: outcome["case"] for outcome in document["outcomes"] if outcome["operator"] == "maxout"}
    assert len(set(ways.values())) == len(ways) == 3
    (time,) = [time for time in document["composites"] if time["composite"] == "fast_nms"]
    (forward,) = time["passes"]
    assert (time["operators"], forward["pass"]) == (43, "forward")
    assert forward["wall_us"].keys() == {"imperative", "hybridized", "static"}
    assert min(forward["wall_us"].values()) > 0


@pytest.mark.parametrize(("profile", "draws", "cases"), [("small:static", "0", 1), ("drawn:static", "2", 2)])
def test_one_mode_is_selected_by_the_name_that_reports_print(
    program: Program, tmp_path: Path, profile: str, draws: str, cases: int
) -> None:
    options = ("--operator", "maxout,exp", "--input-profile", profile, "--draws", draws)
    done = program("run", *options, *QUICK, "--run-file", str(tmp_path / "a"), "--format", "json")
    assert done.returncode == 0, done.stderr
    outcomes = json.loads(done.stdout)["outcomes"]
    assert [(each["operator"], each["profile"]) for each in outcomes] == [("maxout", profile)] * cases


def test_an_unknown_mode_is_a_mistake(program: Program) -> None:
    done = program("run", "--operator", "maxout,exp", "--input-profile", "small:statc")
    assert done.returncode == 2
    assert "unknown profile 'small:statc'; did you mean small:static" in done.stderr


HEAD = """from autoperf.rules.composites.composite import composite


@composite({"small": (4, 4)})
def mine(g, rows, columns):
    data = g.tensor("data", rows, columns)
"""
# By kind: the line that is added, and what is told with its place; a function is told by the line of its decorator.
MISTAKES = {
    "an unknown operator": ('return data.call("tanhh")', 7, "unknown operator 'tanhh'; did you mean tanh"),
    "an unknown parameter": ('return data.exp().call("softmax", axes=1)', 7, "softmax: Cannot find argument 'axes'"),
    "shapes that don't fit": ('return data.call("dot", g.tensor("other", 3, 5))', 7, "dot: Check failed: "),
    "an exception": ('raise ValueError("mine")', 7, "its canonical inputs: ValueError: mine"),
    "no result": ('data.call("tanh")', 4, "mine: invalid result None: expected a value of the graph"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_in_a_composite_fails_its_cases_with_the_line(program: Program, tmp_path: Path, mistake: str) -> None:
    code, line, told = MISTAKES[mistake]
    file = tmp_path / "my_composites.py"
    file.write_text(f"{HEAD}    {code}\n")
    done = program("run", "--rules", str(file), "--operator", "mine", "--draws", "0", *QUICK, "--format", "json")
    assert done.returncode == 1, done.stderr
    for outcome in json.loads(done.stdout)["outcomes"]:
        assert outcome["status"] == "failed"
        assert f"{file}, line {line}" in outcome["reason"]
        assert told in outcome["reason"]


@pytest.mark.nightly
def test_a_composite_of_ones_own(program: Program, tmp_path: Path) -> None:
    rules = ("--rules", own(tmp_path, "scaled_tanh"), "--operator", "scaled_tanh", "--input-profile", "small")
    done = program("run", *rules, *QUICK, "--format", "json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert [outcome["status"] for outcome in document["outcomes"]] == ["measured"] * 3
    assert document["composites"][0]["operators"] == 3


def test_a_composite_may_not_have_the_name_of_an_operator(program: Program, tmp_path: Path) -> None:
    done = program("run", "--rules", own(tmp_path, "softmax"), "--category", "composite")
    assert done.returncode == 2
    assert "invalid composite 'softmax': expected a name that no operator of MXNet 1.9.1 has" in done.stderr
