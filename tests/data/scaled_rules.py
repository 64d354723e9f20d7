"""A rule for the operator of scaled.cc."""

from autoperf.rules.rule import Draft, inputs, rule, tensor
from autoperf.strategies import shapes


@rule("scaled", category="unary", canonical={"small": inputs(data=[tensor(4, 4)], factor=2.0)})
def scaled(draw, spec):
    """A tensor of any shape."""
    return inputs(data=[Draft(draw(shapes(1, 2, spec.elements)))], factor=3.0)
