"""Findings as reports for a tracker, with scripts that plain MXNet runs."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import msgspec
import numpy as np
import pytest

from autoperf.backends.contents import fill
from autoperf.core.errors import UsageError
from autoperf.core.finding import Finding, SideRecord
from autoperf.core.outcome import PassName
from autoperf.core.tensors import (
    AnyContent,
    Ascending,
    Boxes,
    Constant,
    Distinct,
    Integers,
    Literal_,
    Mask,
    Matrices,
    Normal,
    Patterned,
    Probabilities,
    Uniform,
)
from autoperf.hunt.issue import plain_script
from tests.finding_values import HEADER, LOOP, SOFTMAX, TAKE, finding, hunt_report, softmax
from tests.forked_program import Program
from tests.kept_hunts import SAMPLE
from tests.reports.report_values import text_of
from tests.values import case, inputs, tensor

PRINTED = re.compile(r"MXNet 1\.9\.1: slow [\d.e+]+ us, fast [\d.e+]+ us, [\d.e+-]+ times\n")


def issue_of(findings: Mapping[str, Finding]) -> str:
    return text_of("hunt", "issue", hunt_report(findings, header=HEADER))


def run(script: str, folder: Path) -> str:
    """The output of the script, which a fresh Python runs outside of this folder."""
    file = folder / "script.py"
    file.write_text(script)
    ended = subprocess.run([sys.executable, "-I", str(file)], cwd=folder, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def scripts_of(text: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", text, re.DOTALL)


@pytest.mark.parametrize("pass_", [pytest.param("forward", marks=pytest.mark.nightly), "backward"])
def test_an_issue_has_a_script_that_needs_no_autoperf(pass_: PassName, tmp_path: Path) -> None:
    found = finding(softmax((64, 8)), softmax((64, 8), axis=-1), pass_=pass_)
    text = issue_of({"autoperf hunt --replay FOLDER 1": found})
    assert text.startswith(f"# softmax ({pass_}) is slow: data (64, 8); axis=0\n")
    assert "axis=0 takes 1.23 ms, 4.20 times [4.07, 4.37] as long as data (64, 8); axis=-1 for equal work." in text
    (script,) = scripts_of(text)
    assert "autoperf" not in script
    assert PRINTED.fullmatch(run(script, tmp_path))


@pytest.mark.nightly
def test_lists_numbers_and_sparse_tensors_are_written_as_a_user_writes_them(tmp_path: Path) -> None:
    joined = case("Concat", inputs=inputs(data=(tensor(4, 2), tensor(4, 2))), params={"num_args": 2, "dim": 1})
    added = case("_plus_scalar", 4, 2, params={"scalar": 2.0, "is_int": False})
    script = plain_script(joined, added, "forward", "1.9.1")
    assert "mx.nd.Concat(data_0, data_1, num_args=2, dim=1)" in script
    assert "mx.nd._internal._plus_scalar(data, scalar=2.0, is_int=False)" in script
    assert PRINTED.fullmatch(run(script, tmp_path))
    sparse = plain_script(TAKE.case, TAKE.contrast, "forward", "1.9.1")
    assert 'dtype="float16").tostype("row_sparse")' in sparse


def test_a_weight_that_is_updated_in_place_is_the_output(tmp_path: Path) -> None:
    update = case(
        "sgd_update", inputs=inputs(weight=tensor(8), grad=tensor(8)), params={"lr": 0.1}, in_place=("weight",)
    )
    script = plain_script(update, update, "forward", "1.9.1")
    assert "mx.nd.sgd_update(weight, grad, lr=0.1, out=weight)" in script
    assert PRINTED.fullmatch(run(script, tmp_path))


@pytest.mark.nightly
def test_functions_of_numpy_take_its_arrays(tmp_path: Path) -> None:
    added = case("_npi_add", inputs=inputs(lhs=tensor(8), rhs=tensor(8)))
    script = plain_script(added, added, "backward", "1.9.1")
    assert "mx.npx.set_np()" in script
    assert "lhs = mx.np.array(" in script
    assert PRINTED.fullmatch(run(script, tmp_path))


@pytest.mark.nightly
def test_a_finding_between_two_builds_is_timed_on_each(tmp_path: Path) -> None:
    sides = msgspec.structs.replace(finding(softmax((64, 8)), softmax((64, 8))), sides=("2.0.0b1", "1.9.1"))
    text = issue_of({"a": sides})
    assert "The script times the input; run it on 2.0.0b1 and on 1.9.1." in text
    assert re.fullmatch(r"MXNet 1\.9\.1: [\d.e+]+ us\n", run(scripts_of(text)[0], tmp_path))


def test_a_script_of_a_finding_against_another_framework_is_of_mxnet_alone() -> None:
    sides = (SideRecord(words="MXNet 1.9.1", mxnet="1.9.1"), SideRecord(words="X", mxnet="2", framework="torch"))
    found = msgspec.structs.replace(finding(softmax((64, 8)), softmax((64, 8))), sides=("MXNet 1.9.1", "X"))
    text = text_of("hunt", "issue", hunt_report({"a": found}, header=msgspec.structs.replace(HEADER, sides=sides)))
    assert (
        "The script times whole calls on MXNet 1.9.1; the times above are by the kernels of MXNet 1.9.1, without "
        "dispatch, and whole calls of X from Python.\n"
    ) in text


def test_every_finding_is_an_issue_and_names_where_it_was_found() -> None:
    text = issue_of({"a": SOFTMAX, "b": TAKE, "autoperf hunt --replay FOLDER 3": finding(LOOP, LOOP)})
    titles = {line.partition(" is slow")[0] for line in text.splitlines() if " is slow: " in line}
    assert titles == {"# take (backward)", "# softmax (forward)", "# _foreach (forward)"}
    assert "`autoperf hunt --replay FOLDER 3`, with autoperf: _foreach isn't called as one function of" in text
    assert text.count("- MXNet 1.9.1, 2 threads") == text.count("found by autoperf 0.1.0 (seed 7)") == 3
    assert text.count(HEADER.started) == 3
    assert "- OMP_NUM_THREADS=2\n" in text
    assert issue_of({}) == "No input is known to be unexpectedly slow. There is nothing to report.\n"


def test_report_writes_issues_of_a_kept_log_and_refuses_those_of_a_run(program: Program, tmp_path: Path) -> None:
    done = program("report", str(SAMPLE), "--format", "issue", "--report", "issues.md", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "issues.md").read_text()
    assert len(re.findall("^# .* is slow: ", text, re.MULTILINE)) == 50
    for script in scripts_of(text):
        compile(script, "script", "exec")


CONTENTS: tuple[AnyContent, ...] = (
    Uniform(2.0, 5.0), Normal(3.0, 0.5), Integers(2, 9), Constant(4.0), Literal_((1.0, 2.0, 3.0)),
    Distinct(50), Distinct(50, ordered=True), Ascending(0.0, 2.0), Probabilities(), Mask(0.3),
    *(Matrices(form) for form in ("positive_definite", "symmetric", "dominant", "lower", "upper")),
    *(Patterned(Uniform(), pattern) for pattern in ("sorted", "reversed", "constant", "few", "zeros", "zero_rows")),
    Patterned(Uniform(), "maps"), Patterned(Uniform(), "subnormal"), Patterned(Uniform(), "nan", kept=0.25),
    Patterned(Uniform(), drawn_as="float16"),
)  # fmt: skip


@pytest.mark.parametrize("content", CONTENTS, ids=str)
def test_a_script_draws_like_contents(content: AnyContent) -> None:
    script = plain_script(case("exp", inputs=inputs(data=tensor(40, 40, content=content))), None, "forward", "1.9.1")
    (source,) = re.findall(r"data = mx\.nd\.array\((.*), dtype=\"float32\"\)", script)
    drawn = eval(source, {"np": np, "rng": np.random.RandomState(0)}).astype("float32")
    expected = fill(content, (40, 40), "float32", np.random.default_rng(0))
    assert drawn.shape == expected.shape
    for measure in (np.nanmean, np.nanmin, np.nanmax, lambda values: np.isnan(values).mean()):
        assert measure(drawn) == pytest.approx(measure(expected), abs=0.2 * max(1.0, np.nanmax(expected)))
    assert np.allclose(drawn.sum(axis=-1), 1) == np.allclose(expected.sum(axis=-1), 1)
    for kept in ("sorted", "reversed", "constant", "few", "ordered"):
        if kept in str(content):
            assert len(np.unique(drawn)) == len(np.unique(expected)) or kept not in ("constant", "few")
            assert (np.diff(drawn.ravel()) >= 0).all() == (np.diff(expected.ravel()) >= 0).all()
    if isinstance(content, Matrices) and content.form == "positive_definite":
        assert np.linalg.eigvalsh(drawn).min() > 0


def test_boxes_have_corners_in_order() -> None:
    content = Boxes(8.0, 6.0, lead=((0, 2), (0, 1)), tail=((5, 6),))
    script = plain_script(case("exp", inputs=inputs(data=tensor(30, 7, content=content))), None, "forward", "1.9.1")
    (source,) = re.findall(r"data = mx\.nd\.array\((.*), dtype=\"float32\"\)", script)
    drawn = eval(source, {"np": np, "rng": np.random.RandomState(0)})
    assert (drawn[:, 2:4] < drawn[:, 4:6]).all()
    assert (drawn[:, 4:6] <= (8.0, 6.0)).all()
    assert set(drawn[:, 0]) == {0.0, 1.0}
    assert set(drawn[:, 6]) == {5.0}


def test_a_dtype_that_numpy_lacks_has_no_script() -> None:
    with pytest.raises(UsageError, match="NumPy has no bfloat16"):
        plain_script(case("exp", 4, dtype="bfloat16"), None, "forward", "1.9.1")
