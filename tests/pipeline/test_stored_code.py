"""Which options of a stored run or hunt name code, so that the command line has to repeat them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from autoperf.core.errors import UsageError
from autoperf.pipeline.stored_code import StoredSources, is_harmless, require_repeated

CODE = (
    *("LD_PRELOAD", "LD_AUDIT", "LD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES", "PYTHONHOME", "PYTHONSTARTUP", "PATH"),
    *("GCONV_PATH", "NLSPATH", "LOCPATH", "GLIBC_TUNABLES", "MALLOC_TRACE", "MALLOC_CONF", "BASH_ENV", "HOME"),
    *("OMP_TOOL", "OMP_TOOL_LIBRARIES", "MXNET_LIBRARY_PATH", "MXNET_HOME", "AUTOPERF_EXTENSIONS", "XLD_PRELOAD"),
)
HARMLESS = ("OMP_NUM_THREADS", "GOMP_SPINCOUNT", "KMP_AFFINITY", "MKL_VERBOSE", "DNNL_MAX_CPU_ISA", "MALLOC_ARENA_MAX")


@pytest.mark.parametrize("name", CODE)
def test_a_variable_that_may_name_code_is_not_harmless(name: str) -> None:
    assert not is_harmless(name)


@pytest.mark.parametrize("name", [*HARMLESS, "MXNET_USE_OPERATOR_TUNING", "MXNET_SUBGRAPH_BACKEND"])
def test_a_variable_that_changes_how_a_library_computes_is_harmless(name: str) -> None:
    assert is_harmless(name)


def test_the_options_that_name_code_are_repeated(tmp_path: Path) -> None:
    suite, data = tmp_path / "suite", tmp_path / "data"
    suite.mkdir()
    data.mkdir()
    (suite / "exp.py").touch()
    (data / "exp.yaml").touch()
    stored = StoredSources(
        (suite, data, "a.yaml", "b.py"),
        ("r.py",),
        ("1.9.1", "installed", "/b.so"),
        ({"OMP_NUM_THREADS": "1"}, {"PATH": "/"}),
    )
    code: dict[str, list[Any]] = {
        "--cases": [suite, Path.cwd() / "b.py"],
        "--rules": [Path.cwd() / "r.py"],
        "--mxnet": ["/b.so"],
        "--env": ["B:PATH=/"],
    }
    options = [word for option, values in code.items() for value in values for word in (option, str(value))]
    with pytest.raises(UsageError) as caught:
        require_repeated("hunt", Path("x"), stored, StoredSources())
    assert str(caught.value).endswith(f"`autoperf hunt --resume x {' '.join(options)}`")
    given = StoredSources((suite, "b.py"), ("r.py",), ("/b.so",), ({}, {"PATH": "/"}))
    require_repeated("hunt", Path("x"), stored, given)
