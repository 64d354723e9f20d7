"""Quick timings in this process, of a framework that records what is asked of it."""

from __future__ import annotations

import contextlib
from types import SimpleNamespace

import pytest

from autoperf.backends.protocol import BackwardRequest
from autoperf.backends.results import results_of_case
from autoperf.core.errors import EngineError
from autoperf.measurement.messages import PairedTimes, PairedTiming, QuickTimes, QuickTiming
from autoperf.measurement.quick_timing import QuickTimer
from autoperf.measurement.settings import Settings
from tests.measurement.recorded_calls import RecordedCall, RecordedEngine
from tests.values import case

EXP = case("exp", 2, 2)
SETTINGS = Settings(cpus=(), profiler="python")


def timer(engine: RecordedEngine) -> QuickTimer:
    return QuickTimer(engine, SETTINGS)  # type: ignore[arg-type]


def test_the_forward_pass_that_is_timed_is_the_one_that_records() -> None:
    engine = RecordedEngine()
    answer = timer(engine).answer(QuickTiming(EXP, True, 3, 9.0))
    assert isinstance(answer, QuickTimes), answer
    assert len(answer.backward_us) == 3
    assert set(engine.calls[0].kinds) == {"recorded"}


@pytest.mark.parametrize("failure", [EngineError("no gradient"), NotImplementedError("igamma"), TypeError("jax")])
def test_a_call_whose_backward_pass_fails_is_timed_forward(failure: Exception) -> None:
    engine = RecordedEngine(failure)
    answer = timer(engine).answer(QuickTiming(EXP, True, 3, 9.0))
    assert isinstance(answer, QuickTimes), answer
    assert (len(answer.forward_us), answer.backward_us) == (3, ())
    (call,) = engine.calls
    assert call.kinds[0] == "recorded"
    assert set(call.kinds[1:]) == {"plain"}
    assert call.unfreed == 0


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> RecordedEngine:
    """Time passes while calls are prepared, and at no other moment."""
    now = [0.0]
    for module in ("quick_timing", "runner", "case_calls"):
        clock = SimpleNamespace(monotonic=lambda: now[0], perf_counter_ns=lambda: 0, time_ns=lambda: 0)
        monkeypatch.setattr(f"autoperf.measurement.{module}.time", clock)

    def passes() -> None:
        now[0] += 100.0

    return RecordedEngine(on_prepare=passes)


def test_making_the_arrays_takes_no_time_from_the_samples(slow: RecordedEngine) -> None:
    answer = timer(slow).answer(QuickTiming(EXP, False, 7, 0.5))
    assert isinstance(answer, QuickTimes), answer
    assert len(answer.forward_us) == 7


def test_making_the_arrays_takes_no_time_from_the_rounds_of_a_pair(slow: RecordedEngine) -> None:
    answer = timer(slow).answer(PairedTiming(EXP, EXP, "forward", 7, 0.5))
    assert isinstance(answer, PairedTimes), answer
    assert len(answer.first_us) == len(answer.second_us) == 7


@pytest.mark.parametrize("failure", [None, EngineError("no gradient")])
def test_the_outputs_of_a_case_are_freed_once_its_results_are_read(failure: Exception | None) -> None:
    call = RecordedCall(EXP, failure)
    with pytest.raises(EngineError) if failure else contextlib.nullcontext():
        results_of_case(call, BackwardRequest(("data",)))  # type: ignore[arg-type]
    assert (len(call.kinds), call.unfreed) == (1, 0)
