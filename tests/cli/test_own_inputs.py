"""Your own inputs: on the command line, in files and in folders, on each command that measures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.forked_program import Program

QUICK = ("--samples", "2", "--warmup", "0", "--processes", "1", "--format", "json")
YAML = """
- operator: softmax
  name: logits
  inputs: {data: 4x8}
  dtype: [float16, float32]
- operator: nd.dot
  inputs: {lhs: 2x3, rhs: 3x2}
"""
PYTHON = """
from autoperf.bench import Suite, case, tensor

SUITE = Suite(operator="softmax", category="activation")


@case()
def vocabulary():
    return dict(data=tensor((2, 30)), axis=-1)


@case(profile="heads")
def attention():
    return dict(data=tensor((2, 3, 4, 4)), axis=-1)
"""


def outcomes(program: Program, *arguments: str, folder: Path) -> list[dict[str, Any]]:
    done = program("run", *arguments, *QUICK, "--run-file", str(folder / "run.ndjson"))
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)["outcomes"]
    return found


def shapes(outcome: dict[str, Any]) -> list[tuple[str, list[int], str]]:
    return [(item["name"], item["tensor"]["shape"], item["tensor"]["dtype"]) for item in outcome["inputs"]]


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "own"
    (folder / "deeper").mkdir(parents=True)
    (folder / "cases.yaml").write_text(YAML)
    (folder / "deeper" / "own.py").write_text(PYTHON)
    return folder


def test_one_short_command_measures_two_shapes_in_two_dtypes(program: Program, tmp_path: Path) -> None:
    words = ("--operator", "softmax", "--input", "data=128x30,(2, 3, 8, 8)", "--param", "axis=-1")
    found = outcomes(program, *words, "--dtype", "float16,float32", folder=tmp_path)
    assert [shapes(one) for one in found] == [
        [("data", [128, 30], "float16")],
        [("data", [128, 30], "float32")],
        [("data", [2, 3, 8, 8], "float16")],
        [("data", [2, 3, 8, 8], "float32")],
    ]
    assert {one["status"] for one in found} == {"measured"}
    assert all(one["params"] == {"axis": -1} for one in found)


def test_what_inference_deduces_is_left_out(program: Program, tmp_path: Path) -> None:
    words = ("--operator", "nd.FullyConnected", "--input", "data=4x8:uniform(0, 1)", "--param", "num_hidden=3")
    (found,) = outcomes(program, *words, folder=tmp_path)
    assert shapes(found) == [("data", [4, 8], "float32"), ("weight", [3, 8], "float32"), ("bias", [3], "float32")]
    assert found["inputs"][0]["tensor"]["content"] == {"kind": "uniform", "low": 0.0, "high": 1.0}


def test_without_backward_passes_own_inputs_are_inference(program: Program, tmp_path: Path) -> None:
    words = ("--operator", "Dropout", "--input", "data=100:constant(1)", "--backward", "off")
    (found,) = outcomes(program, *words, folder=tmp_path)
    assert found["backward"] is None
    (result,) = found["results"]
    assert (result["least"], result["largest"]) == (1.0, 1.0)  # Nothing is dropped.


@pytest.mark.nightly
def test_an_lstm_with_a_projection_is_measured_in_inference(program: Program, tmp_path: Path) -> None:
    words = ("--operator", "gluon.rnn.LSTM", "--input", "data=5x2x3", "--param", "hidden_size=4")
    projected = (*words, "--param", "projection_size=2", "--backward", "off")
    (found,) = outcomes(program, *projected, folder=tmp_path)
    assert (found["status"], found["backward"]) == ("measured", None)


REFUSED = {
    "a length": (
        ("SequenceMask", "data=8x512x768", "sequence_length=8"),
        "expected data; it takes sequence_length with use_sequence_length=true",
    ),
    "an optional length": (("softmax", "data=3x5", "length=3"), "expected data; it takes length with use_length=true"),
    "lengths": (
        ("CTCLoss", "data=20x2x10", "label=2x5", "data_lengths=2", "label_lengths=2"),
        "it takes data_lengths with use_data_lengths=true; it takes label_lengths with use_label_lengths=true",
    ),
    "slopes": (("LeakyReLU", "data=3x8", "gamma=8"), "expected data; it takes gamma with act_type=prelu"),
    "a place and its name": (
        ("softmax", "0=2x3", "data=4x4"),
        "data of softmax is given twice, as inputs or as an input and a parameter",
    ),
    "no bias": (
        ("FullyConnected", "data=2x3", "bias=None", "num_hidden=4"),
        "bias is None, and it needs one with these parameters; it takes none with no_bias=true",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_tensor_that_needs_a_parameter_names_it(program: Program, what: str) -> None:
    (operator, *words), message = REFUSED[what]
    options = ("--param" if word.startswith("num_") else "--input" for word in words)
    given = (each for pair in zip(options, words, strict=True) for each in pair)
    done = program("run", "--operator", operator, *given)
    assert (done.returncode, done.stderr.strip().endswith(message)) == (2, True), done.stderr


def test_an_lstm_that_would_write_beyond_its_output_is_refused(program: Program, tmp_path: Path) -> None:
    params = ("mode=lstm", "state_size=16", "num_layers=1", "projection_size=8")
    words = [word for param in params for word in ("--param", param)]
    words = ["--operator", "RNN", "--input", "data=5x3x10", "--backward", "off", *words]
    refused = program("run", *words)
    reason = "an LSTM with projection_size writes its last states beyond its output unless state_outputs is true"
    assert (refused.returncode, reason in refused.stderr) == (2, True)
    (found,) = outcomes(program, *words, "--param", "state_outputs=true", folder=tmp_path)
    assert [output["shape"] for output in found["outputs"]] == [[5, 3, 8], [1, 3, 8], [1, 3, 16]]


def test_an_optional_tensor_may_be_none(program: Program, tmp_path: Path) -> None:
    words = ("--operator", "FullyConnected", "--input", "data=2x3", "--input", "bias=None", "--param", "num_hidden=4")
    (found,) = outcomes(program, *words, "--param", "no_bias=true", folder=tmp_path)
    assert [name for name, _, _ in shapes(found)] == ["data", "weight"]
    misspelt = program("run", "--operator", "softmax", "--input", "data=2x3", "--input", "lenght=None")
    assert "did you mean length?" in misspelt.stderr


def test_functions_of_numpy_take_their_own_arguments(program: Program, tmp_path: Path) -> None:
    words = ("--operator", "np.swapaxes", "--input", "a=3x5", "--param", "axis1=0", "--param", "axis2=1")
    (found,) = outcomes(program, *words, folder=tmp_path)
    assert (shapes(found)[0][0], found["params"]) == ("data", {"dim1": 0, "dim2": 1})


def test_a_part_of_an_image_is_its_slice(program: Program, tmp_path: Path) -> None:
    words = ("--operator", "npx.image.center_crop", "--input", "src=20x30x3", "--param", "size=(4,6)")
    (found,) = outcomes(program, *words, folder=tmp_path)
    assert (found["operator"], found["outputs"][0]["shape"]) == ("slice", [6, 4, 3])
    larger = program("run", *words[:-1], "size=(40,6)")
    assert (larger.returncode, "unknown parameter of slice 'size'" in larger.stderr) == (2, True)


def test_of_several_values_those_that_mxnet_refuses_are_skipped_and_named(program: Program, tmp_path: Path) -> None:
    words = ("--operator", "Pooling", "--input", "data=2x3x8x8", "--param", "kernel=2x2")
    several = ("--param", "pool_type=max,lp", "--param", "pooling_convention=valid,full")
    found = outcomes(program, *words, *several, folder=tmp_path)
    assert [one["reason"].partition(": MXNet refuses")[0] for one in found] == [
        "pool_type=lp, pooling_convention=valid",
        "pool_type=lp, pooling_convention=full",
        "",
        "",
    ]


def test_a_run_of_own_inputs_is_resumed_with_them(program: Program, tmp_path: Path) -> None:
    run = tmp_path / "run.ndjson"
    outcomes(program, "--operator", "exp", "--input", "data=2,3", folder=tmp_path)
    lines = run.read_bytes().splitlines(keepends=True)
    run.write_bytes(b"".join(lines[:3]))
    refused = program("run", "--resume", str(run), "--input", "data=4")
    assert refused.returncode == 2
    assert "--input differs from the options" in refused.stderr
    resumed = program("run", "--resume", str(run), "--format", "json")
    assert "data=2,3 is 2 cases of one dimension each" in resumed.stderr
    assert resumed.returncode == 0, resumed.stderr
    assert [shapes(one)[0][1] for one in json.loads(resumed.stdout)["outcomes"]] == [[2], [3]]


def test_several_files_and_a_folder_are_measured_under_their_names(
    program: Program, tmp_path: Path, files: Path
) -> None:
    (tmp_path / "more.toml").write_text('[[cases]]\noperator = "exp"\nname = "more"\ninputs = { data = "(2, 2)" }\n')
    found = outcomes(program, "--cases", str(tmp_path / "more.toml"), "--cases", str(files), folder=tmp_path)
    assert [(one["operator"], one["profile"]) for one in found] == [
        ("exp", "more"),
        ("softmax", "logits"),
        ("softmax", "logits"),
        ("dot", "user"),
        ("softmax", "vocabulary"),
        ("softmax", "heads"),
    ]


NARROWED = {
    "an operator": (("--operator", "nd.dot"), {"user"}),
    "a category": (("--category", "activation"), {"logits", "vocabulary", "heads"}),
    "profiles": (("--input-profile", "heads,user"), {"heads", "user"}),
    "both": (("--operator", "softmax", "--input-profile", "vocabulary"), {"vocabulary"}),
}


@pytest.mark.parametrize("how", NARROWED)
def test_cases_are_narrowed(program: Program, tmp_path: Path, files: Path, how: str) -> None:
    words, profiles = NARROWED[how]
    found = outcomes(program, "--cases", str(files), *words, folder=tmp_path)
    assert {one["profile"] for one in found} == profiles


def test_a_stored_suite_and_its_folder_are_narrowed_alike(program: Program, tmp_path: Path) -> None:
    suite = tmp_path / "suite"
    assert program("generate", "--operator", "exp", "--operator", "relu", "--folder", str(suite)).returncode == 0
    for number, cases in enumerate((suite, suite / "cases.ndjson")):
        folder = tmp_path / str(number)
        folder.mkdir()
        words = ("--cases", str(cases), "--operator", "exp", "--input-profile", "small")
        (found,) = outcomes(program, *words, folder=folder)
        assert (found["operator"], found["profile"]) == ("exp", "small")


def test_several_dtypes_are_drawn_by_a_rule_too(program: Program, tmp_path: Path) -> None:
    words = ("--operator", "relu", "--input-profile", "small", "--dtype", "float64,float32")
    found = outcomes(program, *words, folder=tmp_path)
    assert [shapes(one)[0][2] for one in found] == ["float64", "float32"]


def test_both_sides_of_a_comparison_measure_them(program: Program, tmp_path: Path) -> None:
    sides = ("--env", "A:OMP_NUM_THREADS=1", "--env", "B:OMP_NUM_THREADS=2")
    words = ("--operator", "relu", "--input", "data=8x8", "--processes", "1", "--samples", "2", "--warmup", "0")
    done = program("compare", *sides, *words, "--run-file", str(tmp_path / "kept.ndjson"), "--format", "json")
    assert done.returncode in (0, 1, 3), done.stderr
    for side in "AB":
        assert '"shape":[8,8]' in (tmp_path / f"kept-{side}.ndjson").read_text()


SOFTMAX = ("run", "--operator", "softmax")
MISTAKES: dict[str, tuple[tuple[str, ...], str]] = {
    "a misspelt tensor": ((*SOFTMAX, "--input", "dta=2x3"), "unknown input of softmax 'dta'; did you mean data?"),
    "a misspelt parameter": (
        (*SOFTMAX, "--input", "data=2x3", "--param", "axes=1"),
        "unknown parameter of softmax 'axes'; did you mean axis?",
    ),
    "a parameter as a tensor": (
        ("run", "--operator", "nd.reshape", "--input", "data=2x3", "--input", "newshape=6"),
        "unknown input of Reshape 'newshape': it has the parameter shape (--param shape=VALUE)",
    ),
    "a tensor as a parameter": (
        ("run", "--operator", "exp", "--param", "data=2x3"),
        "unknown parameter of exp 'data': it has the input data (--input data=SHAPE)",
    ),
    "a misspelt operator": (("run", "--operator", "sofmax", "--input", "data=2"), "did you mean softmax"),
    "inputs of no operator": (("run", "--input", "data=2"), "need one operator: name it with --operator"),
    "inputs of several operators": (("run", "--operator", "exp*", "--input", "data=2"), "exp* selects"),
    "inputs with a profile": ((*SOFTMAX, "--input", "data=2", "--input-profile", "small"), "leave out --input-profile"),
    "a parameter alone": ((*SOFTMAX, "--param", "axis=1"), "can't deduce the shape of data of softmax"),
    "a value that it refuses": ((*SOFTMAX, "--input", "data=2", "--param", "axis=x"), "MXNet refuses these inputs"),
    "a shape that it refuses": (
        ("run", "--operator", "dot", "--input", "lhs=2x3", "--input", "rhs=4x5"),
        "MXNet refuses these inputs of dot: Check failed: L[!Ta].Size() == R[Tb].Size() (3 vs. 4)",
    ),
    "the same inputs twice": ((*SOFTMAX, "--input", "data=2,(2)"), "are given twice: give them once"),
    "a dtype without effect": (
        (*SOFTMAX, "--input", "data=2:float32", "--dtype", "float16,float32"),
        "these inputs are the same in float16 and float32: give one dtype",
    ),
    "an operator that can't be measured": (("run", "--operator", "_imdecode", "--input", "buf=2"), "can't be measured"),
    "a misspelt tensor of a hunt": (("hunt", "--operator", "relu", "--input", "dta=2"), "did you mean data"),
    "a profile without cases": (
        ("hunt", "--operator", "relu", "--input-profile", "small"),
        "leave out --input-profile",
    ),
    "a folder without cases": (("run", "--cases", "."), "has no file of cases: expected files that end in .py"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_an_error_and_never_skipped(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mistake: str
) -> None:
    words, text = MISTAKES[mistake]
    monkeypatch.chdir(tmp_path)
    done = program(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert text in done.stderr
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.iterdir())


IN_FILES = {
    "a misspelt tensor": ("inputs: {dta: 2x3}", "case 2 (exp): unknown input of exp 'dta'; did you mean data?"),
    "a misspelt parameter": ("params: {ax: 1}", "case 2 (exp): unknown parameter of exp 'ax'"),
    "code as a name": ("inputs: {'data=__import__(\"os\")': 2}", "case 2 (exp): unknown input of exp"),
    "the same case": ("inputs: {data: 2}", "cases.yaml, case 1 (exp): give them once"),
}


@pytest.mark.parametrize("mistake", IN_FILES)
def test_a_mistake_in_a_file_is_told_with_its_case(program: Program, tmp_path: Path, mistake: str) -> None:
    text, words = IN_FILES[mistake]
    file = tmp_path / "cases.yaml"
    file.write_text(f"- operator: exp\n  inputs: {{data: 2}}\n- operator: exp\n  {text}\n")
    done = program("run", "--cases", str(file))
    assert done.returncode == 2
    assert words in done.stderr


def test_an_unknown_profile_of_files_has_the_nearest(program: Program, files: Path) -> None:
    done = program("run", "--cases", str(files), "--input-profile", "logit")
    assert done.returncode == 2
    assert "unknown profile 'logit'; did you mean logits?" in done.stderr
    done = program("run", "--cases", str(files), "--operator", "exp")
    assert done.returncode == 2
    assert "is selected: there are cases of dot, softmax" in done.stderr


def test_hostile_names_stay_texts(program: Program, tmp_path: Path) -> None:
    file = tmp_path / "cases.json"
    name = '"""); import os; os.abort() #{{ 1 }}'
    case = {"operator": "exp", "name": name, "inputs": {"data": "2"}}
    file.write_text(json.dumps([case]))
    (found,) = outcomes(program, "--cases", str(file), folder=tmp_path)
    assert (found["profile"], found["status"]) == (name, "measured")
