"""A longer hunt is held against a shorter one: what it adds, and what it no longer finds."""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec
import pytest
from hunt_depth import main

from autoperf.core.events import FindingConfirmed, HuntFinished, OperatorSearched
from autoperf.core.finding import Finding
from autoperf.hunt.investigator import UNFINISHED
from autoperf.hunt.stored import HuntFolder
from tests.finding_values import HEADER, SEARCHED, TAKE, finding, softmax

BY_SIZE = msgspec.structs.replace(
    finding(softmax((4096, 64), dtype="float16"), softmax((4096, 64)), 5.0), family="float16, and 65 elements or more"
)
UNTESTED = msgspec.structs.replace(
    finding(softmax((64, 64), axis=0), softmax((64, 64), axis=1), 4.0), family=UNFINISHED
)


def hunted(folder: Path, *found: Finding) -> Path:
    """The folder of a hunt that searched softmax and take."""
    searched = [msgspec.structs.replace(SEARCHED[0], operator=name) for name in ("softmax", "take")]
    with HuntFolder(folder, HEADER) as hunt:
        for each in found:
            hunt.write(FindingConfirmed(at=1.0, finding=each))
        for one in searched:
            hunt.write(OperatorSearched(at=2.0, searched=one))
        hunt.write(HuntFinished(at=3.0))
    return folder


def test_what_a_longer_hunt_adds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    short = hunted(tmp_path / "short", UNTESTED, msgspec.structs.replace(TAKE, family="float16"))
    deep = hunted(tmp_path / "deep", BY_SIZE, UNTESTED)
    monkeypatch.setattr(sys, "argv", ["hunt_depth.py", "--short", str(short), "--deep", str(deep)])
    main()
    shown = capsys.readouterr().out
    assert shown.startswith("2 operators\n")
    assert "| operators with a finding | 2 | 1 |" in shown
    assert "| of them cliffs by size | 0 | 1 |" in shown
    assert "| families cut short by the budget | 1 | 1 |" in shown
    assert "| causes above 3 that the other shows too | 1 | 1 |" in shown
    assert shown.splitlines()[-2:] == [
        "1 causes above 3 are in the short hunts alone:",
        "- take backward: float16, 123 times",
    ]
