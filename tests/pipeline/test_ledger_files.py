"""Ledgers as files: small, sorted, the same everywhere, and nothing else is taken for one."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from autoperf.core.coverage import Coverage, CoverageBaseline, CoverageEntry
from autoperf.core.errors import AutoperfError, CaseFileError, OutputError, UsageError
from autoperf.pipeline.coverage import canonical_names, check, coverage_baseline, read_ledger, to_text, write_ledger
from autoperf.pipeline.release import Release
from autoperf.rules.rule import Reason

LEDGER = CoverageBaseline(
    "1.9.1",
    {
        "sin": CoverageEntry(Coverage.COVERED, "trigonometric", differentiable=True),
        "argmax": CoverageEntry(Coverage.COVERED, "sorting", differentiable=False),
        "_cond": CoverageEntry(Coverage.UNCOVERED),
        "_NoGradient": CoverageEntry(Coverage.EXCLUDED, reason="no kernel is registered"),
    },
)
TEXT = """\
{"type":"ledger","version":1,"mxnet":"1.9.1","operators":{
"_NoGradient": {"status":"excluded","reason":"no kernel is registered"},
"_cond": {"status":"uncovered"},
"argmax": {"status":"covered","category":"sorting","differentiable":false},
"sin": {"status":"covered","category":"trigonometric","differentiable":true}
}}
"""
BROKEN = {
    "empty": (b"", "invalid ledger"),
    "no JSON": (b"garbage", "invalid ledger"),
    "truncated": (TEXT[:-20].encode(), "invalid ledger"),
    "not UTF-8": (b'{"type": "\xff"}', "invalid ledger"),
    "nested without an end": (b"[" * 100_000, "invalid ledger"),
    "another kind of file": (b'{"type": "run", "version": 1}', "expected type 'ledger', got 'run'"),
    "a later version": (TEXT.replace('"version":1', '"version":2').encode(), "has version 2, and .* reads version 1"),
    "an unknown status": (TEXT.replace('"uncovered"', '"lost"').encode(), "Invalid enum value 'lost'"),
    "a list of operators": (b'{"type": "ledger", "version": 1, "mxnet": "1.9.1", "operators": []}', "invalid ledger"),
    "no release": (b'{"type": "ledger", "version": 1, "operators": {}}', "mxnet"),
}


def test_a_ledger_is_sorted_with_one_operator_a_line(tmp_path: Path) -> None:
    file = tmp_path / "ledger.json"
    write_ledger(file, LEDGER)
    assert file.read_text() == TEXT
    assert read_ledger(file) == LEDGER
    assert json.loads(TEXT)["operators"]["sin"]["category"] == "trigonometric"
    assert [path.name for path in tmp_path.iterdir()] == ["ledger.json"]


@pytest.mark.parametrize("fault", BROKEN)
def test_a_broken_ledger_is_refused_and_never_replaced(tmp_path: Path, fault: str) -> None:
    data, words = BROKEN[fault]
    file = tmp_path / "ledger.json"
    file.write_bytes(data)
    with pytest.raises(CaseFileError, match=words):
        read_ledger(file)
    with pytest.raises(CaseFileError, match="is not replaced"):
        write_ledger(file, LEDGER)
    assert file.read_bytes() == data


def test_a_ledger_of_another_release_is_not_replaced(tmp_path: Path) -> None:
    file = tmp_path / "ledger.json"
    write_ledger(file, CoverageBaseline("1.6.0", LEDGER.operators))
    with pytest.raises(UsageError, match=r"of MXNet 1\.6\.0 and is not replaced by one of MXNet 1\.9\.1"):
        write_ledger(file, LEDGER)
    write_ledger(file, CoverageBaseline("1.6.0", {}))
    assert read_ledger(file).operators == {}


@pytest.mark.parametrize("place", [".", "no/where.json"])
def test_a_place_that_is_none_is_told(tmp_path: Path, place: str) -> None:
    with pytest.raises((CaseFileError, OutputError), match="can't be"):
        write_ledger(tmp_path / place, LEDGER)
    with pytest.raises(AutoperfError, match="can't be read"):
        read_ledger(tmp_path / place)


def test_the_release_at_hand_is_as_its_own_ledger_says(release: Release, tmp_path: Path) -> None:
    taken = coverage_baseline(release)
    assert len(taken.operators) == len(release.registry.forward)
    assert {standing.reason for standing in taken.operators.values()} <= {"", *(reason.value for reason in Reason)}
    assert taken.operators["BatchNorm"].differentiable
    file = tmp_path / "ledger.json"
    write_ledger(file, taken)
    assert to_text(read_ledger(file)) == file.read_text()
    found = check(release, file)
    assert found.passed
    assert not found.changes


def test_the_ledger_of_another_release_is_a_mistake_that_names_both(release: Release, tmp_path: Path) -> None:
    file = tmp_path / "ledger.json"
    write_ledger(file, CoverageBaseline("1.6.0", LEDGER.operators))
    with pytest.raises(UsageError, match=r"expected one of MXNet 1\.9\.1, got MXNet 1\.6\.0"):
        check(release, file)


def test_aliases_lead_to_canonical_names(release: Release) -> None:
    assert canonical_names(release.registry)["broadcast_plus"] == "broadcast_add"


def test_a_pipe_is_no_place_for_a_ledger_and_stays(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OutputError, match="it is a device or a pipe; give another file"):
        write_ledger(tmp_path / "pipe", LEDGER)
    assert (tmp_path / "pipe").is_fifo()


def test_a_link_to_a_ledger_stays_a_link(tmp_path: Path) -> None:
    write_ledger(tmp_path / "ledger", LEDGER)
    (tmp_path / "link").symlink_to("ledger")
    write_ledger(tmp_path / "link", CoverageBaseline("1.9.1", {}))
    assert (tmp_path / "link").is_symlink()
    assert read_ledger(tmp_path / "ledger").operators == {}
