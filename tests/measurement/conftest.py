"""A running executor on the installed MXNet, and files of cases written on the spot."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from autoperf.backends.mxnet.backend import find_library
from autoperf.core.outcome import Outcome
from autoperf.measurement.supervisor import Executor
from tests.measurement.executor_values import HEAD, QUICK, jobs


@pytest.fixture(scope="session")
def executor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Executor]:
    """One for all tests, as for all cases of a run: what a test breaks must not break the next."""
    with Executor(find_library(), QUICK, tmp_path_factory.mktemp("executor")) as running:
        yield running


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Writes a file of cases for an operator: each text is the arguments of one case."""

    def write_file(operator: str, *arguments: str, decoration: str = "", name: str = "cases") -> Path:
        text = HEAD.format(operator=operator)
        for number, one in enumerate(arguments):
            text += f"\n@case({decoration})\ndef case_{number}():\n    return dict({one})\n"
        path = tmp_path / f"{name}.py"
        path.write_text(text, encoding="utf-8")
        return path

    return write_file


@pytest.fixture
def run(executor: Executor, write: Callable[..., Path]) -> Callable[..., list[Outcome]]:
    """The outcomes of an operator's cases."""

    def run_cases(operator: str, *arguments: str, decoration: str = "") -> list[Outcome]:
        return list(executor.run(jobs(write(operator, *arguments, decoration=decoration))))

    return run_cases
