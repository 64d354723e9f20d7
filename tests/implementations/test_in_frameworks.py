"""Implementations in PyTorch and JAX have MXNet's results, in the interpreters of these frameworks."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from autoperf.backends.mxnet.capi.library import Library
from autoperf.cases.build import Recipe
from autoperf.cases.release import Release
from autoperf.rules.rule import Rule
from tests.implementations_cases import cases_of
from tests.installed_frameworks import require
from tools.implementation_check import stored_verdicts
from tools.implementation_files import OperatorResults, save
from tools.implementation_references import run_all

# JAX compiles each case.
FEW = ("one_hot", "slice", "Pooling", "batch_dot", "softmax", "sum", "adam_update", "BatchNorm")
SMALL = Recipe(draws=0, profiles=frozenset({"small"}))
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def references(tmp_path_factory: pytest.TempPathFactory, release: Release, library: Library) -> Path:
    """MXNet's results of a few operators."""
    folder = tmp_path_factory.mktemp("references")
    for name in FEW:
        operator = release.registry.find(name)
        assert operator
        rule = release.catalog.find(operator)
        assert isinstance(rule, Rule)
        expected = tuple(run_all(library, operator, cases_of(operator, release, SMALL)))
        save(folder, OperatorResults(operator, rule.category, expected))
    return folder


@pytest.mark.parametrize("framework", ["torch", "jax"])
def test_implementations_have_mxnets_results(framework: str, references: Path) -> None:
    command = [require(framework), "tools/implementation_check.py", framework, references]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    verdicts = stored_verdicts(references / f"{framework}.verdicts")
    assert {name: it.reason for name, it in verdicts.items() if it.standing not in ("found", "hand")} == {}
    assert set(verdicts) == set(FEW)
    assert verdicts["softmax"].gradient == "gradient"
