"""Compiled ways of other frameworks: what is compiled is checked, timed and counted."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from autoperf.cases import release
from autoperf.cases.build import Recipe
from autoperf.cases.selection import Selection
from autoperf.core.case import Case
from autoperf.core.operator import Operator
from autoperf.core.outcome import FigureWarning, Outcome, Status
from autoperf.implementations import lookup
from autoperf.implementations.implementation import Implementation
from autoperf.measurement.run_request import RunRequest
from autoperf.measurement.run_session import RunMode, RunSession
from autoperf.measurement.settings import Settings
from tests.installed_frameworks import require
from tests.values import Recording
from tools.stored_run import StoredRun, read_run

SETTINGS = Settings(processes=1, warmup=2, runs=2)
# An operator each, so that one run has them all: its processes take seconds to start.
SOUND, WRONG, BREAKING, AGAIN = "exp", "sin", "cos", "sqrt"
TORCH = {
    WRONG: "torch.sin(data) + (1 if torch.compiler.is_compiling() else 0)",
    BREAKING: "print(data) or torch.cos(data)",
    # The list is longer at each of the first four calls (two of the warm-up, two samples), so that each is compiled.
    AGAIN: "torch.sqrt(data) + (0 if len(calls) > 2 else calls.append(1) or 0)",
}
JAX = {
    WRONG: "jnp.sin(data) + (1 if isinstance(data, jax.core.Tracer) else 0)",
    BREAKING: "jnp.cos(data) if bool(data.sum() > -1e9) else data",
}


def planted(expressions: Mapping[str, str], name: str) -> Implementation | None:
    """A planted implementation, forward only; None for another operator."""
    if name not in expressions:
        return None
    prepare = {"calls": "[]"} if name == AGAIN else {}
    return Implementation(name, expressions[name], "hand", differentiable=False, prepare=prepare)


def run_of(framework: str, expressions: Mapping[str, str], folder: Path) -> StoredRun:
    """A run of the small cases of all these operators, some of them with planted implementations."""

    def implementation(framework: str, operator: Operator, case: Case, _user: object) -> Implementation | str:
        return planted(expressions, operator.name) or lookup.implementation(framework, operator, case)

    request = RunRequest(
        Selection(operators=(SOUND, *expressions)),
        Recipe(draws=0, profiles=frozenset({"small"})),
        SETTINGS,
        frameworks=(framework,),
        output=folder / "run.ndjson",
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(release, "implementation", implementation)
        (side,) = RunSession(request, Recording(), ("autoperf", "run"), RunMode()).run().sides
    return read_run(side.path)


@pytest.fixture(scope="module")
def compiled(own_cache: None, tmp_path_factory: pytest.TempPathFactory) -> StoredRun:
    require("torch")
    return run_of("torch:compile", TORCH, tmp_path_factory.mktemp("compiled"))


@pytest.fixture(scope="module")
def jitted(own_cache: None, tmp_path_factory: pytest.TempPathFactory) -> StoredRun:
    require("jax")
    return run_of("jax:jit", JAX, tmp_path_factory.mktemp("jitted"))


def outcome_of(run: StoredRun, operator: str) -> Outcome:
    return next(outcome for outcome in run.outcomes if outcome.operator == operator)


def assert_sound(run: StoredRun) -> None:
    """Both passes were compiled once, and then timed."""
    outcome = outcome_of(run, SOUND)
    assert outcome.status is Status.MEASURED, outcome.reason
    for one in outcome.passes.values():
        assert one.wall_us
        assert one.compile_us > 0
        assert one.recompiles == 0
        assert FigureWarning.RECOMPILED not in one.wall_us.warnings
    assert outcome.backward


def assert_refused(run: StoredRun, reason: str) -> None:
    """What is compiled is checked, and a call that can't be compiled whole is a skip."""
    wrong = outcome_of(run, WRONG)
    assert wrong.status is Status.FAILED
    assert wrong.reason.startswith("the results differ: output: largest error 1 at (")
    breaking = outcome_of(run, BREAKING)
    assert breaking.status is Status.SKIPPED
    assert breaking.reason.startswith(reason)
    assert "\n" not in breaking.reason


@pytest.mark.nightly
def test_pytorch_compiles_both_passes_with_its_default_compiler(compiled: StoredRun) -> None:
    assert_sound(compiled)
    assert compiled.header.release.startswith("torch.compile 2.")
    environment = compiled.machines[0].environment.mxnet
    assert environment["compiler"].startswith("torch.compile: backend inductor, mode default, fullgraph, /")


@pytest.mark.nightly
def test_pytorch_checks_the_compiled_call(compiled: StoredRun) -> None:
    assert_refused(
        compiled, "torch.compile can't compile the whole call: Unsupported: Failed to trace builtin operator: "
    )


@pytest.mark.nightly
def test_a_call_that_pytorch_compiles_again_in_its_samples_has_a_warning(compiled: StoredRun) -> None:
    outcome = outcome_of(compiled, AGAIN)
    assert outcome.status is Status.MEASURED, outcome.reason
    assert outcome.forward.recompiles == 3
    assert FigureWarning.RECOMPILED in outcome.forward.wall_us.warnings


@pytest.mark.nightly
def test_jax_compiles_both_passes(jitted: StoredRun) -> None:
    assert_sound(jitted)
    assert jitted.header.release.startswith("jax.jit 0.")
    assert jitted.machines[0].environment.mxnet["compiler"].startswith("jax.jit: XLA")


def test_jax_checks_the_compiled_call(jitted: StoredRun) -> None:
    assert_refused(jitted, "jax.jit can't compile the whole call: TracerBoolConversionError: ")
