"""Random sampling of the NumPy namespace, where each parameter of a distribution is a number or a tensor.

The front end passes a tensor as `input1` (the first of them) or `input2`, and None in place of the number.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from math import prod

from hypothesis import strategies as st

from autoperf.core.case import Case
from autoperf.core.operator import Value
from autoperf.core.tensors import AnyContent, Probabilities, Shape, Uniform
from autoperf.rules.contents import extent
from autoperf.rules.operators.random import DOMAINS, middle, number, numbers_of, output_dtype, sizes
from autoperf.rules.rule import Draft, Inputs, InputSpec, inputs, rule, tensor
from autoperf.rules.table import MODEST_SHAPES
from autoperf.strategies import extents, shapes

random_rule = partial(rule, category="random")

LIMIT = 2**16


def _call(spec: InputSpec, numbers: Mapping[str, Value], tensors: Mapping[str, Shape], size: Shape | None) -> Inputs:
    """One call: each parameter is among the numbers or among the tensors (by their shapes)."""
    order = [name for name in numbers_of(spec.operator) if name in tensors]
    drafts = {f"input{place + 1}": Draft(tensors[name]) for place, name in enumerate(order)}
    params: dict[str, Value] = {name: numbers.get(name) for name in numbers_of(spec.operator)}
    return Inputs({**drafts}, {**params, "size": size, **output_dtype(spec)})


def contents(case: Case) -> Mapping[str, AnyContent]:
    """The domains of the parameters without a number, which are the inputs in order."""
    absent = [domain for name, domain in DOMAINS.items() if case.params.get(name, "") in (None, "None")]
    return {f"input{place}": domain for place, domain in enumerate(absent, 1)}


def _canonical(spec: InputSpec) -> Mapping[str, Inputs]:
    names = numbers_of(spec.operator)
    numbers: dict[str, Value] = {name: middle(DOMAINS[name]) for name in names}
    plain = {profile: _call(spec, numbers, {}, shape) for profile, shape in sizes(spec).items()}
    return {**plain, "tensors": _call(spec, {}, dict.fromkeys(names, (256, 256)), None)}


def _narrowed(draw: st.DrawFn, shape: Shape) -> Shape:
    return tuple(extent if draw(st.booleans()) else 1 for extent in shape)


def _split(draw: st.DrawFn, names: list[str]) -> tuple[dict[str, Value], list[str]]:
    """The values of the parameters that are numbers, and the names of the parameters that are tensors."""
    chosen = [name for name in names if draw(st.booleans())]
    return {name: draw(number(DOMAINS[name])) for name in names if name not in chosen}, chosen


@random_rule(
    *(f"_npi_{name}" for name in ("uniform", "normal", "gamma", "gumbel", "laplace", "logistic")),
    *(f"_npi_{name}" for name in ("exponential", "pareto", "powerd", "rayleigh", "weibull")),
    canonical=_canonical,
    contents=contents,
)
def distribution(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Numbers and tensors in their domains; tensors broadcast to `size`, or give the shape where it is None."""
    shape = draw(shapes(1, 4, spec.elements))
    numbers, chosen = _split(draw, numbers_of(spec.operator))
    if not chosen or draw(st.booleans()):
        return _call(spec, numbers, {name: _narrowed(draw, shape) for name in chosen}, shape)
    return _call(spec, numbers, dict.fromkeys(chosen, shape), None)


@random_rule("_npi_uniform_n", "_npi_normal_n", canonical=_canonical, contents=contents)
def batches(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """As the plain distributions, but `size` samples for each set of parameters; it precedes the tensors' shape."""
    numbers, chosen = _split(draw, numbers_of(spec.operator))
    shape = draw(shapes(1, 2, max(1, spec.elements // 16)))
    size = draw(shapes(1, 2, max(1, spec.elements // prod(shape))))
    return _call(spec, numbers, dict.fromkeys(chosen, shape), size)


def _trials(
    spec: InputSpec, name: str, size: Shape | None, value: float | None = None, shape: Shape | None = None
) -> Inputs:
    """Outcomes have any dtype; probabilities have a floating-point dtype."""
    params: dict[str, Value] = {"prob": None, "logit": None, "size": size, "is_logit": name == "logit"}
    params |= output_dtype(spec)
    if shape is not None:
        fractions = None if "float" in spec.dtype else "float32"
        return Inputs({"input1": Draft(shape, fractions)}, params)
    return Inputs({}, {**params, name: value})


@random_rule(
    "_npi_bernoulli",
    canonical=lambda spec: {
        **{profile: _trials(spec, "prob", shape, 0.5) for profile, shape in MODEST_SHAPES.items()},
        "tensors": _trials(spec, "logit", None, shape=(256, 256)),
    },
    contents=lambda case: {"input1": DOMAINS["logit" if case.flag("is_logit") else "prob"]},
)
def bernoulli(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Either a probability or its logit, as a number or as a tensor; `is_logit` is true for a logit."""
    name = draw(st.sampled_from(("prob", "logit")))
    shape = draw(shapes(1, 4, spec.elements))
    way = draw(st.sampled_from(("number", "tensor", "broadcast")))
    if way == "number":
        return _trials(spec, name, shape, draw(number(DOMAINS[name])))
    if way == "tensor":
        return _trials(spec, name, None, shape=shape)
    return _trials(spec, name, shape, shape=_narrowed(draw, shape))


def _chances(count: int) -> Draft:
    """Weights are fractions in float32, for every dtype of the data."""
    return tensor(count, dtype="float32")


@random_rule(
    "_npi_choice",
    canonical={
        "small": inputs(a=1000, size=(32, 32)),
        "common": inputs(a=10_000, size=(256, 256)),
        "large": inputs(a=1_000_000, size=(512, 512)),
        "skewed": inputs(a=100_000, size=(10_000, 1), replace=False),
        "weighted": inputs(input1=_chances(256), a=256, size=(1024,), weighted=True),
    },
    contents=lambda case: {case.inputs[-1].name: Probabilities()} if case.flag("weighted") else {},
)
def choice(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Choices of `a` numbers or of a tensor's elements; without replacement at most as many as these."""
    limit = min(spec.elements, LIMIT)
    count, replace, weighted = draw(extents(1, limit)), draw(st.booleans()), draw(st.booleans())
    most = min(limit, max(1, spec.elements * 4 // count)) if weighted and replace else limit
    params: dict[str, Value] = {
        "a": count,
        "size": draw(shapes(1, 2, most if replace else min(most, count))),
        "replace": replace,
        "weighted": weighted,
    }
    weights = [_chances(count)] if weighted else []
    if draw(st.booleans()):
        params["a"] = None
        weights.insert(0, tensor(count))
    return Inputs({f"input{place + 1}": draft for place, draft in enumerate(weights)}, params)


def at_most_one(case: Case) -> Mapping[str, AnyContent]:
    """Probabilities of which even the largest sum to less than one."""
    outcomes = extent(case, "a", -1) if case.has("a") else 1
    return {"a": Uniform(0.1 / outcomes, 0.9 / outcomes)}


@random_rule(
    "_npi_multinomial",
    canonical={
        "small": inputs(a=tensor(16), n=10, size=(16,)),
        "common": inputs(a=tensor(64), n=20, size=(64,)),
        "large": inputs(a=tensor(256), n=50, size=(64,)),
        "skewed": inputs(a=tensor(10), n=1, size=(10_000,)),
        "numbers": inputs(n=10, pvals=(0.125, 0.125, 0.25, 0.5), size=(1024,)),
    },
    contents=at_most_one,
)
def multinomial(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Probabilities that sum to one at most (the last outcome takes the rest), as a tensor or as numbers."""
    outcomes = draw(extents(1, min(256, spec.elements)))
    count = draw(extents(1, 32))
    size = draw(shapes(1, 2, max(1, min(spec.elements, 2**20 // count) // outcomes)))
    if draw(st.booleans()):
        return inputs(a=tensor(outcomes), n=count, size=size)
    few = min(outcomes, 8)
    return inputs(n=count, pvals=(*(0.5**place for place in range(1, few)), 0.5 ** (few - 1)), size=size)
