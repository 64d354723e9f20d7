"""The plugin of pytest, in the tests of another project."""

from __future__ import annotations

import shutil
from importlib.metadata import entry_points

import pytest

pytest_plugins = ("pytester",)
LOADED = any(each.value == "autoperf.pytest_plugin" for each in entry_points(group="pytest11"))
PLUGIN = () if LOADED else ("-p", "autoperf.pytest_plugin")
QUICK = 'input_profile="small", draws=0, warmup=1, samples=5, processes=2'
TEST = """
def test_exp(autoperf):
    autoperf.assert_not_slower("{operator}", {options})
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
