"""The draw loop: reproducible, prefix-stable, never the simplest value by default, honest about what it can't draw."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from hypothesis import assume
from hypothesis import strategies as st

from autoperf.strategies import shapes
from autoperf.strategies.shapes import draw_block

PROGRAM = """
import sys
for name in sys.argv[1:]:
    __import__(name)
from autoperf.strategies import shapes
from autoperf.strategies.shapes import draw_block
print(draw_block(shapes(1, 4), "42/softmax", 20))
"""


INTERRUPTED = """
from hypothesis import strategies as st
from autoperf.strategies.shapes import draw_block

@st.composite
def interrupted(draw):
    if draw(st.integers(0, 9)) or draw(st.integers(0, 9)):
        raise KeyboardInterrupt
    return 0

try:
    draw_block(interrupted(), "1", 8)
except KeyboardInterrupt:
    raise SystemExit(130)
"""


def drawn_elsewhere(hash_seed: str, *modules: str) -> str:
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *modules], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout


def test_a_seed_gives_the_same_draws_in_any_process_whatever_is_loaded() -> None:
    here = f"{draw_block(shapes(1, 4), '42/softmax', 20)}\n"
    assert drawn_elsewhere("0") == here
    assert drawn_elsewhere("4711", "autoperf.rules.operators.convolution", "json", "decimal") == here


def test_another_seed_gives_other_draws() -> None:
    assert draw_block(shapes(), "1", 8) != draw_block(shapes(), "2", 8)


@pytest.mark.parametrize("fewer", [1, 2, 5, 8])
def test_fewer_draws_are_a_prefix_of_more(fewer: int) -> None:
    few = draw_block(shapes(), "7", fewer)
    assert few == draw_block(shapes(), "7", 30)[:fewer]
    assert len(few) == fewer


def test_draws_that_are_asked_for_later_are_the_same_ones() -> None:
    assert draw_block(shapes(), "7", 10, start=20) == draw_block(shapes(), "7", 30)[20:]


def test_the_draws_are_not_all_degenerate() -> None:
    drawn = draw_block(shapes(1, 4), "3", 40)
    assert drawn[0] != (1,)
    assert sum(max(shape) > 16 for shape in drawn) > 20
    assert {len(shape) for shape in drawn} == {1, 2, 3, 4}


def test_what_a_strategy_rejects_is_missing_and_not_replaced() -> None:
    @st.composite
    def odd(draw: st.DrawFn) -> int:
        number = draw(st.integers(0, 9))
        assume(number % 2)
        return number

    whole = draw_block(st.integers(0, 9), "1", 40)
    drawn = draw_block(odd(), "1", 40)
    assert drawn == [number for number in whole if number % 2]
    assert 10 < len(drawn) < 30
    assert [*draw_block(odd(), "1", 25), *draw_block(odd(), "1", 15, 25)] == drawn


@pytest.mark.parametrize("high", [127, 128, 129, 1000, 2**40])
def test_a_wide_range_is_uniform_but_for_its_bounds(high: int) -> None:
    """Hypothesis gives the bounds of a wide range some probability of their own."""
    drawn = draw_block(st.integers(1, high), "1", 400)
    inside = [number for number in drawn if 2 < number < high - 1]
    assert len(inside) > 350
    assert len(set(inside)) > 0.6 * min(400, high)
    quarters = [sum(high * at / 4 < number <= high * (at + 1) / 4 for number in inside) for at in range(4)]
    assert all(60 < count < 130 for count in quarters)


def test_impossible_strategies_give_nothing() -> None:
    assert draw_block(st.integers().filter(lambda number: False), "1") == []


def test_ctrl_c_while_inputs_are_drawn_prints_nothing() -> None:
    done = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_ctrl_c_while_the_engine_starts_is_ctrl_c(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hypothesis answers it with an assertion of its own."""

    def interrupted(_state: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("hypothesis.core.StateForActualGivenExecution.run_engine", interrupted)
    with pytest.raises(KeyboardInterrupt):
        draw_block(st.integers(), "seed")


def test_an_assertion_of_a_strategy_stays_one() -> None:
    def failing(_value: int) -> int:
        raise AssertionError("the strategy's own")

    with pytest.raises(AssertionError, match="the strategy's own"):
        draw_block(st.integers().map(failing), "seed")
