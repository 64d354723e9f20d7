"""The implementation that ran is known by oneDNN's log: in the words of its versions, and in the trial of a case."""

from __future__ import annotations

from pathlib import Path

import pytest

from autoperf.backends.mxnet.trial import library_of
from autoperf.core.outcome import PASSES
from tests.forked_program import Program
from tools.stored_run import read_run

INFO = (
    "dnnl_verbose,info,cpu,runtime:OpenMP\ndnnl_verbose,info,prim_template:operation,engine,primitive,implementation\n"
)
REORDER = "dnnl_verbose,exec,cpu,reorder,jit:uni,undef,src_f32::blocked:abcd:f0,,,8x8x3x3,0.001\n"
SOFTMAX = "exec,cpu,softmax,jit:avx2,forward_inference,data_f32::blocked:ab:f0,,alg:softmax axis:1,32x64,0.01\n"
QUICK = ("--draws", "0", "--warmup", "1", "--samples", "2", "--processes", "1")


@pytest.mark.parametrize(
    ("log", "library"),
    [
        ("", ""),
        (INFO, ""),
        (f"{INFO}dnnl_verbose,{SOFTMAX}", "oneDNN jit:avx2"),
        (f"onednn_verbose,v1,primitive,{SOFTMAX}", "oneDNN jit:avx2"),
        ("mkldnn_verbose,exec,convolution,ref:any,forward_training,alg:convolution_direct,0.02\n", "oneDNN ref:any"),
        (f"{REORDER}dnnl_verbose,{SOFTMAX}{REORDER}", "oneDNN jit:avx2"),
        (REORDER, "oneDNN jit:uni"),
        ("".join(f"dnnl_verbose,exec,cpu,matmul,{name},undef,,,,1x1,0.1\n" for name in "abca"), "oneDNN a, b, 1 more"),
        (f"a message that names dnnl_verbose,{SOFTMAX}", ""),
    ],
    ids=["nothing", "no kernel", "kernel", "newer", "older", "between reorders", "reorder alone", "several", "no line"],
)  # fmt: skip
def test_implementations_are_read(log: str, library: str) -> None:
    assert library_of(log) == library


@pytest.mark.parametrize(("setting", "fast"), [("1", "oneDNN "), ("0", "MXNet")])
def test_a_run_has_the_path_of_each_pass_and_another_dtype_or_setting_loses_it(
    program: Program, tmp_path: Path, setting: str, fast: str
) -> None:
    cases = ("--operator", "softmax,dot", "--input-profile", "small", "--dtype", "float32,float16", *QUICK)
    report = ("--format", "csv", "--columns", "operator,forward_path,backward_path")
    keep = ("--run-file", str(tmp_path / "run.ndjson"))
    done = program("run", *cases, *keep, *report, env={"MXNET_MKLDNN_ENABLED": setting})
    passes = {
        (outcome.operator, outcome.inputs[0].tensor.dtype, name): run.path
        for outcome in read_run(tmp_path / "run.ndjson").outcomes
        for name, run in outcome.passes.items()
    }
    assert len(passes) == 6
    assert {key: path for key, path in passes.items() if path != "MXNet" and key[:2] != ("softmax", "float32")} == {}
    assert all(passes["softmax", "float32", name].startswith(fast) for name in PASSES)
    assert f"softmax,{passes['softmax', 'float32', 'forward']}" in done.stdout
