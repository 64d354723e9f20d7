"""The plugin of pytest, in the tests of another project."""

from __future__ import annotations

import shutil
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest

from autoperf.api.results import RunResults
from autoperf.api.testing import OperatorBenchmark
from autoperf.core.errors import UsageError
from autoperf.core.outcome import Outcome, Status
from autoperf.core.work import CodeCount
from tests.values import outcome, passed, series, steady, write_run

pytest_plugins = ("pytester",)
LOADED = any(each.value == "autoperf.pytest_plugin" for each in entry_points(group="pytest11"))
PLUGIN = () if LOADED else ("-p", "autoperf.pytest_plugin")
QUICK = 'input_profile="small", draws=0, warmup=1, samples=5, processes=2'
TEST = """
def test_exp(autoperf):
    autoperf.assert_not_slower("{operator}", {options})
"""
TWICE = f"""
import pytest

@pytest.mark.parametrize("word", ["a b", "a/b"])
def test_both(autoperf, word):
    for operator in ["exp", "log"] if word == "a b" else ["sin"]:
        autoperf.assert_not_slower(operator, {QUICK}, threshold=10.0)
"""


def _run(pytester: pytest.Pytester, *words: str) -> pytest.RunResult:
    """Pytest in a process of its own."""
    return pytester.runpytest_subprocess(*PLUGIN, "-p", "no:randomly", "-p", "no:cacheprovider", *words)


def test_a_test_is_held_against_its_baseline(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(TEST.format(operator="exp", options=QUICK))
    done = _run(pytester, "--autoperf-save", "kept", "-rs")
    done.assert_outcomes(skipped=1)
    done.stdout.fnmatch_lines(["*--autoperf-baseline names a baseline*"])
    (kept,) = (pytester.path / "kept").iterdir()
    # The same build, held against itself; a threshold that nothing exceeds.
    pytester.makepyfile(TEST.format(operator="exp", options=f"{QUICK}, threshold=10.0"))
    _run(pytester, "--autoperf-baseline", "kept").assert_outcomes(passed=1)
    pytester.makepyfile(TEST.format(operator="log", options=QUICK))
    done = _run(pytester, "--autoperf-baseline", str(kept))
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(["*have no figure in common*"])


@pytest.mark.nightly
def test_each_assertion_has_a_baseline_of_its_own(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(TWICE)
    _run(pytester, "--autoperf-save", "kept").assert_outcomes(skipped=2)
    assert len(list((pytester.path / "kept").iterdir())) == 3
    _run(pytester, "--autoperf-baseline", "kept").assert_outcomes(passed=2)


class Stored(OperatorBenchmark):
    """Its measurement is a stored run of these outcomes."""

    def __init__(self, folder: Path, base: Outcome, new: Outcome) -> None:
        super().__init__(folder, "test", write_run(folder / "base.ndjson", [base]))
        self._new = write_run(folder / "new.ndjson", [new])

    def measure(self, *_given: Any, **_options: Any) -> RunResults:
        return RunResults(self._new)


def _counted(instructions: int) -> Outcome:
    code = CodeCount("valgrind", (), {"operator": instructions}, f"{instructions}")
    return outcome(0, passed(instructions=series([instructions]), code=code))


def test_an_operator_that_no_longer_runs_fails_its_test(tmp_path: Path) -> None:
    crashed = outcome(status=Status.CRASHED, reason="SIGSEGV")
    with pytest.raises(pytest.fail.Exception, match="1 case or measurement of base missing in new"):
        Stored(tmp_path, outcome(0, passed(steady(10.0))), crashed).assert_not_slower("exp")


def test_a_threshold_of_nothing_counts_each_instruction(tmp_path: Path) -> None:
    held = Stored(tmp_path, _counted(100_000), _counted(100_001))
    held.assert_not_slower("exp", by="counts")
    with pytest.raises(pytest.fail.Exception, match="1 with more instructions"):
        held.assert_not_slower("exp", by="counts", threshold=0)


@pytest.mark.parametrize(
    ("by", "threshold", "message"),
    [
        ("times", 0, "invalid threshold 0.00%: expected more than 0%"),
        ("counts", -1, "invalid count threshold -100.00%: expected 0%"),
        ("counts", "5%", "invalid threshold '5%': expected a share"),
    ],
)
def test_a_threshold_that_makes_no_sense(tmp_path: Path, by: Any, threshold: Any, message: str) -> None:
    held = Stored(tmp_path, _counted(1), _counted(1))
    with pytest.raises(UsageError, match=message):
        held.assert_not_slower("exp", by=by, threshold=threshold)


@pytest.mark.nightly
@pytest.mark.skipif(not shutil.which("valgrind"), reason="valgrind isn't installed")
def test_counts_find_what_is_slower(pytester: pytest.Pytester) -> None:
    """MXNet's own softmax executes more instructions than oneDNN's."""
    options = 'by="counts", input_profile="small", draws=0, backward=False'
    pytester.makepyfile(TEST.format(operator="softmax", options=options))
    _run(pytester, "--autoperf-save", "kept").assert_outcomes(skipped=1)
    _run(pytester, "--autoperf-baseline", "kept").assert_outcomes(passed=1)
    pytester.makeconftest('import os\nos.environ["MXNET_MKLDNN_ENABLED"] = "0"\n')
    done = _run(pytester, "--autoperf-baseline", "kept")
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(
        ["*executes more instructions*softmax forward*", "*gate: fails, 1 with more instructions*"]
    )
