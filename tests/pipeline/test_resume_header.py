"""What an edited header of a run file says is told by its field and its file, before anything is done by it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from autoperf.cases.build import Recipe
from autoperf.core.errors import CaseFileError
from autoperf.executor.settings import Settings
from autoperf.pipeline.resumed_run import RunOptions, options_of
from autoperf.pipeline.selection import Selection
from autoperf.results.runfile import RunHeader

ASKED = RunOptions(
    selection=Selection(), recipe=Recipe(), settings=Settings(), mxnet=("1.9.1", "2.0.0b1"),
    labels=("1.9.1", "2.0.0b1"), label="1.9.1",
)  # fmt: skip
EDITS: dict[str, tuple[tuple[str, ...], Any, str]] = {
    "too few draws": (("recipe", "draws"), -5, "invalid draws -5: expected 0 to 100,000"),
    "too few elements": (("recipe", "elements"), 1, "invalid max_elements 1: expected 64 to"),
    "no bytes": (("recipe", "max_bytes"), 0, "invalid max_bytes 0: expected 1"),
    "an unknown dtype": (("recipe", "dtypes"), ["float3"], "unknown dtype 'float3'"),
    "draws in words": (("recipe", "draws"), "many", "$.recipe.draws"),
    "an option of another name": (("recipe", "samples"), 3, "unknown 'samples'"),
    "a negative warm-up": (("settings", "warmup"), -1, "invalid warmup -1: expected 0 to"),
    "a variable of a bad name": (("settings", "env"), {"A B": "1"}, "invalid name of an environment variable 'A B'"),
    "a time limit without an end": (("settings", "timeout"), 1e300, "invalid timeout 1e+300 s: expected"),
    "a path that is none": (("cases",), ["a\0b"], "invalid path"),
    "a label that is a path": (("labels",), ["1.9.1", "../x"], "invalid label '../x': expected a release"),
    "too few labels": (("labels",), ["1.9.1"], "invalid labels 1.9.1: expected 2, one per release"),
    "a label twice": (("labels",), ["1.9.1", "1.9.1"], "invalid labels 1.9.1, 1.9.1: expected each once"),
    "another label": (("label",), "1.6.0", "invalid label '1.6.0': expected one of"),
    "too few releases": (("mxnet",), [], "expected 1, one per release"),
}


def header(options: dict[str, Any]) -> RunHeader:
    return RunHeader(
        autoperf="0", mxnet="1.9.1", seed=0, started="", command=(), options=options,
    )  # fmt: skip


def test_what_was_options_of_is_read_back() -> None:
    assert options_of(Path("run.ndjson"), header(msgspec.to_builtins(ASKED))) == ASKED


@pytest.mark.parametrize("edit", EDITS)
def test_an_edited_option_is_told_by_its_field_and_file(edit: str) -> None:
    keys, value, words = EDITS[edit]
    options = inner = msgspec.to_builtins(ASKED)
    for key in keys[:-1]:
        inner = inner[key]
    inner[keys[-1]] = value
    with pytest.raises(CaseFileError) as caught:
        options_of(Path("run.ndjson"), header(options))
    assert str(caught.value).startswith("run.ndjson can't be resumed: invalid options in its header")
    assert words in str(caught.value)
