"""How the bench of two seeds tells which causes both show."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from hunt_seeds import Hunted, causes, difference, main, report, shown

SHAPE = [8, 4]


def call(
    lengths: list[int] = SHAPE, dtype: str = "float32", operator: str = "softmax", **params: Any
) -> dict[str, Any]:
    return {"case": f"{operator}/1234", "tensors": [{"shape": lengths, "dtype": dtype}], "params": params}


def finding(slow: dict[str, Any], fast: dict[str, Any], ratio: float = 4.0, **more: Any) -> dict[str, Any]:
    return {"pass": "forward", "inputs": slow, "contrast": fast, "ratio": ratio, "family": "this input; ...", **more}


HALF = finding(call(dtype="float16"), call())
AXIS = finding(call(axis=0), call(axis=1))
NARROW = finding(call([8, 1]), call([1, 8]))


@pytest.mark.parametrize(
    ("slow", "fast", "expected"),
    [
        (call(dtype="float16"), call(), ("dtype", "float16")),
        (call(), call(operator="log_softmax"), ("than", "log_softmax")),
        (call(axis=0), call(axis=1), ("axis", "not last")),
        (call(axis=0), call([4, 8], axis=1), ("axis", "not last")),
        (call(axis=-1), call(axis=0), ("axis", "last")),
        (call(axis=[1]), call(axis=[0]), ("axis", "last")),
        (call(axis=0), call([4, 8], axis=0), ("axis", "not last")),
        (call(axis=1), call([2, 16], axis=1), ("shape", "last dimension of tensor 0 short")),
        (call(temperature=2.0), call(), ("parameter", "temperature")),
        (call([8, 1]), call([1, 8]), ("shape", "last dimension of tensor 0 short")),
        (call([1, 8]), call([8, 1]), ("shape", "first dimension of tensor 0 short")),
        (call([1, 8], shape=[8, 8]), call([8, 1], shape=[8, 8]), ("shape", "first dimension of tensor 0 short")),
        (call([1, 8], shape=[8, 8]), call([8, 8], shape=[8, 9]), ("shape", "first dimension of tensor 0 short")),
    ],
)
def test_what_lies_between_two_inputs(slow: dict[str, Any], fast: dict[str, Any], expected: tuple[str, ...]) -> None:
    assert difference(slow, fast) == expected


def test_a_cause_is_the_same_with_a_pass_in_common() -> None:
    both = finding(call(dtype="float16"), call(), other_pass={"pass": "backward", "ratio": 6.0})
    backward = {**HALF, "pass": "backward"}
    assert shown(both).ratio == 6.0
    assert shown(both).is_same(shown(backward))
    assert not shown(HALF).is_same(shown(backward))
    assert not shown(HALF).is_same(shown(AXIS))
    assert len(causes([HALF, both, AXIS])) == 2


def test_findings_of_one_family_show_one_cause() -> None:
    flat = shown({**finding(call([8, 1], axis=1), call([1, 8], axis=0)), "family": "axis is not the first"})
    deep = shown({**finding(call([8, 1, 3], axis=1), call([1, 8, 3], axis=0)), "family": "axis is not the first"})
    assert flat.key != deep.key
    assert flat.is_same(deep)
    # Any cause may be that of every input.
    whole = [shown({**each, "family": "every input"}) for each in (HALF, AXIS)]
    assert not whole[0].is_same(whole[1])


def test_the_table_names_what_the_other_seed_misses(capsys: pytest.CaptureFixture[str]) -> None:
    weak = {**AXIS, "ratio": 2.1}
    hunted = [Hunted("softmax", {5: causes([HALF, NARROW]), 11: causes([{**HALF, "family": "float16"}, weak])})]
    assert not report(hunted, (5, 11))
    table = capsys.readouterr().out
    assert (
        "| softmax | 60 | dtype float16, shape last dimension of tensor 0 short | "
        "not shape last dimension of tensor 0 short | float16 | all |" in table
    )
    assert "2 of 3 causes above 3 in 1 operators are shown by the other seed too" in table


def test_a_cause_that_the_other_seed_shows_weakly_is_shared() -> None:
    assert report([Hunted("softmax", {5: causes([AXIS]), 11: causes([{**AXIS, "ratio": 2.1}])})], (5, 11))


def test_kept_hunts_are_judged_without_hunting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for seed in (5, 11):
        (tmp_path / f"sum-{seed}").mkdir()
        (tmp_path / f"sum-{seed}" / "hunt.json").write_text(
            json.dumps({"findings": [HALF], "searched": {"budget": 30.0}})
        )
    monkeypatch.setattr("subprocess.run", lambda *_a, **_k: pytest.fail("hunted"))
    monkeypatch.setattr(sys, "argv", ["hunt_seeds.py", str(tmp_path), "--kept"])
    assert main() == 0
    assert "| sum | 30 | dtype float16 | all | dtype float16 | all |" in capsys.readouterr().out
