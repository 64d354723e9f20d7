"""Composites run eagerly, as a graph and as a static graph, by the rules of every run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.forked_program import Program

QUICK = ("--warmup", "1", "--runs", "3", "--processes", "1")
PAGE = Path(__file__).parents[2] / "docs" / "composites.md"


def own(folder: Path, name: str) -> str:
    """The file of the documentation's composite, under this name."""
    path = folder / f"{name}.py"
    example = PAGE.read_text().partition("```python\n")[2].partition("```")[0]
    path.write_text(example.replace("scaled_tanh", name))
    return str(path)


def test_ways_are_beside_each_other_and_cases_of_their_own(program: Program, tmp_path: Path) -> None:
    options = ("--operator", "maxout", "--operator", "fast_nms", "--profile", "small", *QUICK, "--quiet")
    done = program("run", *options, "--output", str(tmp_path / "a.ndjson"))
    assert done.returncode == 0, done.stderr
    passes = [line.split()[0] for line in done.stdout.splitlines() if line.startswith("    ")]
    # What is suppressed has no gradient.
    assert passes == ["forward", "forward", "backward"]
    assert "6 cases = 6 measured + 0 skipped" in done.stdout
    document = json.loads(program("report", str(tmp_path / "a.ndjson"), "--format", "json").stdout)
    assert not any(outcome["forward"].get("notes") for outcome in document["outcomes"])
    # That of its operators isn't counted, so none is far from the roofline.
    assert not any("work" in outcome for outcome in document["outcomes"])
    ways = {outcome["profile"]: outcome["case"] for outcome in document["outcomes"] if outcome["operator"] == "maxout"}
    assert len(set(ways.values())) == len(ways) == 3
    (time,) = [time for time in document["composites"] if time["composite"] == "fast_nms"]
    assert (time["operators"], time["pass"]) == (43, "forward")
    assert min(time["imperative_us"], time["hybridized_us"], time["static_us"]) > 0


@pytest.mark.nightly
def test_a_composite_of_ones_own(program: Program, tmp_path: Path) -> None:
    rules = ("--rules", own(tmp_path, "scaled_tanh"), "--operator", "scaled_tanh", "--profile", "small")
    done = program("run", *rules, *QUICK, "--format", "json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert [outcome["status"] for outcome in document["outcomes"]] == ["measured"] * 3
    assert document["composites"][0]["operators"] == 3


def test_a_composite_may_not_have_the_name_of_an_operator(program: Program, tmp_path: Path) -> None:
    done = program("run", "--rules", own(tmp_path, "softmax"), "--category", "composite")
    assert done.returncode == 2
    assert "invalid composite 'softmax': expected a name that no operator of MXNet 1.9.1 has" in done.stderr
