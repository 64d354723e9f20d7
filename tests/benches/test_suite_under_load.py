"""What JUnit's XML of a run of the suite tells."""

from __future__ import annotations

from pathlib import Path

import suite_under_load

REPORT = """<testsuites><testsuite name="pytest" errors="1" failures="1" skipped="1" tests="4" time="90.0">
<testcase classname="tests.test_a" name="test_passes" />
<testcase classname="tests.test_a" name="test_fails"><failure message="no" /></testcase>
<testcase classname="tests.test_b" name="test_breaks"><error message="no" /></testcase>
<testcase classname="tests.test_b" name="test_waits"><skipped message="no browser" /></testcase>
</testsuite></testsuites>"""


def test_failures_and_errors_are_named_and_skips_counted(tmp_path: Path) -> None:
    place = tmp_path / "1.xml"
    place.write_text(REPORT)
    run = suite_under_load.read(place)
    assert run.failed == ("tests.test_a::test_fails", "tests.test_b::test_breaks")
    assert suite_under_load.line(run) == "4 | 1 | 2 | 2"
