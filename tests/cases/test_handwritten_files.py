"""Files of handwritten cases: YAML, JSON and TOML say the same, and a mistake is told with its place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from autoperf.cases.handwritten_files import read_handwritten
from autoperf.core.errors import CaseFileError
from autoperf.rules.rule import Draft

SAME = {
    "cases.yaml": """
# What a language model needs.
- operator: softmax
  name: logits
  inputs: {data: "128x30522, (4, 4)"}
  params: {axis: -1, temperature: 0.5}
  dtype: [float16, float32]
- operator: concat
  inputs: {data: [2x3, [2, 4]]}
  params: {dim: 1}
""",
    "cases.json": """{"cases": [
{"operator": "softmax", "name": "logits", "inputs": {"data": "128x30522, (4, 4)"},
 "params": {"axis": -1, "temperature": 0.5}, "dtype": "float16, float32"},
{"operator": "concat", "inputs": {"data": ["2x3", [2, 4]]}, "params": {"dim": 1}}]}
""",
    "cases.toml": """
[[cases]]
operator = "softmax"
name = "logits"
inputs = { data = "128x30522, (4, 4)" }
params = { axis = -1, temperature = 0.5 }
dtype = ["float16", "float32"]

[[cases]]
operator = "concat"
inputs = { data = "[2x3, 2x4]" }
params = { dim = 1 }
""",
}


@pytest.mark.parametrize("name", SAME)
def test_three_formats_say_the_same(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    file.write_text(SAME[name])
    large, small, concat = read_handwritten(file)
    assert (large.operator, large.profile, large.dtypes) == ("softmax", "logits", ("float16", "float32"))
    assert (large.inputs, small.inputs) == ({"data": Draft((128, 30522))}, {"data": Draft((4, 4))})
    assert large.params == {"axis": -1, "temperature": 0.5}
    assert concat.inputs == {"data": (Draft((2, 3)), Draft((2, 4)))}
    assert (concat.profile, concat.dtypes) == ("user", ())
    assert concat.place == f"{file}, case 2 (concat)"


def test_yaml_has_no_surprises(tmp_path: Path) -> None:
    file = tmp_path / "cases.yaml"
    file.write_text(
        "- operator: no\n  inputs: {data: 0x3, other: 12, more: [1, 2]}\n"
        "  params: {a: no, b: 1:30, c: 010, d: 1e-3, e: true, f: null, g: 2020-01-01, h: [1, [2, 3]]}\n"
    )
    (case,) = read_handwritten(file)
    assert case.operator == "no"
    assert case.inputs == {"data": Draft((0, 3)), "other": Draft((12,)), "more": Draft((1, 2))}
    assert list(case.params.values()) == ["no", "1:30", "010", 1e-3, True, None, "2020-01-01", (1, (2, 3))]


BOMB = "a: &a [x,x,x]\n" + "".join(f"{b}: &{b} [*{a},*{a},*{a}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True))
BROKEN = {
    "no YAML": ("x.yaml", "- {", "line 1: invalid YAML: expected the node content"),
    "no JSON": ("x.json", "[", "invalid JSON: Expecting value"),
    "no TOML": ("x.toml", "[[", "invalid TOML"),
    "a bomb": ("x.yaml", BOMB, "line 1: invalid YAML: anchors are not supported"),
    "an object of Python": ("x.yaml", "- !!python/object/apply:os.system ['true']", "could not determine a con"),
    "deep nesting": ("x.json", "[" * 100_000, "invalid JSON"),
    "a tag of another value": (
        "x.yaml",
        "- operator: exp\n  name: !!bool nope\n",
        "line 2: invalid YAML: invalid bool 'nope'",
    ),
    "a tag of nothing": ("x.yaml", "- operator: !!int ''\n", "line 1: invalid YAML: invalid int ''"),
    "a tag of no date": ("x.yaml", "- !!timestamp x\n", "line 1: invalid YAML: invalid timestamp 'x'"),
    "deep YAML": ("x.yaml", "[" * 10_000, "invalid YAML"),
    "a key twice in YAML": ("x.yaml", "- operator: a\n  operator: b\n", "line 2: invalid YAML: the key 'operator'"),
    "a key twice in JSON": ("x.json", '[{"operator": "a", "operator": "b"}]', "the key 'operator' occurs twice"),
    "a list as a key": ("x.yaml", "- [1]: 2\n", "a key must be a text"),
    "NaN": ("x.json", '[{"operator": "a", "params": {"b": NaN}}]', "invalid number NaN: expected a finite one"),
    "bytes": ("x.yaml", "\udcff", "expected UTF-8"),
    "nothing": ("x.yaml", "", "expected a list of cases"),
    "no cases": ("x.json", "[]", "has no cases"),
    "another table": ("x.yaml", "case: []\n", "unknown key 'case'; did you mean cases?"),
    "a text": ("x.yaml", "- softmax\n", "case 1: invalid case 'softmax': expected a table with operator, inputs"),
    "a misspelt key": ("x.yaml", "- operator: exp\n  input: {}\n", "(exp): unknown key 'input'; did you mean"),
    "no operator": ("x.yaml", "- inputs: {data: 2}\n", "case 1: invalid operator None: expected a name"),
    "inputs as a list": ("x.yaml", "- operator: exp\n  inputs: [2]\n", "invalid inputs [2]: expected a table"),
    "params as a number": ("x.yaml", "- operator: exp\n  params: 0\n", "invalid params 0: expected a table"),
    "no shape": ("x.yaml", "- operator: exp\n  inputs: {data: 1.5}\n", "invalid input data: 1.5: expected a shape"),
    "a negative size": ("x.yaml", "- operator: exp\n  inputs: {data: [-2]}\n", "invalid shape (-2,): expected"),
    "an unknown dtype": ("x.yaml", "- operator: exp\n  dtype: flaot32\n", "did you mean float32"),
    "a dtype of numbers": ("x.yaml", "- operator: exp\n  dtype: [1]\n", "expected a name or a list of names"),
    "a table as a value": ("x.yaml", "- operator: exp\n  params: {a: {b: 1}}\n", "invalid value {'b': 1}"),
    "a date": ("x.toml", '[[cases]]\noperator = "exp"\nparams = { a = 2020-01-01 }\n', "invalid value datetime.date"),
    "infinity": ("x.toml", '[[cases]]\noperator = "exp"\nparams = { a = inf }\n', "expected a finite number"),
    "a name of two lines": ("x.json", '[{"operator": "exp", "name": "a\\nb"}]', "printable characters"),
    "a name with a comma": ("x.yaml", '- {operator: exp, name: "a, b"}', "expected no comma"),
    "too much": ("x.yaml", "# " + "x" * 2**20, "but the limit is 1,048,576"),
}


@pytest.mark.parametrize("fault", BROKEN)
def test_a_mistake_is_told_with_its_place(tmp_path: Path, fault: str) -> None:
    name, text, words = BROKEN[fault]
    file = tmp_path / name
    file.write_text(text, errors="surrogateescape")
    with pytest.raises(CaseFileError) as caught:
        read_handwritten(file)
    assert str(file) in str(caught.value)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


RECORDED = {
    "program.yaml": "- {operator: relu, inputs: {data: 4x8}, count: 3}\n"
    "- {operator: exp, inputs: {data: 2x2}, count: 1}\n",
    "program.csv": "operator,inputs.data,count\nrelu,4x8,2\nexp,2x2,\nrelu,4x8,1\n",
    "program.json": '[{"operator": "relu", "inputs": {"data": "4x8"}, "count": 3},'
    ' {"operator": "exp", "inputs": {"data": [2, 2]}, "count": 1}]',
}


@pytest.mark.parametrize("name", RECORDED)
def test_recorded_calls_have_counts(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    file.write_text(RECORDED[name])
    first, second = read_handwritten(file)
    assert (first.operator, first.inputs, first.calls) == ("relu", {"data": Draft((4, 8))}, {"program": 3})
    assert (second.operator, second.calls) == ("exp", {"program": 1})
    assert first.all_calls == second.all_calls == {"program": 4}


@pytest.mark.parametrize("form", ["csv", "json"])
def test_29000_recorded_configurations_are_read(tmp_path: Path, form: str) -> None:
    file = tmp_path / f"program.{form}"
    sizes = [(number % 170 + 1, number // 170 + 1) for number in range(29_000)]
    if form == "csv":
        file.write_text(
            "operator,inputs.data,count\n" + "\n".join(f"exp,{rows}x{columns},2" for rows, columns in sizes)
        )
    else:
        file.write_text(json.dumps({"exp_0": [[rows, columns] for rows, columns in sizes] * 2}))
    found = read_handwritten(file)
    assert len(found) == 29_000
    assert sum(item.calls["program"] for item in found) == found[0].all_calls["program"] == 58_000


def test_too_many_recorded_calls_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autoperf.cases.handwritten_files.MAX_RECORDED", 2)
    file = tmp_path / "program.csv"
    file.write_text("operator,inputs.data\nexp,1x2\nexp,2x2\nexp,3x2\n")
    with pytest.raises(CaseFileError, match="has 3 cases; expected at most 2"):
        read_handwritten(file)


def test_a_table_has_parameters_and_dtypes(tmp_path: Path) -> None:
    file = tmp_path / "calls.csv"
    file.write_text("operator,inputs.data,params.axis,dtype\nsoftmax,4x8,-1,float16\n")
    (found,) = read_handwritten(file)
    assert (found.params, found.dtypes, found.calls) == ({"axis": -1}, ("float16",), {"calls": 1})


def test_columns_of_another_suite_are_tensors_in_order(tmp_path: Path) -> None:
    file = tmp_path / "addBP.json"
    file.write_text('{"x1": [[4, 8], [2], [4, 8]], "x2": [[1, 8], [2], [1, 8]], "params.axis": [0, 1, 0]}')
    first, second = read_handwritten(file)
    assert (first.operator, first.inputs) == ("add", {"0": Draft((4, 8)), "1": Draft((1, 8))})
    assert (first.params, first.calls, second.calls) == ({"axis": 0}, {"addBP": 2}, {"addBP": 1})


def test_parameters_may_stand_before_the_tensors_of_another_suite(tmp_path: Path) -> None:
    file = tmp_path / "softmax.JSON"
    file.write_text('{"params.axis": [1], "softmax_0": [[2, 3]]}')
    (found,) = read_handwritten(file)
    assert (found.inputs, found.params) == ({"0": Draft((2, 3))}, {"axis": 1})


def test_a_table_may_have_an_empty_column(tmp_path: Path) -> None:
    """Spreadsheets write such columns."""
    file = tmp_path / "calls.csv"
    file.write_text("operator,inputs.data,\nrelu,4x8,\n")
    (found,) = read_handwritten(file)
    assert (found.operator, found.inputs) == ("relu", {"data": Draft((4, 8))})


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.csv", "operator,inputs.data,count\nrelu,2x2,x\n", "line 2: invalid count 'x'"),
        ("a.csv", "operator,inputs.data\nrelu,2x2,5\n", "line 2 has more values than the heading"),
        ("a.csv", f"operator,inputs.data,params.a\nrelu,2x2,{2**64}\n", f"a.csv: invalid value {2**64}"),
        ("a.csv", "operator,input.data\nrelu,2x2\n", "unknown key 'input.data'; did you mean inputs"),
        ("a.csv", "operator,inputs.data,count\nrelu,2x2,0\n", "line 2: invalid count '0'"),
        (
            "a.csv",
            f"operator,inputs.data,count\nrelu,2x2,{10**30}\n",
            "line 2: invalid count .* from 1 to 1,000,000,000,000",
        ),
        ("a.csv", "operator,inputs.data,count\n" + f"relu,2x2,{10**12}\n" * 2, "invalid count 2000000000000"),
        (
            "a.csv",
            "operator,inputs\nrelu,2x2\n",
            "invalid inputs '2x2': expected a table .* in CSV, columns inputs.NAME",
        ),
        ("a.csv", "operator,inputs.data\n", "expected a heading such as operator,inputs.data,count"),
        ("a.json", f'[{{"operator": "relu", "inputs": {{"data": "2x2"}}, "count": {10**30}}}]', "invalid count 1000"),
        ("a.yaml", "- {operator: relu, inputs: {data: 2x2}, count: 0}", "invalid count 0"),
        ("a.json", '{"x1": [[4]], "x2": [-1]}', "x2 has other values than shapes"),
        ("a.json", '{"x1": [[4]], "x2": []}', "its columns differ in length"),
    ],
)
def test_mistakes_in_recorded_calls(tmp_path: Path, name: str, text: str, message: str) -> None:
    file = tmp_path / name
    file.write_text(text)
    with pytest.raises(CaseFileError, match=message):
        read_handwritten(file)
