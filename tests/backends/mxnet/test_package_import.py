"""The import of MXNet's Python package."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from autoperf.backends.mxnet.capi.front_end import front_end
from autoperf.core.errors import EngineError


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """A library beside a package that can't be imported."""
    folder = tmp_path / "autoperf_broken_package"
    folder.mkdir()
    (folder / "__init__.py").write_text("raise AttributeError('no such dtype')\n")
    return folder / "libmxnet.so"


def test_a_package_that_fails_is_told_with_its_error(library: Path) -> None:
    with pytest.raises(EngineError, match=r"can't be imported: AttributeError: no such dtype$"):
        front_end(library)


def test_a_numpy_that_is_too_new_is_told(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(np, "__version__", "2.1.0")
    with pytest.raises(EngineError, match=r"dtype; NumPy 2\.1\.0 is too new for it: run `pip install 'numpy<2'`$"):
        front_end(library)
