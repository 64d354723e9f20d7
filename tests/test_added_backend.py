"""Adding a framework is one folder and one value, and the spelling of its vocabulary, in a package that lacks them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from autoperf.core.outcome import Status
from tests.forked_program import Program, copied_package, forked_program
from tools.stored_run import read_run

OPERATORS = {"hard_sigmoid", "smooth_l1"}
VALUE = """
TINY = NUMPY._replace(name="tiny", title="Tiny")
FRAMEWORKS = {each.name: each for each in (NUMPY, TORCH, JAX, TINY)}
"""
BACKEND = """
from autoperf.backends.python_framework import PythonFramework
from autoperf.implementations.implementation import TINY

BACKEND = PythonFramework(TINY, requirement="tiny")
"""
ENGINE = """
from autoperf.backends.numpy.engine import NumPyCall, NumPyEngine


class TinyCall(NumPyCall):
    framework = "tiny"


class TinyEngine(NumPyEngine):
    title = "Tiny"
    call = TinyCall


ENGINE = TinyEngine
"""


@pytest.fixture(scope="module")
def with_tiny(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    """The program with a framework that is NumPy under another name."""
    folder = tmp_path_factory.mktemp("added")
    package = copied_package(folder)
    frameworks = package / "implementations" / "implementation.py"
    text, _, rest = frameworks.read_text().partition("FRAMEWORKS = ")
    frameworks.write_text(text + VALUE + rest.partition("\n")[2])
    backend, vocabulary = package / "backends" / "tiny", package / "implementations" / "vocabulary"
    backend.mkdir()
    (backend / "backend.py").write_text(BACKEND)
    (backend / "engine.py").write_text(ENGINE)
    (vocabulary / "tiny_names.py").write_text((vocabulary / "numpy_names.py").read_text())
    _install(folder)
    with forked_program(folder) as program:
        yield program


def _install(folder: Path) -> None:
    """What pip would leave of the framework."""
    (folder / "tiny").mkdir()
    (folder / "tiny" / "__init__.py").touch()
    metadata = folder / "tiny-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n")


def test_it_runs_the_operators_that_are_written_for_all_frameworks(with_tiny: Program, tmp_path: Path) -> None:
    file = tmp_path / "run.ndjson"
    words = (
        "--operator",
        ",".join(OPERATORS),
        "--input-profile",
        "small",
        "--draws",
        "0",
        "--samples",
        "2",
        "--warmup",
        "0",
    )
    done = with_tiny("run", "--framework", "tiny", *words, "--processes", "1", "--run-file", str(file))
    assert done.returncode == 0, done.stderr
    run = read_run(file)
    assert run.header.framework == "Tiny"
    assert {outcome.operator for outcome in run.outcomes if outcome.status is Status.MEASURED} == OPERATORS


def test_it_is_in_lists_and_messages(with_tiny: Program) -> None:
    listed = with_tiny("discover", "--frameworks", "tiny", "--operator", "exp")
    assert "Tiny" in listed.stdout, listed.stderr
    wrong = with_tiny("run", "--framework", "tinny", "--operator", "exp")
    assert wrong.returncode == 2
    assert "tiny" in wrong.stderr
