"""What no inference checks of intgemm's operators: whole tiles, and one bias for each row of the weight."""

from __future__ import annotations

import pytest

from autoperf.core.operator import Operator, Role
from autoperf.rules.operators import intgemm
from autoperf.rules.rule import Draft, Inputs, InputSpec, Rule
from autoperf.strategies import draw_block

DRAWS = 40
SPEC = InputSpec(Operator("made_up", Role.FORWARD, "nd"))
WEIGHTED = [rule for rule in vars(intgemm).values() if isinstance(rule, Rule) and "weight" in str(rule.names)]


def drawn_and_canonical(rule: Rule) -> list[Inputs]:
    """All canonical calls, and some drawn ones."""
    return [*rule.canonical(SPEC).values(), *draw_block(rule.strategy(SPEC), "seed", DRAWS, 0)]


def single(call: Inputs, name: str) -> Draft:
    draft = call.tensors[name]
    assert isinstance(draft, Draft)
    return draft


@pytest.mark.parametrize("rule", [*WEIGHTED, intgemm.fully_connected], ids=lambda rule: rule.names[0])
def test_weights_have_whole_tiles(rule: Rule) -> None:
    for call in drawn_and_canonical(rule):
        rows, columns = single(call, "weight").shape
        assert rows % intgemm.OUTER == 0
        assert columns % intgemm.INNER == 0


def test_a_layer_adds_a_bias_of_the_result_s_dtype_and_scales_only_floats() -> None:
    for call in drawn_and_canonical(intgemm.fully_connected):
        out = call.params["out_type"]
        assert ("scaling" in call.tensors) == (out == "float32")
        assert ("bias" in call.tensors) != call.params["no_bias"]
        if "bias" in call.tensors:
            assert single(call, "bias").dtype == out
            assert single(call, "bias").shape == (call.params["num_hidden"],)
