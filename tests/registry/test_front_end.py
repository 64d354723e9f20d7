"""What users write for functions of MXNet's Python front end, held against what runs when those are called."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from autoperf.core.errors import UnknownNameError, UsageError
from autoperf.core.operator import Registry
from autoperf.pipeline.release import Release
from autoperf.registry.meanings import Means
from autoperf.registry.names import Names
from autoperf.rules.front_end import FRONT_END

CALLS = Path(__file__).with_name("front_end_calls.py")
# What the engine does beside operators.
ENGINE = {"DeleteVariable", "ResourceParallelRandomSetSeed", "SetValueOp", "Reorder", "CopyCPU2CPU", "WaitForVar"}
SAMPLE = (
    *("nd.add", "nd.subtract", "nd.multiply", "nd.divide", "nd.modulo", "nd.power", "nd.maximum", "nd.equal"),
    *("nd.lesser_equal", "nd.logical_xor", "nd.true_divide", "nd.sparse.add", "nd.random.normal", "nd.softmax"),
    *("np.add", "np.divide", "np.round", "np.fabs", "np.ravel", "np.random.power", "np.tensordot", "np.outer"),
    *("np.cov", "npx.softmax", "nd.contrib.isnan", "nd.contrib.isinf"),
)


@pytest.fixture(scope="module")
def names(registry: Registry) -> Names:
    return Names(registry, FRONT_END)


def _ran(paths: Sequence[str], home: Path | None = None) -> dict[str, set[str] | None]:
    """The operators that each function called, given one array or two; None for one that takes neither."""
    environment = {**os.environ, "PYTHONPATH": str(home)} if home else dict(os.environ)
    command = [sys.executable, str(CALLS), *paths]
    ended = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    answers: dict[str, list[list[str] | None]] = json.loads(ended.stdout)
    return {
        path: {name for operators in tried if operators for name in operators} - ENGINE
        if any(operators is not None for operators in tried)
        else None
        for path, tried in answers.items()
    }


def _wrong(registry: Registry, called: Mapping[str, set[str] | None]) -> dict[str, str]:
    """The functions that are taken for an operator that they don't call, each with that operator."""
    names = Names(registry, FRONT_END)
    canonical = {name: operator.name for operator in registry.operators for name in operator.names}
    wrong = {}
    for path, ran in called.items():
        try:
            match = names.resolve(path)
        except (UnknownNameError, UsageError):
            continue
        told = {canonical[word] for word in match.note.replace(";", " ").replace(",", " ").split() if word in canonical}
        if ran and not ran & {match.operator.name, *told}:
            wrong[path] = match.operator.name
    return wrong


def test_functions_lead_to_the_operators_that_they_call(registry: Registry) -> None:
    called = _ran(SAMPLE)
    assert set(called) == set(SAMPLE)
    assert all(ran is not None for ran in called.values())
    assert _wrong(registry, called) == {}


def test_by_its_name_alone_a_function_may_not(registry: Registry) -> None:
    """So that the test above is one that can fail."""
    ran = _ran(["np.random.power"])["np.random.power"]
    assert ran
    assert Names(registry).resolve("np.random.power").operator.name not in ran


@pytest.mark.nightly
def test_every_function_leads_to_what_it_calls(registry: Registry) -> None:
    called = _ran([])
    assert sum(ran is not None for ran in called.values()) > 400
    assert _wrong(registry, called) == {}


@pytest.mark.nightly
def test_every_function_of_the_next_release(next_release: Release, tmp_path: Path) -> None:
    version = next_release.registry.mxnet
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-compile"]
    subprocess.run([*pip, "--target", str(tmp_path), f"mxnet=={version}"], check=True, capture_output=True)
    called = _ran([], tmp_path)
    assert sum(ran is not None for ran in called.values()) > 450
    assert _wrong(next_release.registry, called) == {}


@pytest.mark.parametrize(
    ("text", "operator", "note"),
    [
        ("nd.add", "broadcast_add", "nd.add means broadcast_add for two tensors; for a number it is _plus_scalar"),
        ("mx.nd.maximum", "broadcast_maximum", "mx.nd.maximum means broadcast_maximum for two tensors; "),
        ("mxnet.ndarray.power", "broadcast_power", "for a number it is _power_scalar or _rpower_scalar"),
        ("sym.maximum", "_maximum", "sym.maximum means _maximum for two tensors"),
        ("sparse.add", "elemwise_add", "for tensors of two shapes it is broadcast_add"),
        ("np.random.power", "_npi_powerd", "np.random.power means _npi_powerd"),
        ("np.add", "_npi_add", ""),
        ("nd.zeros", "_zeros", "nd.zeros means _zeros"),
        ("_add", "elemwise_add", ""),
        ("nd.softmax", "softmax", ""),
    ],
)
def test_what_was_chosen_is_told(names: Names, text: str, operator: str, note: str) -> None:
    match = names.resolve(text)
    assert match.operator.name == operator
    assert note in match.note
    assert bool(match.note) == bool(note)
    assert names.notes([text, "soft*"]) == ([match.note] if note else [])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nd.contrib.isinf", "nd.contrib.isinf is not an operator: it calls abs and _equal_scalar; choose from abs, "),
        ("np.cov", "np.cov is not an operator: it is computed by NumPy, not by MXNet$"),
        ("mx.nd.waitall", "mx.nd.waitall is not an operator: it computes nothing in MXNet$"),
        ("np.insert", "choose from _npi_insert_scalar, _npi_insert_slice, _npi_insert_tensor$"),
    ],
)
def test_a_function_that_is_no_operator_says_why(names: Names, text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        names.resolve(text)


@pytest.mark.parametrize("text", ["nd.plus", "sym.add", "nd.backward_softmax", "np.xyzzy"])
def test_a_path_of_no_function_means_nothing(names: Names, text: str) -> None:
    with pytest.raises(UnknownNameError):
        names.resolve(text)


def test_a_bare_name_is_answered_with_what_it_may_mean(names: Names) -> None:
    with pytest.raises(UnknownNameError, match=r"it may mean nd\.add \(broadcast_add\), .*np\.add \(_npi_add\)"):
        names.resolve("add")


def test_every_entry_of_the_table_is_registered_somewhere(registry: Registry, next_release: Release) -> None:
    known = {name for one in (registry, next_release.registry) for operator in one.operators for name in operator.names}
    for path, meaning in FRONT_END.items():
        listed = meaning.names if isinstance(meaning, Means) else meaning.calls
        assert not listed or known & set(listed), path
