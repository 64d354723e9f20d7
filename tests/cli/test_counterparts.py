"""`compare --front-ends nd,np`: two functions of one name over the same inputs, measured in turn."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.forked_program import Program
from tools.stored_run import read_run

QUICK = ("--samples", "5", "--warmup", "0", "--processes", "2", "--format", "json")


def test_both_functions_are_measured_over_the_same_inputs(program: Program, tmp_path: Path) -> None:
    keep = tmp_path / "add.ndjson"
    inputs = ("--input", "lhs=4x4,8x8", "--input", "rhs=4x1,8x8", "--dtype", "float32,float64")
    done = program("compare", "--front-ends", "nd,np", "--operator", "add", *inputs, *QUICK, "--run-file", str(keep))
    comparison = json.loads(done.stdout)
    assert len({figure["case"] for figure in comparison["cases"]}) == 4
    assert comparison["unmatched"] == []
    assert "operator: base broadcast_add, new _npi_add" in comparison["notices"]
    base, new = (read_run(tmp_path / f"add-{side}.ndjson") for side in "AB")
    assert {outcome.operator for outcome in base.outcomes} == {"broadcast_add"}
    assert {outcome.operator for outcome in new.outcomes} == {"_npi_add"}
    assert [outcome.case for outcome in base.outcomes] == [outcome.case for outcome in new.outcomes]
    assert [item.tensor.shape for item in new.outcomes[0].inputs] == [(4, 4), (4, 1)]


def test_pairs_differ_in_parameters_too_and_both_sides_have_a_throughput(program: Program, tmp_path: Path) -> None:
    inputs = ("--input", "data=4x4", "--param", "axis=0,1", "--run-file", str(tmp_path / "sum.ndjson"))
    program("compare", "--front-ends", "nd,np", "--operator", "sum", *inputs, *QUICK)
    base, new = (read_run(tmp_path / f"sum-{side}.ndjson").outcomes for side in "AB")
    assert [outcome.params for outcome in base] == [outcome.params for outcome in new] == [{"axis": 0}, {"axis": 1}]
    assert [outcome.case for outcome in base] == [outcome.case for outcome in new]
    assert all(outcome.work for outcome in (*base, *new))


def test_the_canonical_inputs_are_those_of_the_first(program: Program) -> None:
    done = program("compare", "--front-ends", "nd,np", "--operator", "exp", "--input-profile", "small", *QUICK)
    assert {figure["profile"] for figure in json.loads(done.stdout)["cases"]} == {"small"}


def test_functions_of_one_purpose_may_have_different_names(program: Program) -> None:
    done = program("compare", "--front-ends", "nd,npx", "--operator", "batch_norm", "--input", "data=4x3x2x2", *QUICK)
    assert {figure["operator"] for figure in json.loads(done.stdout)["cases"]} == {"BatchNorm"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("nd,np", "--operator", "ad"), "unknown operator 'nd.ad'; did you mean nd.add"),
        (("nd,np", "--operator", "pick"), "unknown operator 'np.pick'"),
        (("np,npx", "--operator", "add"), "unknown operator 'npx.add'; it may mean np.add"),
        (("nd,n", "--operator", "add"), "invalid --front-ends nd,n: expected two of nd, np, npx, sym"),
        (("nd", "--operator", "add"), "expected two of"),
        (("nd,np", "--operator", "add", "--mxnet", "1.9.1", "--mxnet", "1.9.1"), "leave out the second --mxnet"),
        (("nd,np", "--operator", "add", "--env", "A:OMP_NUM_THREADS=1"), "leave out the second --mxnet and --env"),
        (("nd,np",), "--front-ends needs names of functions in both"),
        (("nd,np", "--operator", "nd.add"), "--front-ends needs names of functions in both"),
        (("nd,np", "--operator", "add", "a", "b"), "leave out --front-ends"),
    ],
)
def test_a_mistake_is_told(program: Program, words: tuple[str, ...], message: str) -> None:
    done = program("compare", "--front-ends", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in " ".join(done.stderr.split())
