"""How the bench that judges findings draws them, times them, and which it calls false; no call is timed."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import hunt_judge
import msgspec
import pytest
import side_pair
from hunt_judge import Claim, Judgement, claims, drawn, judged, main, program, report, unlike_inputs, with_equal_numbers

from autoperf.core.finding import SideRecord
from autoperf.core.machine import Reference
from tests.finding_values import SOFTMAX
from tests.kept_hunts import SAMPLE, kept_log

CLAIM = Claim(SOFTMAX, "1.9.1", 1, "log 1")


def test_findings_of_stored_hunts_are_drawn_alike_for_a_seed() -> None:
    listed = list(claims([SAMPLE, kept_log("2.0.0b1")]))
    assert [each.mxnet for each in listed] == ["1.9.1"] * 50 + ["2.0.0b1"] * (len(listed) - 50)
    assert listed[50].source == "2.0.0b1.ndjson.gz 1"
    assert drawn(listed, 10, 1) == drawn(listed, 10, 1) != drawn(listed, 10, 2)
    assert drawn(listed, 1000, 1) == listed


def test_both_dtypes_get_the_numbers_that_are_fewer() -> None:
    listed = [each.finding for each in claims([SAMPLE])]
    unlike = [finding for finding in listed if unlike_inputs(finding)]
    alike = [with_equal_numbers(finding) for finding in unlike]
    assert len(unlike) == 13
    assert not any(map(unlike_inputs, alike))
    assert all(
        finding.case != before.case or finding.contrast != before.contrast
        for finding, before in zip(alike, unlike, strict=True)
    )
    rest = [finding for finding in listed if finding not in unlike]
    assert list(map(with_equal_numbers, rest)) == rest


MXNET_191 = SideRecord(words="MXNet 1.9.1", mxnet="1.9.1", library="1.9.1")
BESIDE_NUMPY = msgspec.structs.replace(SOFTMAX, kernels={"softmax": 1.0}, sides=("MXNet 1.9.1", "NumPy"))
NUMPY = SideRecord(words="NumPy", mxnet="2.0", framework="numpy")
AGAINST_NUMPY = Claim(BESIDE_NUMPY, "1.9.1", 1, "log 1", (MXNET_191, NUMPY))
CALLS = {"calls": 9, "us": [60.0, 0.0]}
MXNET_TIMES = {"settled": True, "calls": 0, "kernel_us": [120.0, 0.0]}


@pytest.mark.parametrize(
    ("mxnet", "other", "expected"),
    [
        (MXNET_TIMES, CALLS, (120.0, 60.0, "")),
        (MXNET_TIMES | {"settled": False}, CALLS, (0.0, 0.0, "the call did not settle on MXNet 1.9.1")),
        (MXNET_TIMES | {"kernel_us": [0.0, 0.0]}, CALLS, (0.0, 0.0, "too few calls at reference speed, of")),
        (MXNET_TIMES, CALLS | {"calls": 8}, (0.0, 0.0, "too few calls at reference speed, of")),
    ],
)
def test_kernels_are_held_against_calls_of_another_framework(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    mxnet: dict[str, object],
    other: dict[str, object],
    expected: tuple[float, float, str],
) -> None:
    def answer(command: Sequence[str], *_: object) -> dict[str, object]:
        return mxnet if Path(command[1]).name == "plain_calls.py" else other

    monkeypatch.setattr(side_pair, "answer_of", answer)
    judgement = judged(AGAINST_NUMPY, tmp_path)
    assert (judgement.slow_us, judgement.fast_us) == expected[:2]
    assert judgement.reason.startswith(expected[2])


BACKWARD = msgspec.structs.replace(SOFTMAX, pass_="backward", sides=("MXNet 2.0.0b1", "MXNet 1.9.1"))
MXNET_200 = SideRecord(words="MXNet 2.0.0b1", mxnet="2.0.0b1", library="/next.so", env={"OMP_NUM_THREADS": "2"})
BETWEEN_BUILDS = Claim(BACKWARD, "2.0.0b1", 1, "log 1", (MXNET_200, MXNET_191))


@pytest.mark.parametrize(
    ("fast", "expected"),
    [
        ({"calls": 9, "wall_us": [1.0, 60.0]}, (120.0, 60.0, "")),
        ({"calls": 8, "wall_us": [1.0, 60.0]}, (0.0, 0.0, "too few calls at reference speed, of")),
        ({"settled": False}, (0.0, 0.0, "the call did not settle on MXNet 1.9.1")),
    ],
)
def test_both_builds_are_timed_by_whole_calls(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, fast: dict[str, object], expected: tuple[float, float, str]
) -> None:
    """Each in a process with the variables of its side; no kernels are named, so that nothing is traced."""
    slow = {"settled": True, "calls": 9, "wall_us": [1.0, 120.0]}
    seen = []

    def answer(command: Sequence[str], environment: Mapping[str, str], _seconds: float) -> dict[str, object]:
        seen.append((environment["AUTOPERF_MXNET"], environment["OMP_NUM_THREADS"], *command[-3:]))
        return {**slow, **fast} if len(seen) % 2 == 0 else slow

    monkeypatch.setattr(side_pair, "answer_of", answer)
    monkeypatch.setattr(side_pair, "find_library", lambda name: f"{name}!")
    judgement = judged(BETWEEN_BUILDS, tmp_path)
    assert (judgement.slow_us, judgement.fast_us) == expected[:2]
    assert judgement.reason.startswith(expected[2])
    assert seen == [("/next.so!", "2", "data", "", ""), ("1.9.1!", "1", "data", "", "")]


def test_a_kept_log_names_the_version_of_the_framework() -> None:
    claim = next(claims([kept_log("1.9.1-torch")]))
    assert claim.framework == "torch@2.13.0"
    assert not next(claims([kept_log("2.0.0b1-1.9.1")])).framework
    assert program(claim).implementation.expression


@pytest.mark.nightly
def test_both_loops_run(tmp_path: Path) -> None:
    beside_itself = Claim(BACKWARD, "1.9.1", 1, "log 1", (MXNET_191, MXNET_191))
    for claim in (AGAINST_NUMPY, beside_itself):
        judgement = judged(claim, tmp_path)
        assert not judgement.reason
        assert judgement.slow_us > 0
        assert judgement.fast_us > 0


@pytest.mark.parametrize(
    ("slow_us", "reason", "is_false"),
    [(420.0, "", False), (210.0, "", False), (204.0, "", True), (100.0, "", True), (0.0, "it did not settle", False)],
)
def test_a_finding_is_false_below_the_threshold_of_its_script(slow_us: float, reason: str, is_false: bool) -> None:
    """The threshold is 2.05, the geometric mean of the ratios with and without the cause."""
    assert Judgement(CLAIM, slow_us, 100.0, reason).is_false is is_false


def test_the_report_counts_and_lists_false_findings(capsys: pytest.CaptureFixture[str]) -> None:
    true, false, lost = Judgement(CLAIM, 420.0, 100.0), Judgement(CLAIM, 110.0, 100.0), Judgement(CLAIM, reason="gone")
    assert report([true, false, lost]) == 1
    said = capsys.readouterr().out
    assert said.startswith("1 of 2 findings are false; 1 could not be timed\n")
    assert "- softmax forward (log 1; axis from 0 to -1): 110.0 us over 100.0 us is 1.10; claimed 4.20" in said
    assert "): gone; claimed 4.20" in said
    assert report([true, lost]) == 0


PYTHON = sys.executable
PRETENDS = f"""#!{PYTHON}
import json, os, pathlib, sys
pair, library, cases, slow, fast, pass_, limit = sys.argv[2:]
assert pair == "--pair" and library == "/built.so" and pass_ == "forward", sys.argv
assert len(pathlib.Path(cases).read_text().splitlines()) == 3
assert slow.startswith("softmax/") and fast.startswith("softmax/") and slow != fast
assert os.environ["OMP_NUM_THREADS"] == "1"
print(json.dumps({{"us": [float(limit), 100.0], "reason": ""}}))
"""


@pytest.fixture
def pretends(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    program = tmp_path / "python"
    program.write_text(PRETENDS)
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program))
    monkeypatch.setattr(hunt_judge, "find_library", lambda _release: Path("/built.so"))
    monkeypatch.setattr(hunt_judge, "known_reference", lambda: Reference("probe", 0.4, "2024-01-01T00:00:00+00:00"))
    return program


def test_both_inputs_are_timed_by_a_process_of_their_own(pretends: Path, tmp_path: Path) -> None:
    judgement = judged(CLAIM, tmp_path)
    assert (judgement.slow_us, judgement.fast_us, judgement.reason) == (pytest.approx(460.0), 100.0, "")
    pretends.write_text(f"#!{PYTHON}\nimport sys\nsys.exit('MXNet: no\\nsuch operator')\n")
    assert judged(CLAIM, tmp_path) == Judgement(CLAIM, reason="MXNet: no")


@pytest.mark.usefixtures("pretends")
def test_a_hunt_is_judged(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [str(SAMPLE), "--findings", "0"]
    monkeypatch.setattr(sys, "argv", ["hunt_judge.py", *arguments])
    assert main() == 0
    unlike, false = capsys.readouterr().out.splitlines()
    assert unlike == "13 of 50 findings compare dtypes on other numbers"
    assert false.startswith("0 of 0 findings are false")
