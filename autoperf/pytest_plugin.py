"""A plugin of pytest: the fixture `autoperf` measures operators in tests, and holds them against a baseline.

def test_softmax(autoperf):
    autoperf.assert_not_slower("softmax", input_profile="common", draws=0)

pytest --autoperf-baseline baseline.ndjson
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from autoperf.api.testing import OperatorBenchmark

BASELINE = "--autoperf-baseline"
SAVE = "--autoperf-save"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the options of the plugin."""
    group = parser.getgroup("autoperf", "operator benchmarks (autoperf)")
    against = "Hold measurements against this run file, or the run files of --autoperf-save in this folder."
    group.addoption(BASELINE, metavar="PATH", type=Path, help=against)
    group.addoption(SAVE, metavar="FOLDER", type=Path, help="Keep the run file of each test in this folder.")


@pytest.fixture
def autoperf(request: pytest.FixtureRequest, tmp_path: Path) -> OperatorBenchmark:
    """Measures operators, and holds them against the baseline of --autoperf-baseline."""
    # Not above: pytest imports this module at its start, wherever autoperf is installed.
    from autoperf.api.testing import OperatorBenchmark

    name = f"{re.sub(r'[^A-Za-z0-9_.-]+', '-', request.node.nodeid)}.ndjson"
    baseline: Path | None = request.config.getoption(BASELINE)
    save: Path | None = request.config.getoption(SAVE)
    if save:
        save.mkdir(parents=True, exist_ok=True)
    of_test = baseline / name if baseline and baseline.is_dir() else baseline
    return OperatorBenchmark(tmp_path, of_test, save / name if save else None)
