"""A plugin of pytest: the fixture `autoperf` measures operators in tests, and holds them against a baseline.

def test_softmax(autoperf):
    autoperf.assert_not_slower("softmax", input_profile="common", draws=0)

pytest --autoperf-baseline baseline.ndjson
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from autoperf.api.testing import OperatorBenchmark

BASELINE = "--autoperf-baseline"
SAVE = "--autoperf-save"
BENCHMARK: pytest.StashKey[OperatorBenchmark] = pytest.StashKey()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the options of the plugin."""
    group = parser.getgroup("autoperf", "operator benchmarks (autoperf)")
    against = "Hold measurements against this run file, or the run files of --autoperf-save in this folder."
    group.addoption(BASELINE, metavar="PATH", type=Path, help=against)
    group.addoption(SAVE, metavar="FOLDER", type=Path, help="Keep the run files of each test in this folder.")


@pytest.fixture
def autoperf(request: pytest.FixtureRequest, tmp_path: Path) -> OperatorBenchmark:
    """Measures operators, and holds them against the baseline of --autoperf-baseline."""
    # Not above: pytest imports this module at its start, wherever autoperf is installed.
    from autoperf.api.testing import OperatorBenchmark

    test = request.node.nodeid
    # Tests of one name but for characters that a file's name may not have are different.
    name = f"{re.sub(r'[^A-Za-z0-9_.-]+', '-', test)}-{hashlib.sha256(test.encode()).hexdigest()[:6]}"
    baseline: Path | None = request.config.getoption(BASELINE)
    save: Path | None = request.config.getoption(SAVE)
    if save:
        save.mkdir(parents=True, exist_ok=True)
    request.node.stash[BENCHMARK] = made = OperatorBenchmark(tmp_path, name, baseline, save)
    return made


@pytest.hookimpl(trylast=True)
def pytest_runtest_call(item: pytest.Item) -> None:
    """Skips a test at its end if its operators were held against nothing."""
    benchmark = item.stash.get(BENCHMARK, None)
    if benchmark and benchmark.is_skipped:
        pytest.skip("measured, and held against nothing: --autoperf-baseline names a baseline")
