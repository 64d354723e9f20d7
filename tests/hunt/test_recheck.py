"""A replay times both inputs of a finding on the real MXNet, and says whether it still holds."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from autoperf.core.case import Case
from autoperf.core.errors import EngineError, UsageError
from autoperf.core.finding import Finding, SideRecord
from autoperf.core.outcome import PassName
from autoperf.hunt import recheck as replay
from autoperf.hunt.recheck import Claim, recheck, threshold
from autoperf.measurement.settings import Settings
from tests.finding_values import HEADER, finding
from tests.values import case, inputs, tensor

RELEASES = (
    SideRecord(words="MXNet 2.0.0b1", mxnet="2.0.0b1", library="2.0.0b1"),
    SideRecord(words="MXNet 1.9.1", mxnet="1.9.1", library="installed"),
)


def exp(rows: int, dtype: str = "float32") -> Case:
    """One that takes long beside the other: a factor of a thousand in the elements isn't lost on a busy machine."""
    return case("exp", rows, dtype=dtype, profile="drawn")


SLOW, FAST = exp(4_000_000), exp(400)


@pytest.fixture(autouse=True)
def few_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay, "ROUNDS", 6)


def claim_of(
    folder: Path, slow: Case, fast: Case, pass_: PassName = "forward", sides: tuple[SideRecord, ...] = ()
) -> Claim:
    """The claim that the slow input takes three times as long."""
    return Claim(folder, finding(slow, fast, 9.0, pass_), msgspec.structs.replace(HEADER, sides=sides))


def holds(claim: Claim, folder: Path) -> bool:
    result = recheck(claim, claim.claimed(()), Settings(), folder)
    assert result.estimate.low <= result.estimate.ratio <= result.estimate.high
    assert (result.rounds, result.mxnet, result.slow, result.fast) == (6, "1.9.1", *claim.cases)
    return result.holds


@pytest.mark.parametrize("pass_", ["forward", "backward"])
def test_a_finding_holds_while_its_slow_input_is_slow(tmp_path: Path, pass_: str) -> None:
    assert holds(claim_of(tmp_path, SLOW, FAST, pass_), tmp_path)  # type: ignore[arg-type]


def test_a_finding_is_over_once_its_slow_input_is_fast(tmp_path: Path) -> None:
    assert not holds(claim_of(tmp_path, FAST, SLOW), tmp_path)


def test_another_operator_can_be_the_fast_one(tmp_path: Path) -> None:
    assert holds(claim_of(tmp_path, SLOW, msgspec.structs.replace(FAST, operator="relu")), tmp_path)


ADD = case("broadcast_add", profile="drawn", inputs=inputs(lhs=tensor(2, 3), rhs=tensor(7, 3)))
CORRELATION = case("Correlation", inputs=inputs(data1=tensor(1, 2, 16, 16), data2=tensor(1, 3, 16, 16)))


@pytest.mark.parametrize(
    ("unfit", "words"),
    [
        (ADD, "can't recheck the finding"),
        # An earlier hunt's input, whose kernel would read beyond the end.
        (CORRELATION, "can't recheck the finding: c of data2 .n c h w. is 3, and in data1 it is 2; MXNet's inference"),
    ],
)
def test_inputs_that_cannot_be_run_are_an_error(tmp_path: Path, unfit: Case, words: str) -> None:
    with pytest.raises(EngineError, match=words):
        holds(claim_of(tmp_path, unfit, FAST), tmp_path)


def test_a_finding_between_two_builds_runs_on_both(tmp_path: Path, next_library: Path) -> None:
    claim = claim_of(tmp_path, exp(100), exp(100), sides=RELEASES)
    result = recheck(claim, claim.claimed(()), Settings(), tmp_path)
    assert (result.sides, result.mxnet) == (("MXNet 2.0.0b1", "MXNet 1.9.1"), "2.0.0b1")
    (tmp_path / "again").mkdir()
    again = recheck(claim, claim.claimed(("installed", "installed")), Settings(), tmp_path / "again")
    assert again.mxnet == "1.9.1"
    with pytest.raises(UsageError, match="invalid --mxnet installed: expected the slow side's build, then the fast"):
        claim.claimed(("installed",))


@pytest.mark.parametrize(
    ("ratio", "expected_us", "above"),
    [
        (1.3, 100.0, 1.2),
        (1.9, 100.0, 1.38),
        (4.0, 100.0, 2.0),
        (4.0, 60.0, 2.0),
        (400.0, 100.0, 20.0),
        (9.0, 400.0, 12.0),
    ],
)
def test_a_finding_is_over_when_half_of_it_is_gone(
    tmp_path: Path, ratio: float, expected_us: float, above: float
) -> None:
    """Where as much work as the slow input asks for would take the fast one's kernel 400 us, a ratio of 4 is none, and
    36 is what was found."""
    found: Finding = msgspec.structs.replace(finding(ratio=ratio), contrast_us=100.0, expected_us=expected_us)
    assert threshold(found) == above
