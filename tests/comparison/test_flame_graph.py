"""Flame graphs of counts fit speedscope's published schema, and their sums are those of the comparison."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from jsonschema import validate

from autoperf.comparison.comparison import ComparedFigure, Verdict
from autoperf.comparison.exports import speedscope_text
from autoperf.comparison.report import ComparisonReport
from autoperf.core.errors import UsageError
from autoperf.counts.functions import CodeDifference, FunctionChange
from tests.values import compared, comparison

# https://www.speedscope.app/file-format-schema.json, of version 1.25.0 (MIT).
SCHEMA = json.loads((Path(__file__).parents[1] / "data" / "speedscope-schema.json").read_text())


def counted() -> ComparedFigure:
    functions = (FunctionChange("add", "operator", 1_000, 400), FunctionChange("sub", "operator", 0, 70))
    code = CodeDifference(False, 1_500, 970, functions, {"operator": (1_500, 970), "dispatch": (90, 95)})
    figure = compared("relu/1", "forward", "instructions", 970 / 1_500, Verdict.FASTER)
    return msgspec.structs.replace(figure, code=code)


def weights(profile: dict[str, Any], frames: list[str]) -> dict[str, int]:
    """The weights of a profile by the name of the innermost frame."""
    return {frames[stack[-1]]: weight for stack, weight in zip(profile["samples"], profile["weights"], strict=True)}


def test_the_profiles_are_the_sides_and_their_difference() -> None:
    document = json.loads(speedscope_text(ComparisonReport(comparison(counted()))))
    validate(document, SCHEMA)
    frames = [frame["name"] for frame in document["shared"]["frames"]]
    more, fewer, base, new = document["profiles"]
    assert weights(more, frames) == {"sub": 70, "other functions of dispatch": 5}
    assert weights(fewer, frames) == {"add": 600}
    assert (base["endValue"], new["endValue"]) == (1_500 + 90, 970 + 95)
    for profile in document["profiles"]:
        assert sum(profile["weights"]) == profile["endValue"]
    operator, _, pass_, part, _ = (frames[at] for at in base["samples"][0])
    assert (operator, pass_, part) == ("relu", "forward", "operator")


def test_times_have_no_flame_graph() -> None:
    timed = compared("relu/1", "forward", "kernel", 1.0, Verdict.SAME)
    with pytest.raises(UsageError, match="compare runs by --counters instructions"):
        speedscope_text(ComparisonReport(comparison(timed)))
