"""The bench of wrong builds: every planted kind is caught, and the right operator isn't."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from patched_library import functions, patched
from planted.build import compiler
from wrong_builds import ADDING, RETURNING, Comparisons, misses, planted

from autoperf.backends.mxnet.capi.library import Library


def test_each_patched_function_is_in_the_library(library: Library) -> None:
    names = [function.name for function in functions(library.path)]
    for part, _ in (*RETURNING.values(), *ADDING.values()):
        assert any(part in name for name in names), part


def test_a_function_that_isnt_there_is_an_error(library: Library, tmp_path: Path) -> None:
    with pytest.raises(KeyError, match="no_such_function"):
        patched(library.path, tmp_path / "copy", {"no_such_function": b""})
    (tmp_path / "copy" / library.path.name).unlink()


def test_a_kind_is_missed_unless_its_own_result_differs(capsys: pytest.CaptureFixture[str]) -> None:
    different = [{"operator": "one", "difference": {"result": "output"}}]
    expected = [("one", "output"), ("one", "gradient of data"), ("two", "output")]
    assert list(misses(expected, {"different": different})) == ["one", "two"]
    assert capsys.readouterr().out.count("MISSED") == 2


@pytest.mark.nightly
@pytest.mark.skipif(compiler() is None or sys.platform != "linux", reason="there is no C++ compiler")
def test_every_planted_kind_is_caught(library: Library, tmp_path: Path) -> None:
    assert list(planted(Comparisons(tmp_path), library.path)) == []
