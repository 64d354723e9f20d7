"""What commands say of errors of the system, of time, and of cases that can't be compared."""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path

import pytest

from autoperf.analysis.comparison import ComparisonOptions
from autoperf.cli.main import describe_os_error
from autoperf.core.outcome import NOT_TIMED, Status
from autoperf.pipeline.hunt_session import overrun_notices
from autoperf.pipeline.stored_runs import compare_files
from autoperf.reports.comparison import ComparisonReport
from tests.reports.report_values import text_of
from tests.values import outcome, passed, steady, write_run

SCRATCH = str(Path(tempfile.gettempdir()) / "autoperf-abc" / "suite.py")


@pytest.mark.parametrize(
    ("number", "place", "words"),
    [
        (errno.EMFILE, "", "Too many open files; raise the limit of open files (`ulimit -n`)"),
        (errno.EAGAIN, "", "Resource temporarily unavailable; no process can be started"),
        (errno.ENOSPC, "a.txt", "a.txt: No space left on device; the disk is full: free some space"),
        (errno.ENOENT, SCRATCH, f"{SCRATCH}: No such file or directory; the scratch folder was removed while"),
        (errno.ENOENT, "a.txt", "a.txt: No such file or directory"),
        (errno.EACCES, "a.txt", "a.txt: Permission denied"),
    ],
)
def test_an_error_of_the_system_is_told_with_its_cause(number: int, place: str, words: str) -> None:
    told = describe_os_error(OSError(number, os.strerror(number), place or None))
    assert told.startswith(words)
    assert "can't write the output" not in told
    assert ";" in told or number in (errno.ENOENT, errno.EACCES)


def test_an_error_without_words_is_told_by_its_name() -> None:
    assert describe_os_error(OSError()) == "OSError"


def test_a_hunt_beyond_its_budget_says_what_took_the_time() -> None:
    assert list(overrun_notices(10.0, 4.0, 21.0)) == [
        "the hunt took 21 s with a budget of 10 s: 4 s to start, 17 s to search and to confirm findings"
    ]
    assert list(overrun_notices(10.0, 3.0, 15.0)) == [
        "the hunt took 15 s with a budget of 10 s: 3 s to start, 12 s to search and to confirm findings"
    ]
    assert not list(overrun_notices(10.0, 1.0, 10.9))


def test_the_side_that_lacks_a_case_has_the_reason(tmp_path: Path) -> None:
    """Of two sides measured in turn the other is skipped too, which is no reason of its own."""
    measured = [outcome(n, passed(steady(10.0))) for n in range(3)]
    lacking = outcome(7, status=Status.SKIPPED, reason="MXNet 1.9.1 has no operator mish", operator="mish")
    idle = outcome(7, status=Status.SKIPPED, reason=f"{NOT_TIMED} has no such case", operator="mish")
    base = write_run(tmp_path / "base.ndjson", [*measured, lacking])
    new = write_run(tmp_path / "new.ndjson", [*measured, idle])
    found = compare_files(base, new, ComparisonOptions())
    (missing,) = found.unmatched
    assert (missing.missing, missing.reason) == ("base", "skipped: MXNet 1.9.1 has no operator mish")
    text = " ".join(text_of("comparison", "table", ComparisonReport(found), 120).split())
    assert "1 not measured in base (skipped: MXNet 1.9.1 has no operator mish): mish" in text
    assert "on both sides" not in text
