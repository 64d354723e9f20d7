"""Densities of random distributions: samples and parameters in their domains, so that logarithms stay finite."""

from __future__ import annotations

from functools import partial
from math import prod

from hypothesis import strategies as st

from autoperf.core.tensors import AnyContent, Integers, Probabilities, Shape, Uniform
from autoperf.rules.operators.random import PER_PARAMETER, content_of
from autoperf.rules.profiles import sized, unpacked
from autoperf.rules.rule import Draft, Inputs, InputSpec, inputs, rule, tensor
from autoperf.strategies import extents, shapes

SAMPLES: dict[str, AnyContent] = {
    "_random_pdf_uniform": Uniform(0.0, 1.0),
    "_random_pdf_normal": Uniform(-2.0, 4.0),
    "_random_pdf_gamma": Uniform(0.1, 4.0),
    "_random_pdf_exponential": Uniform(0.1, 4.0),
    "_random_pdf_poisson": Integers(0, 8),
    "_random_pdf_negative_binomial": Integers(0, 8),
    "_random_pdf_generalized_negative_binomial": Integers(0, 8),
}
"""What each density is asked for: a sample that the distribution can give, for all parameters of its domain."""
REAL = {"k": Uniform(1.0, 10.0)}
"""Parameters that are counted when a distribution is sampled; its density takes any, and has a gradient there."""


def _call(spec: InputSpec, parameters: Shape, samples: Shape, is_log: bool) -> Inputs:
    tensors = {
        argument.name: Draft(parameters, content=REAL.get(argument.name) or content_of(argument.name))
        for argument in spec.operator.tensors
        if argument.name != "sample"
    }
    sample = Draft((*parameters, *samples), content=SAMPLES[spec.name])
    return Inputs({"sample": sample, **tensors}, {"is_log": is_log})


@rule(*SAMPLES, category="random", canonical=sized(unpacked(partial(_call, is_log=False)), PER_PARAMETER))
def density(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Parameters of one shape, which is the start of the samples' shape."""
    parameters = draw(shapes(1, 2, max(1, spec.elements // 16)))
    room = max(1, spec.elements // prod(parameters))
    samples = draw(shapes(1, 2, room)) if draw(st.booleans()) else ()
    return _call(spec, parameters, samples, draw(st.booleans()))


def _simplex(batch: Shape, samples: Shape, classes: int, is_log: bool = False) -> Inputs:
    return inputs(
        sample=tensor(*batch, *samples, classes, content=Probabilities()),
        alpha=tensor(*batch, classes, content=content_of("alpha")),
        is_log=is_log,
    )


@rule(
    "_random_pdf_dirichlet",
    category="random",
    canonical={
        "small": _simplex((8,), (8,), 16, is_log=True),
        "common": _simplex((64,), (64,), 16, is_log=True),
        "large": _simplex((128,), (128,), 16, is_log=True),
        "skewed": _simplex((10_000,), (1,), 10, is_log=True),
    },
)
def dirichlet(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Points of the simplex: positive, summing to one along the last axis, which `alpha` shares."""
    classes = draw(extents(2, 8))
    room = max(1, spec.elements // classes)
    batch = draw(shapes(1, 2, max(1, room // 8)))
    samples = draw(shapes(1, 1, max(1, room // prod(batch)))) if draw(st.booleans()) else ()
    return _simplex(batch, samples, classes, draw(st.booleans()))
