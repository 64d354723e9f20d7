"""The rules of the planted operators: they speak for all of them, and draw each cliff, but not only the cliff."""

import pytest
from planted.cliffs import ALL, CLIFFS
from planted.laws import Call, Cliff, Planted

from autoperf.core.operator import Operator, Role, TensorArgument, TensorKind
from autoperf.core.options import DEFAULT_ELEMENTS
from autoperf.rules.catalog import catalog_of
from autoperf.rules.rule import Inputs, InputSpec, Rule
from autoperf.rules.rule_files import read_rules
from autoperf.strategies.shapes import draw_block
from tests.scripts import ROOT

pytestmark = pytest.mark.nightly
"""They speak of rules for benches, whose draws only a change of these rules or of the strategies moves."""

CATALOG = catalog_of(read_rules([ROOT / "benches" / "planted" / "rules.py"]))
DRAWS = 200
LARGE = 2**22


def operator(name: str) -> Operator:
    """As MXNet's registry describes an operator of an extension."""
    return Operator(name, Role.FORWARD, "nd", tensors=(TensorArgument("data", TensorKind.VARIADIC),))


def rule_of(name: str) -> Rule:
    found = CATALOG.find(operator(name))
    assert isinstance(found, Rule)
    return found


def call_of(given: Inputs, dtype: str) -> Call:
    drafts = given.tensors["data"]
    assert isinstance(drafts, tuple)
    return Call(tuple(draft.shape for draft in drafts), dtype, given.params)


@pytest.mark.parametrize("name", ALL)
def test_every_law_takes_what_its_rule_draws(name: str) -> None:
    rule, spec = rule_of(name), InputSpec(operator(name))
    for given in (*rule.canonical(spec).values(), *rule.drawn(spec, name, DRAWS)):
        call = call_of(given, "float32")
        for pass_ in ("forward", "backward"):
            assert 10 <= ALL[name].us(call, pass_) <= 6000


CAUSES = [(planted, cliff) for planted in CLIFFS for cliff in planted.cliffs if not cliff.equivalent]


@pytest.mark.parametrize(("planted", "cliff"), CAUSES)
def test_canonical_inputs_lie_outside_of_the_cliff(planted: Planted, cliff: Cliff) -> None:
    canonical = rule_of(planted.name).canonical(InputSpec(operator(planted.name)))
    assert not [given for given in canonical.values() if cliff.holds(call_of(given, "float32"))]


@pytest.mark.parametrize(("planted", "cliff"), [each for each in CAUSES if not each[1].simplest.pattern])
def test_some_drawn_inputs_lie_in_the_cliff_and_most_outside(planted: Planted, cliff: Cliff) -> None:
    rule, name = rule_of(planted.name), planted.name
    inside = []
    for dtype in ("float32", cliff.simplest.dtype):
        spec = InputSpec(operator(name), dtype, LARGE if name == "planted_cache" else DEFAULT_ELEMENTS)
        drawn = draw_block(rule.strategy(spec), f"{name}/{dtype}", DRAWS)
        inside += [cliff.holds(call_of(given, dtype)) for given in drawn]
    assert 0.02 <= sum(inside) / len(inside) <= 0.5
