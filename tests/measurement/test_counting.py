"""Real operators are counted under valgrind: equal in each call and process, and as many as their loops make."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from autoperf.backends.protocol import TrialResult
from autoperf.cases.release import Release
from autoperf.core.case import Case, Input
from autoperf.core.errors import LibraryError
from autoperf.core.outcome import PassName, Status
from autoperf.core.tensors import TensorSpec, default_content
from autoperf.core.work import CodeCount
from autoperf.counts.valgrind import find_valgrind
from autoperf.measurement import trial_client
from autoperf.measurement.batches import Job
from autoperf.measurement.messages import CaseCounts, CaseFailure
from autoperf.measurement.settings import Settings
from autoperf.measurement.trial_client import CountingClient, TrialClient
from tests.measurement.executor_values import hostile_job
from tests.measurement.hostile import HOSTILE

pytestmark = pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind isn't installed")


def case(operator: str, *shapes: tuple[int, ...], **params: int) -> Case:
    names = ("lhs", "rhs") if len(shapes) > 1 else ("data",)
    content = default_content("float32")
    inputs = tuple(
        Input(name, TensorSpec(shape, "float32", content)) for name, shape in zip(names, shapes, strict=True)
    )
    return Case(operator=operator, category="test", profile="test", inputs=inputs, params=dict(params))


class Counting:
    """Counts cases after their trials."""

    def __init__(self, release: Release, folder: Path, settings: Settings) -> None:
        self.trial = TrialClient(release.library, settings, folder)
        self.client = CountingClient(release.library, settings, folder, find_valgrind())

    def answer(self, case: Case) -> CaseCounts | CaseFailure:
        self.trial.prepare()
        result = self.trial.run_trial(Job(case), float("inf"))
        assert isinstance(result, TrialResult), result
        return self.client.count(Job(case), result)

    def count(self, case: Case) -> dict[PassName, tuple[CodeCount, ...]]:
        answer = self.answer(case)
        assert not isinstance(answer, CaseFailure), answer
        return answer.passes

    def renew(self) -> None:
        self.client.stop()

    def stop(self) -> None:
        self.trial.stop()
        self.client.stop()


@pytest.fixture(scope="module")
def counting(release: Release, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Counting]:
    """Cases of more than five seconds of a processor are skipped, however long others have the processor."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trial_client, "PATIENCE", 100.0)
        counting = Counting(release, tmp_path_factory.mktemp("counts"), Settings(timeout=5.0))
        yield counting
        counting.stop()


def test_options_of_valgrinds_variable_are_named(
    release: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Valgrind itself says only that its manual should be read."""
    monkeypatch.setenv("VALGRIND_OPTS", "--nonsense")
    client = CountingClient(release.library, Settings(), tmp_path, find_valgrind())
    with pytest.raises(LibraryError, match="VALGRIND_OPTS gave valgrind --nonsense: unset it"), client:
        pass
    answer = client.count(Job(SMALL), TrialResult((), None, (), (), None))
    assert isinstance(answer, CaseFailure)
    assert "--nonsense" in answer.reason


SMALL, DOUBLE = case("relu", (64, 64)), case("relu", (64, 128))


TWO = (SMALL, case("softmax", (32, 32)))
EIGHT = (
    case("broadcast_add", (64, 64), (1, 64)), case("exp", (64, 64)), case("dot", (64, 64), (64, 64)),
    case("sum", (64, 64), axis=1), case("transpose", (64, 64)), case("sort", (16, 64)),
    case("elemwise_mul", (64, 64), (64, 64)), case("log_softmax", (32, 32)),
)  # fmt: skip


@pytest.mark.nightly
@pytest.mark.parametrize("cases", [TWO, pytest.param((*TWO, *EIGHT), marks=pytest.mark.nightly)])
def test_processes_and_calls_agree_to_the_instruction(counting: Counting, cases: tuple[Case, ...]) -> None:
    first = [counting.count(each) for each in cases]
    counting.renew()
    second = [counting.count(each) for each in cases]
    for before, after in zip(first, second, strict=True):
        assert list(before) == list(after)
        assert "backward" in before or cases is not TWO
        for name, counts in before.items():
            assert len(counts) == 2
            assert {count.digest for count in (*counts, *after[name])} == {counts[0].digest}
            assert {count.kernels for count in (*counts, *after[name])} == {counts[0].kernels}


def test_counts_are_those_of_the_loop(counting: Counting) -> None:
    """Twice as many elements take exactly twice as many instructions of the loop."""
    small, double = (counting.count(each)["forward"][0] for each in (SMALL, DOUBLE))
    (loop, *_), (longer, *_) = small.functions, double.functions
    assert loop.name == longer.name == "UnaryOp::Compute<cpu, relu>"
    each, rest = divmod(longer.instructions - loop.instructions, 64 * 64)
    assert (each, rest) == (10, 0)
    assert loop.instructions - each * 64 * 64 < 200


def test_a_case_that_crashes_fails_alone(counting: Counting, release: Release) -> None:
    """The trial has not run it: valgrind's process has to survive it, too."""
    content = default_content("int64")
    inputs = (
        Input("data", TensorSpec((2,), "float32", default_content("float32"))),
        Input("indices", TensorSpec((1, 2), "int64", content)),
    )
    bad = Case(operator="scatter_nd", category="test", profile="test", inputs=inputs, params={"shape": (2**40,)})
    answer = counting.client.count(Job(bad), TrialResult((), None, (), (), None))
    assert isinstance(answer, CaseFailure)
    first, second = counting.count(SMALL)["forward"]
    assert first.digest == second.digest


@pytest.mark.nightly
def test_a_case_with_an_instruction_that_valgrind_does_not_know_is_skipped(release: Release, tmp_path: Path) -> None:
    """`vmovups zmm0, [rax]` of AVX-512; the process that runs it isn't the one that counts the next case."""
    counting = Counting(release, tmp_path, Settings(framework=HOSTILE))
    code = """
        import mmap
        page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        page.write(bytes.fromhex("62f17c481000c3"))
        ctypes.CFUNCTYPE(None)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()
    """
    try:
        answer = counting.client.count(hostile_job(code), TrialResult((), None, (), (), None))
        assert isinstance(counting.answer(SMALL), CaseCounts)
    finally:
        counting.stop()
    assert isinstance(answer, CaseFailure)
    assert answer.status is Status.SKIPPED
    assert "doesn't know an instruction that the call executes (0x62 0xF1 0x7C 0x48" in answer.reason
    assert "-mno-avx512f" in answer.reason


def test_a_case_that_would_take_too_long_is_skipped(counting: Counting) -> None:
    answer = counting.answer(case("dot", (320, 320), (320, 320)))
    assert isinstance(answer, CaseFailure)
    assert answer.status is Status.SKIPPED
    assert "more than the limit of 5 s (--timeout)" in answer.reason
