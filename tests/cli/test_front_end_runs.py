"""Front-end benchmarks run like operators; two functions of one name are measured in turn by --front-ends."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from autoperf.core.outcome import Status
from tests.forked_program import Program
from tools.stored_run import read_run

QUICK = ("--input-profile", "small", "--warmup", "1", "--samples", "3", "--processes", "1", "--format", "json")
LONGER = ("--input-profile", "common", *QUICK[2:], "--draws", "0")
"""Likewise, of inputs whose kernels take more than the microsecond that the trace tells apart."""
EVERY = """
from autoperf.backends.mxnet.backend import BACKEND
from autoperf.backends.mxnet.capi.library import open_library
from autoperf.backends.mxnet.backend import find_library
from autoperf.cases.build import Recipe, build
from autoperf.backends.mxnet.call import Call
from autoperf.rules.front_end_benchmarks import front_end_benchmarks_by_name

library = open_library(find_library())
for name, entry in front_end_benchmarks_by_name().items():
    for case in build(entry.operator, entry.rule(), Recipe(seed=1, draws=1, elements=4096), BACKEND).cases:
        if case.profile in ("small", "drawn"):
            try:
                call = Call(library, case, ("cpu", 0))
                for _ in range(2):
                    call.invoke()
                    library.wait_all()
                    call.invoke.free(())
                call.free()
            except Exception as error:
                print(name, case.profile, type(error).__name__, error)
"""


def test_they_have_kernel_time_and_wall_time(program: Program) -> None:
    done = program("run", "--operator", "NDArray_iadd", "--operator", "NDArray_copyto", *LONGER)
    assert done.returncode == 0, done.stderr
    for outcome in json.loads(done.stdout)["outcomes"]:
        assert (outcome["status"], outcome["category"]) == ("measured", "front_end")
        forward = outcome["forward"]
        assert 0 < forward["kernel_us"]["median"] < forward["wall_us"]["median"]
        assert outcome.get("backward") is outcome.get("memory") is None


def test_fills_are_kernels_of_the_call_and_nothing_is_noted(program: Program) -> None:
    (outcome,) = json.loads(program("run", "--operator", "nd_zeros", *LONGER).stdout)["outcomes"]
    assert outcome["forward"]["kernel_us"]["median"] > 0
    assert list(outcome["forward"]["kernels"]) == ["_zeros"]
    assert not outcome["forward"].get("notes")


def test_a_refusal_of_the_package_is_one_sentence(program: Program) -> None:
    options = ("--operator", "optimizer_AdaDelta", "--dtype", "float16,float32", "--draws", "0")
    outcome, _ = json.loads(program("run", *options, *QUICK).stdout)["outcomes"]
    assert outcome["status"] == "skipped"
    assert "Check failed: " in outcome["reason"]
    assert "Traceback" not in outcome["reason"]


def test_discover_lists_them_beside_the_operators(program: Program) -> None:
    listed = program("discover", "--operator", "NDArray_copy", "--operator", "exp").stdout
    assert "no gradient" in listed
    assert listed.endswith("1 of 611 forward operators shown\n1 front-end benchmark shown, not registered by MXNet\n")
    alone = program("discover", "--category", "front_end").stdout
    assert "operators shown" not in alone
    assert alone.endswith("front-end benchmarks shown, not registered by MXNet\n")


@pytest.mark.nightly
def test_a_rendered_file_measures_them(program: Program, tmp_path: Path) -> None:
    assert program("generate", "--operator", "NDArray_copy", "--folder", str(tmp_path)).returncode == 0
    command = [sys.executable, str(tmp_path / "front_end" / "NDArray_copy.py"), "--warmup", "1", "--samples", "3"]
    done = subprocess.run([*command, "--processes", "1"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "6 cases = 6 measured" in done.stdout


def test_without_the_package_they_are_skipped_with_that_reason(program: Program) -> None:
    done = program("run", "--mxnet", "2.0.0b1", "--operator", "NDArray_copy", *QUICK)
    (outcome,) = json.loads(done.stdout)["outcomes"]
    assert outcome["status"] == "skipped"
    assert "without the Python package, which is not in" in outcome["reason"]


def test_every_benchmark_runs_on_small_and_on_drawn_inputs() -> None:
    done = subprocess.run([sys.executable, "-c", EVERY], capture_output=True, text=True, check=True)
    assert done.stdout == ""


IN_TURN = ("--samples", "5", "--warmup", "0", "--processes", "2", "--format", "json")


def test_both_functions_are_measured_over_the_same_inputs(program: Program, tmp_path: Path) -> None:
    keep = tmp_path / "add.ndjson"
    inputs = ("--input", "lhs=4x4,8x8", "--input", "rhs=4x1,8x8", "--dtype", "float32,float64")
    done = program("compare", "--front-ends", "nd,np", "--operator", "add", *inputs, *IN_TURN, "--run-file", str(keep))
    comparison = json.loads(done.stdout)
    assert len({figure["case"] for figure in comparison["cases"]}) == 4
    assert comparison["unmatched"] == []
    assert "operator: base broadcast_add, new _npi_add" in comparison["notices"]
    base, new = (read_run(tmp_path / f"add-{side}.ndjson") for side in "AB")
    assert {outcome.operator for outcome in base.outcomes} == {"broadcast_add"}
    assert {outcome.operator for outcome in new.outcomes} == {"_npi_add"}
    assert [outcome.case for outcome in base.outcomes] == [outcome.case for outcome in new.outcomes]
    assert [item.tensor.shape for item in new.outcomes[0].inputs] == [(4, 4), (4, 1)]


def test_results_are_compared_as_numbers_and_another_form_is_noted(program: Program) -> None:
    inputs = ("--input-profile", "small", "--draws", "0", "--dtype", "int32")
    done = program("compare", "--front-ends", "nd,np", "--operator", "mean,argmax,square", *inputs, *IN_TURN)
    comparison = json.loads(done.stdout)
    # nd.mean of whole numbers is a whole number.
    (different,) = comparison["different"]
    assert (different["operator"], different["difference"]["result"]) == ("_npi_mean", "output")
    assert done.returncode == 1
    notes = {figure["operator"]: figure.get("notes", []) for figure in comparison["cases"]}
    assert notes == {
        "_npi_argmax": [
            "new: its output is int64 (32,), and that of the other function int32 (32,): they are compared as numbers"
        ],
        "_npi_square": [],
    }


@pytest.mark.nightly
def test_pairs_differ_in_parameters_too_and_both_sides_have_a_throughput(program: Program, tmp_path: Path) -> None:
    inputs = ("--input", "data=4x4", "--param", "axis=0,1", "--run-file", str(tmp_path / "sum.ndjson"))
    program("compare", "--front-ends", "nd,np", "--operator", "sum", *inputs, *IN_TURN)
    base, new = (read_run(tmp_path / f"sum-{side}.ndjson").outcomes for side in "AB")
    assert [outcome.params for outcome in base] == [outcome.params for outcome in new] == [{"axis": 0}, {"axis": 1}]
    assert [outcome.case for outcome in base] == [outcome.case for outcome in new]
    assert all(outcome.work for outcome in (*base, *new))


def test_the_canonical_inputs_are_those_of_the_first(program: Program) -> None:
    done = program("compare", "--front-ends", "nd,np", "--operator", "exp", "--input-profile", "small", *IN_TURN)
    assert {figure["profile"] for figure in json.loads(done.stdout)["cases"]} == {"small"}


@pytest.mark.nightly
def test_both_functions_share_a_time_budget(program: Program) -> None:
    options = ("--operator", "add", "--input-profile", "small", "--time-budget", "60s")
    done = program("compare", "--front-ends", "nd,np", *options, *IN_TURN)
    assert {figure["profile"] for figure in json.loads(done.stdout)["cases"]} == {"small"}


def test_each_call_is_measured_though_it_differs_only_by_contents(program: Program) -> None:
    inputs = ("--input", "lhs=4x4:uniform(0, 1),4x4:normal()", "--input", "rhs=4x4")
    done = program("compare", "--front-ends", "nd,np", "--operator", "add", *inputs, *IN_TURN)
    assert len({figure["case"] for figure in json.loads(done.stdout)["cases"]}) == 2


def test_a_refused_call_beside_an_accepted_one_is_skipped_with_the_reason(program: Program, tmp_path: Path) -> None:
    inputs = ("--input", "lhs=4x4,4x4,4x4", "--input", "rhs=4x4,3x3,2x2", "--run-file", str(tmp_path / "add.ndjson"))
    program("compare", "--front-ends", "nd,np", "--operator", "add", *inputs, *IN_TURN)
    for side in "AB":
        outcomes = read_run(tmp_path / f"add-{side}.ndjson").outcomes
        skipped = [outcome for outcome in outcomes if outcome.status is Status.SKIPPED]
        assert len(outcomes) == len({outcome.case for outcome in outcomes}) == 3
        assert len(skipped) == 2
        assert all(outcome.operator in outcome.reason for outcome in skipped)


def test_functions_of_one_purpose_may_have_different_names(program: Program) -> None:
    done = program("compare", "--front-ends", "nd,npx", "--operator", "batch_norm", "--input", "data=4x3x2x2", *IN_TURN)
    assert {figure["operator"] for figure in json.loads(done.stdout)["cases"]} == {"BatchNorm"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("nd,np", "--operator", "ad"), "unknown operator 'nd.ad'; did you mean nd.add"),
        (("nd,np", "--operator", "pick"), "unknown operator 'np.pick'"),
        (("np,npx", "--operator", "add"), "unknown operator 'npx.add'; it may mean np.add"),
        (("nd,n", "--operator", "add"), "invalid --front-ends nd,n: expected two of nd, np, npx, sym"),
        (("nd", "--operator", "add"), "expected two of"),
        (("nd,np,nd", "--operator", "add"), "invalid --front-ends nd,np,nd: expected two of"),
        (("nd,np", "--operator", "add", "--mxnet", "1.9.1", "--mxnet", "1.9.1"), "leave out the second --mxnet"),
        (("nd,np", "--operator", "add", "--env", "A:OMP_NUM_THREADS=1"), "leave out the second --mxnet and --env"),
        (("nd,np",), "--front-ends needs names of functions in both"),
        (("nd,np", "--operator", "nd.add"), "--front-ends needs names of functions in both"),
        (("nd,np", "--operator", "add", "a", "b"), "leave out --front-ends"),
        (("nd,np", "--operator", "add", "--input-profile", "nosuch"), "unknown profile 'nosuch'; it may mean small"),
        (
            ("nd,np", "--operator", "add", "--input", "lhs=4x4,4x4", "--input", "rhs=4x4"),
            "the same inputs of broadcast_add are given twice: give them once",
        ),
    ],
)
def test_a_mistake_is_told(program: Program, words: tuple[str, ...], message: str) -> None:
    done = program("compare", "--front-ends", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in " ".join(done.stderr.split())
