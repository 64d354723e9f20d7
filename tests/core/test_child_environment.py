"""What every child process gets from us."""

from __future__ import annotations

import pytest

from autoperf.core.paths import child_environment


def test_a_child_finds_this_package_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "/elsewhere")
    env = child_environment({"OMP_NUM_THREADS": "3"})
    assert env["OMP_NUM_THREADS"] == "3"
    assert env["PYTHONPATH"].endswith(":/elsewhere")
    assert env["PYTHONSAFEPATH"] == "1"
