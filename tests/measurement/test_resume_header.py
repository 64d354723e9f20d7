"""What an edited header of a run file says is refused by its field; options that name code have to be repeated."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from autoperf.cases.build import Recipe
from autoperf.cases.selection import Selection
from autoperf.core.errors import CaseFileError, UsageError
from autoperf.measurement.resumed_run import (
    RunOptions,
    StoredSources,
    is_harmless,
    labelled_path,
    options_of,
    require_repeated,
    siblings,
)
from autoperf.measurement.settings import Settings
from autoperf.runs.runfile import RunHeader

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


@pytest.mark.parametrize("name", ["out.ndjson", "out", "out.1", "out-1.9.1"])
def test_the_files_of_all_releases_are_found_by_any_of_their_names(name: str) -> None:
    files = tuple(labelled_path(Path("folder", name), label) for label in ASKED.labels)
    for file, label in zip(files, ASKED.labels, strict=True):
        options = msgspec.structs.replace(ASKED, label=label)
        assert siblings(file, options) == files
        assert (options.own_side(ASKED.labels), options.own_side(("torch",)), options.own_side(())) == (
            (label,),
            ("torch",),
            (),
        )


def test_a_renamed_file_of_several_releases_is_told() -> None:
    with pytest.raises(UsageError, match=r"was renamed: expected a name that ends in -1\.9\.1"):
        siblings(Path("other.ndjson"), ASKED)


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


CODE = (
    *("LD_PRELOAD", "LD_AUDIT", "LD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES", "PYTHONHOME", "PYTHONSTARTUP", "PATH"),
    *("GCONV_PATH", "NLSPATH", "LOCPATH", "GLIBC_TUNABLES", "MALLOC_TRACE", "MALLOC_CONF", "BASH_ENV", "HOME"),
    *("OMP_TOOL", "OMP_TOOL_LIBRARIES", "MXNET_LIBRARY_PATH", "MXNET_HOME", "AUTOPERF_EXTENSIONS", "XLD_PRELOAD"),
)
HARMLESS = ("OMP_NUM_THREADS", "GOMP_SPINCOUNT", "KMP_AFFINITY", "MKL_VERBOSE", "DNNL_MAX_CPU_ISA", "MALLOC_ARENA_MAX")


@pytest.mark.parametrize("name", CODE)
def test_a_variable_that_may_name_code_is_not_harmless(name: str) -> None:
    assert not is_harmless(name)


@pytest.mark.parametrize("name", [*HARMLESS, "MXNET_USE_OPERATOR_TUNING", "MXNET_SUBGRAPH_BACKEND"])
def test_a_variable_that_changes_how_a_library_computes_is_harmless(name: str) -> None:
    assert is_harmless(name)


def test_the_options_that_name_code_are_repeated(tmp_path: Path) -> None:
    suite, data = tmp_path / "suite", tmp_path / "data"
    suite.mkdir()
    data.mkdir()
    (suite / "exp.py").touch()
    (data / "exp.yaml").touch()
    stored = StoredSources(
        (suite, data, "a.yaml", "b.py"),
        ("r.py",),
        ("1.9.1", "installed", "/b.so"),
        ({"OMP_NUM_THREADS": "1"}, {"PATH": "/"}),
    )
    code: dict[str, list[Any]] = {
        "--cases": [suite, Path.cwd() / "b.py"],
        "--rules": [Path.cwd() / "r.py"],
        "--mxnet": ["/b.so"],
        "--env": ["B:PATH=/"],
    }
    options = [word for option, values in code.items() for value in values for word in (option, str(value))]
    with pytest.raises(UsageError) as caught:
        require_repeated("hunt", Path("x"), stored, StoredSources())
    assert str(caught.value).endswith(f"`autoperf hunt --resume x {' '.join(options)}`")
    given = StoredSources((suite, "b.py"), ("r.py",), ("/b.so",), ({}, {"PATH": "/"}))
    require_repeated("hunt", Path("x"), stored, given)
