"""Quick timings in this process, of a framework that records what is asked of it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from autoperf.backends.protocol import BackwardRequest, CallOptions
from autoperf.backends.results import results_of_case
from autoperf.core.case import Case
from autoperf.core.errors import EngineError
from autoperf.core.tensors import ArrayType
from autoperf.executor.messages import PairedTimes, PairedTiming, QuickTimes, QuickTiming
from autoperf.executor.quick_timing import QuickTimer
from autoperf.executor.settings import Settings
from tests.values import case

EXP = case("exp", 2, 2)
SETTINGS = Settings(cpus=())


class ForwardPass:
    """Counts its outputs that aren't freed yet."""

    def __init__(self, call: RecordedCall, kind: str) -> None:
        self._call, self._kind = call, kind

    def __call__(self) -> list[str]:
        self._call.kinds.append(self._kind)
        self._call.unfreed += 1
        return [self._kind]

    def free(self, _outputs: object, /) -> None:
        self._call.unfreed -= 1


class RecordedCall:
    """A call whose forward pass is another one once gradients are requested, as JAX's is."""

    note = ""
    first_us = compilations = None

    def __init__(self, of: Case, failure: Exception | None = None) -> None:
        self.case = of
        self.gradients: dict[str, object] = {}
        self.kinds: list[str] = []
        self.unfreed = 0
        self.is_freed = False
        self._failure = failure
        self.invoke = ForwardPass(self, "plain")

    def idle(self) -> object:
        return None

    def check(self) -> None:
        raise EngineError("nothing fails later")

    def mode(self) -> contextlib.AbstractContextManager[None]:
        return contextlib.nullcontext()

    def request_gradients(self, request: BackwardRequest, /) -> None:
        self.gradients = dict.fromkeys(request.inputs)
        self.invoke = ForwardPass(self, "recorded" if request.inputs else "plain")

    def make_heads(self, outputs: Sequence[ArrayType], values: object = None, /) -> None:
        pass

    def run_backward(self, outputs: list[str], /) -> None:
        assert outputs == ["recorded"]
        if self._failure:
            raise self._failure

    def describe(self, _outputs: object, /) -> tuple[ArrayType, ...]:
        return (ArrayType((2, 2), "float32"),)

    def values(self, _outputs: object, /) -> list[Any]:
        assert self.unfreed == 1
        return []

    def views(self, _outputs: object, _count: int | None, /) -> tuple[str, ...]:
        assert self.unfreed == 1
        return ()

    def gradient_values(self) -> dict[str, Any]:
        assert self.unfreed == 1
        return {}

    input_values = gradient_values

    def free(self) -> None:
        self.is_freed = True


class RecordedEngine:
    """Prepares recorded calls, whose backward passes fail as given; preparing one takes some time."""

    def __init__(self, failure: Exception | None = None, on_prepare: Callable[[], None] = lambda: None) -> None:
        self.calls: list[RecordedCall] = []
        self.refusals: tuple[type[BaseException], ...] = ()
        self._failure, self._on_prepare = failure, on_prepare

    def prepare(self, of: Case, _options: CallOptions, _program: object = None) -> RecordedCall:
        self._on_prepare()
        self.calls.append(RecordedCall(of, self._failure))
        return self.calls[-1]

    def wait(self) -> None:
        pass

    def error_text(self, error: BaseException) -> str:
        return str(error)


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
    for module in ("quick_timing", "runner", "sampling"):
        clock = SimpleNamespace(monotonic=lambda: now[0], perf_counter_ns=lambda: 0, time_ns=lambda: 0)
        monkeypatch.setattr(f"autoperf.executor.{module}.time", clock)

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
