"""How the bench of planted cliffs judges what a hunt found."""

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import hunt_planted
import pytest
from hunt_planted import Finding, Judged, JudgedCliff, call_of, describe, judge, main, read, report, steps
from planted.cliffs import ALL, CLIFFS
from planted.laws import Call, Cliff, Planted

AXIS = ALL["planted_axis"]
SLOW = Call(((8, 4),), params={"axis": 0})
FAST = Call(((8, 4),), params={"axis": 1})


CAUSES = [(planted, cliff) for planted in CLIFFS for cliff in planted.cliffs]


def found(inputs: Call = SLOW, contrast: Call = FAST, *passes: str, family: str = "axis is 0") -> Finding:
    return Finding(passes or ("forward",), inputs, contrast, 3.0, 2.9, 3.1, family)


@pytest.mark.parametrize(("planted", "cliff"), CAUSES)
def test_the_known_simplest_input_lies_in_the_cliff(planted: Planted, cliff: Cliff) -> None:
    assert cliff.holds(cliff.simplest)
    assert all(planted.us(cliff.simplest, pass_) >= 2.5 * 100 for pass_ in cliff.passes)


@pytest.mark.parametrize(("planted", "cliff"), CAUSES)
def test_nothing_one_step_simpler_lies_in_the_cliff(planted: Planted, cliff: Cliff) -> None:
    simplest = cliff.simplest
    (shape,) = simplest.shapes
    simpler = [replace(simplest, shapes=((*shape[:at], *shape[at + 1 :]),)) for at in range(len(shape))]
    for at, extent in enumerate(shape):
        smaller = [(*shape[:at], size, *shape[at + 1 :]) for size in {extent // 2, extent - 1} - {0}]
        simpler += [replace(simplest, shapes=(one,)) for one in smaller]
    for name in simplest.params:
        fewer = {other: value for other, value in simplest.params.items() if other != name}
        simpler.append(replace(simplest, params=fewer))
    if simplest.dtype != "float32":
        simpler.append(replace(simplest, dtype="float32"))
    if simplest.pattern:
        simpler.append(replace(simplest, pattern=""))
    assert not [one for one in simpler if one.shape and cliff.holds(one)]


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (Call(((64,),)), Call(((64,),)), 0),
        (Call(((128,),)), Call(((64,),)), 1),
        (Call(((129,),)), Call(((64,),)), 1),
        (Call(((65,),)), Call(((64,),)), 1),
        (Call(((66,),)), Call(((64,),)), 2),
        (Call(((64,),)), Call(((128,),)), 1),
        (Call(((1, 64),)), Call(((64,),)), 1),
        (Call(((64, 1),)), Call(((64,),)), 1),
        (Call(((2, 128),)), Call(((64,),)), 2),
        (Call(((2, 2, 2),)), Call(((1, 1),)), 3),
        (Call(((1,),), "float64"), Call(((1,),)), 1),
        (Call(((1,),), params={"mode": 3}), Call(((1,),)), 1),
        (Call(((1,),), params={"mode": 3}), Call(((1,),), params={"mode": "3"}), 0),
        (Call(((1,),), params={"mode": 3, "axis": 0}), Call(((1,),), params={"mode": 2}), 2),
        (Call(((1,), (1,))), Call(((1,),)), 1),
        (Call(((64,),), pattern="few"), Call(((64,),), pattern="constant"), 1),
    ],
)
def test_steps_between_inputs(one: Call, other: Call, expected: int) -> None:
    assert steps(one, other) == expected


def test_a_finding_in_the_cliff_is_true_and_measured_against_the_simplest() -> None:
    judged = judge(AXIS, [found()])
    (cliff,) = judged.cliffs
    assert (cliff.best, cliff.apart, cliff.again, judged.false) == (found(), 5, 0, ())
    assert not cliff.shrunk
    assert judge(AXIS, [found(Call(((1, 2),), params={"axis": 0}))]).cliffs[0].shrunk


def test_a_cliff_in_both_passes_is_told_with_either_or_both() -> None:
    slow, fast = Call(((512,),)), Call(((511,),))
    judged = judge(ALL["planted_both"], [found(slow, fast, "forward", "backward"), found(slow, fast, "backward")])
    assert judged.cliffs[0].again == 1
    assert judge(AXIS, [found(SLOW, FAST, "forward", "backward")]).false


def test_each_cliff_of_an_operator_is_judged() -> None:
    half = found(Call(((1,),), "float16"), Call(((1,),)))
    judged = judge(ALL["planted_two"], [found(), half])
    assert [each.best for each in judged.cliffs] == [found(), half]


def test_a_cliff_against_an_equivalent_operator() -> None:
    one = Call(((1,),))
    other = replace(found(one, one), operator="_contrib_planted_alike")
    assert judge(ALL["planted_alike"], [other]).cliffs[0].best == other
    assert judge(ALL["planted_alike"], [found(one, one)]).false


@pytest.mark.parametrize(
    ("check", "right"), [((8, 8, 8, 8), True), ((8, 7, 8, 8), False), ((8, 8, 0, 0), True), (None, False)]
)
def test_a_family_is_right_by_its_fresh_draws(check: tuple[int, int, int, int] | None, right: bool) -> None:
    assert replace(found(), check=check).is_right is right


@pytest.mark.parametrize(
    "wrong",
    [found(inputs=FAST), found(contrast=SLOW), found(SLOW, FAST, "backward")],
    ids=["outside", "contrast", "pass"],
)
def test_what_is_not_the_cliff_is_false(wrong: Finding) -> None:
    judged = judge(AXIS, [wrong])
    assert (judged.cliffs[0].best, judged.cliffs[0].apart, judged.false) == (None, None, (wrong,))


def test_the_simplest_of_several_counts_and_the_others_repeat_it() -> None:
    near = found(Call(((1, 1),), params={"axis": 0}))
    later = replace(near, after=45.0)
    (cliff,) = judge(AXIS, [replace(found(), after=12.5), later]).cliffs
    assert (cliff.best, cliff.apart, cliff.again, cliff.after) == (later, 0, 1, 12.5)


def test_any_finding_without_a_cliff_is_false() -> None:
    assert judge(ALL["planted_clean_linear"], [found()]).false == (found(),)


def test_a_hunts_folder_is_read(tmp_path: Path) -> None:
    def inputs(axis: int) -> dict[str, object]:
        tensor = {"name": "data[0]", "shape": [1, 2], "dtype": "float64"}
        return {"tensors": [tensor], "params": {"axis": axis}}

    record: dict[str, object] = {"operator": "planted_axis", "pass": "forward", "family": "axis is 0"}
    record |= {"inputs": inputs(0), "contrast": inputs(1), "ratio": 3.0, "low": 2.9, "high": 3.1}
    (tmp_path / "hunt.json").write_text(json.dumps({"findings": [record], "searched": {}}))
    (one,) = read(tmp_path)
    assert one == found(Call(((1, 2),), "float64", {"axis": 0}), Call(((1, 2),), "float64", {"axis": 1}))
    case = {"inputs": [{"name": "data[0]", "tensor": {"shape": [1, 2], "dtype": "float64"}}], "params": {"axis": 0}}
    again = {"type": "finding", "at": 12.5, "finding": {"pass": "forward", "case": case}}
    other = {"type": "finding", "at": 3.5, "finding": {"pass": "backward", "case": case}}
    log = [{"type": "tried", "at": 1.0}, other, again, {**again, "at": 20.0}]
    (tmp_path / "log.ndjson").write_text("".join(json.dumps(event) + "\n" for event in log))
    assert [one.after for one in read(tmp_path)] == [12.5]


def test_an_input_reads_as_a_line() -> None:
    record: dict[str, Any] = {
        "tensors": [{"name": "data[0]", "shape": [1, 256], "dtype": "float64"}],
        "params": {"axis": 0},
    }
    assert describe(call_of(record)) == "(1, 256) float64; axis=0"
    assert describe(Call(((3,), (4,)))) == "(3,), (4,)"
    record["tensors"][0] |= {"dtype": "float32", "content": {"kind": "patterned", "pattern": "sorted"}}
    assert describe(call_of(record)) == "(1, 256) sorted; axis=0"


def all_found(missed: int = 0, far: int = 0, noisy: int = 0) -> list[Judged]:
    """Everything as it should be, but for so many cliffs that are missed or not shrunk, and so many false findings."""
    judged = []
    for number, (planted, cliff) in enumerate(CAUSES):
        best = replace(found(cliff.simplest, FAST, *cliff.passes), check=(8, 8, 8, 8))
        apart = 2 if missed <= number < missed + far else 0
        result = JudgedCliff(cliff) if number < missed else JudgedCliff(cliff, best, apart)
        judged.append(Judged(planted, (result,), ()))
    clean = [planted for planted in ALL.values() if not planted.cliffs]
    return judged + [judge(planted, [found()] if number < noisy else []) for number, planted in enumerate(clean)]


@pytest.mark.parametrize(
    ("missed", "far", "noisy", "good"),
    [(0, 0, 0, True), (1, 0, 1, True), (0, 1, 0, True), (2, 0, 0, False), (1, 1, 0, False), (0, 0, 2, False)],
)
def test_one_of_each_may_go_wrong(
    missed: int, far: int, noisy: int, good: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    assert report(all_found(missed, far, noisy), allowed=1) is good
    said = capsys.readouterr().out
    assert f"{19 - missed} of 19 cliffs found, {19 - missed - far} shrunk" in said
    assert f"{19 - missed} of {19 - missed} families are right" in said
    assert f"{20 - noisy} of 20 operators without a cliff have no finding" in said
    assert said.count("| not found |") == missed
    assert said.count("- planted_clean_") == noisy


PRETENDS = f"""#!{sys.executable}
import json, os, pathlib, sys
words = sys.argv[1:]
options = dict(zip(words[3::2], words[4::2]))
assert words[:3] == ["-m", "autoperf", "hunt"], words
assert options["--operator"] == "planted_axis", options
assert (options["--time-budget"], options["--seed"]) == ("7", "3"), options
assert pathlib.Path(options["--rules"]).is_file(), options
assert os.environ["AUTOPERF_EXTENSIONS"] == "/built.so"
tensors = [{{"name": "data[0]", "shape": [1, 1], "dtype": "float32"}}]
slow, fast = ({{"tensors": tensors, "params": {{"axis": axis}}}} for axis in (0, 1))
finding = dict(inputs=slow, contrast=fast, ratio=3.0, low=2.9, high=3.1, family="axis is 0")
folder = pathlib.Path(options["--folder"])
folder.mkdir(parents=True)
(folder / "hunt.json").write_text(json.dumps({{"findings": [finding | {{"pass": "forward"}}]}}))
print("a table")
sys.exit({{exit_code}})
"""


@pytest.mark.parametrize("exit_code", [0, 1])
def test_a_hunt_is_started_and_judged(
    exit_code: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "python"
    program.write_text(PRETENDS.replace("{exit_code}", str(exit_code)))
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program))
    monkeypatch.setattr(hunt_planted, "build", lambda _library: Path("/built.so"))
    options = ["--only", "planted_axis", "--budget", "7", "--seed", "3", "--keep", str(tmp_path / "kept")]
    monkeypatch.setattr(sys, "argv", ["hunt_planted.py", *options])
    assert main() == 0
    said = capsys.readouterr().out
    assert (
        "| planted_axis | axis is 0 of two or more |  | 3.00 [2.90, 3.10] | (1, 1); axis=0 | (1, 1); axis=0 | 0 |"
        in said
    )
    assert (tmp_path / "kept" / "planted_axis" / "hunt.json").is_file()
    monkeypatch.setattr(sys, "argv", ["hunt_planted.py", "--kept", str(tmp_path / "kept")])
    assert main() == 0
    assert "1 of 1 cliffs found" in capsys.readouterr().out


def test_a_hunt_that_ends_with_a_mistake_ends_the_bench(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "python"
    program.write_text(f"#!{sys.executable}\nimport sys\nsys.exit(2)\n")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program))
    given = argparse.Namespace(budget="7", seed=3)
    with pytest.raises(SystemExit, match=r"autoperf hunt --operator planted_axis .* ended with 2"):
        hunt_planted.hunt(AXIS, tmp_path / "folder", Path("/built.so"), given)
