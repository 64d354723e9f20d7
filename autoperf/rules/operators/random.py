"""Random sampling in both namespaces, and the densities of distributions."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from math import prod

from hypothesis import strategies as st

from autoperf.core.case import Case
from autoperf.core.operator import Form, Operator, Value
from autoperf.core.tensors import AnyContent, Integers, Probabilities, Shape, Uniform
from autoperf.rules.arithmetic import DRAW_FLOPS
from autoperf.rules.rule import Draft, Inputs, InputSpec, inputs, rule, tensor
from autoperf.rules.table import MODEST_SHAPES, at_shapes, by_profile, extent, of_one, sized, unpacked, up_to
from autoperf.strategies import extents, shapes

random_rule = partial(rule, category="random")

DISTRIBUTIONS = (
    *("uniform", "normal", "gamma", "exponential", "poisson"),
    *("negative_binomial", "generalized_negative_binomial"),
)
FROM_NUMBERS_ALONE = ("binomial",)
"""Distributions that have no operator for samples in the shape of another tensor."""
DOMAINS: dict[str, Uniform | Integers] = {
    "low": Uniform(-2.0, 0.0),
    "high": Uniform(1.0, 3.0),
    "loc": Uniform(-1.0, 1.0),
    "mu": Uniform(0.5, 4.0),
    "shape": Uniform(0.5, 4.0),
    "scale": Uniform(0.5, 2.0),
    "sigma": Uniform(0.5, 2.0),
    "alpha": Uniform(0.5, 2.0),
    "beta": Uniform(0.5, 2.0),
    "lam": Uniform(0.5, 4.0),
    "a": Uniform(0.5, 3.0),
    "k": Integers(1, 10),
    "n": Integers(1, 20),
    "p": Uniform(0.25, 0.875),
    "prob": Uniform(0.125, 0.875),
    "logit": Uniform(-2.0, 2.0),
}
"""The domain of each parameter, in which it is legal and samples are modest for every distribution that has it.

They are in the order in which operators list those that they have.
"""

SLOW = ("gamma", "binomial", "poisson")
"""Distributions sampled by rejection, which takes a tenth of a microsecond or more for each element."""
UNHURRIED: Mapping[str, Shape] = {"small": (32, 32), "common": (128, 128), "large": (256, 256), "skewed": (10_000, 1)}

PER_PARAMETER: Mapping[str, tuple[Shape, Shape]] = by_profile(
    ((32,), (32,)), ((256,), (256,)), ((512,), (256,)), ((10_000,), (10,))
)


def sizes(spec: InputSpec) -> Mapping[str, Shape]:
    """The shapes of the profiles, with fewer elements if sampling is slow."""
    return UNHURRIED if any(part in spec.name for part in SLOW) else MODEST_SHAPES


def numbers_of(operator: Operator) -> list[str]:
    """The names of the distribution's parameters that this operator takes as numbers, in its own order."""
    numeric = (Form.FLOAT, Form.INTEGER)
    return [item.name for item in operator.parameters if item.name in DOMAINS and item.type.form in numeric]


def middle(domain: Uniform | Integers) -> float | int:
    """The middle of a domain."""
    centre = (domain.low + domain.high) / 2
    return int(centre) if isinstance(domain, Integers) else centre


def number(domain: Uniform | Integers) -> st.SearchStrategy[float | int]:
    """A whole number of the domain, or one of its eighths."""
    if isinstance(domain, Integers):
        return st.integers(domain.low, domain.high - 1)
    return st.integers(int(domain.low * 8), int(domain.high * 8)).map(lambda eighths: eighths / 8)


def output_dtype(spec: InputSpec) -> dict[str, Value]:
    """`dtype`, if the operator has that parameter; MXNet rejects a dtype that it can't sample."""
    return {"dtype": spec.dtype} if spec.operator.parameter("dtype") else {}


def _middles(spec: InputSpec) -> dict[str, Value]:
    return {name: middle(DOMAINS[name]) for name in numbers_of(spec.operator)}


def _drawn_numbers(draw: st.DrawFn, spec: InputSpec) -> dict[str, Value]:
    return {name: draw(number(DOMAINS[name])) for name in numbers_of(spec.operator)}


@random_rule(
    *(f"_random_{name}" for name in (*DISTRIBUTIONS, *FROM_NUMBERS_ALONE)),
    canonical=lambda spec: {
        profile: Inputs({}, {**_middles(spec), **output_dtype(spec), "shape": shape})
        for profile, shape in sizes(spec).items()
    },
)
def from_numbers(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Samples of any shape; low < high, and every other parameter is positive."""
    shape = draw(shapes(1, 4, spec.elements))
    return Inputs({}, {**_drawn_numbers(draw, spec), **output_dtype(spec), "shape": shape})


@random_rule(
    *(f"_random_{name}_like" for name in DISTRIBUTIONS),
    canonical=lambda spec: {profile: of_one(spec, shape, **_middles(spec)) for profile, shape in sizes(spec).items()},
    unread=("data",),
)
def like_another(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Samples in the shape and dtype of a tensor, whose contents don't matter."""
    return Inputs({"data": Draft(draw(shapes(1, 4, spec.elements)))}, _drawn_numbers(draw, spec))


def _sampled(spec: InputSpec, parameters: Shape, shape: Shape) -> Inputs:
    tensors = {item.name: Draft(parameters) for item in spec.operator.tensors}
    return Inputs({**tensors}, {"shape": shape} if shape else {})


@random_rule(
    *(f"_sample_{name}" for name in (*DISTRIBUTIONS, *FROM_NUMBERS_ALONE)),
    canonical=sized(unpacked(_sampled), PER_PARAMETER),
    contents=DOMAINS,
)
def from_tensors(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Parameters of one shape in their domains, and the shape of the samples for each set (none: one sample)."""
    parameters = draw(shapes(1, 2, max(1, spec.elements // 16)))
    room = max(1, spec.elements // prod(parameters))
    return _sampled(spec, parameters, draw(shapes(1, 2, room)) if draw(st.booleans()) else ())


@random_rule(
    "_random_randint",
    canonical=sized(lambda spec, shape: inputs(low=0, high=100, **output_dtype(spec), shape=shape), MODEST_SHAPES),
    dtype="int32",
)
def whole_numbers(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Whole numbers on [low, high), low < high."""
    low = draw(st.integers(-1000, 1000))
    high = low + draw(extents(1, 10_000))
    return inputs(low=low, high=high, shape=draw(shapes(1, 4, spec.elements)), **output_dtype(spec))


CHOSEN: Mapping[str, Inputs] = {
    "small": inputs(data=tensor(32, 32)),
    "common": inputs(data=tensor(256, 256), shape=(16,)),
    "large": inputs(data=tensor(1024, 1024)),
    "skewed": inputs(data=tensor(10_000, 10), get_prob=True),
}

TRIALS = 10


def _counted(batch: int, classes: int, shape: Shape = (), most: int = TRIALS) -> Inputs:
    tensors = {"n": tensor(batch, content=None if most == TRIALS else up_to(most)), "p": tensor(batch, classes)}
    return Inputs(tensors, {"shape": shape} if shape else {})


COUNTED: Mapping[str, Inputs] = by_profile(
    _counted(16, 16), _counted(128, 64, (4,)), _counted(1024, 256), _counted(10_000, 4)
)


def _counts(spec: InputSpec) -> bool:
    """Whether this release's operator counts (2.0), or chooses classes as `_sample_categorical` does."""
    return spec.operator.tensors[0].name == "n"


def multinomial_draws(case: Case) -> float:
    """A random number for each class but the last, or, to choose one, a random number and a sum over the classes."""
    classes = case.inputs[-1].tensor.shape[-1]
    if len(case.inputs) > 1:
        return DRAW_FLOPS * case.outputs[0].elements * (classes - 1) / classes
    return float(case.outputs[0].elements * (DRAW_FLOPS + classes))


@random_rule(
    *("_sample_multinomial", "_sample_categorical"),
    moves=multinomial_draws,
    canonical=lambda spec: COUNTED if _counts(spec) else CHOSEN,
    contents={"data": Probabilities(), "p": Probabilities(), "n": up_to(TRIALS)},
    varied={"n": "the number of trials is no size of the call"},
)
def multinomial(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Probabilities along the last axis, one distribution or a batch; indices fit the output's dtype.

    On 2.0 `_sample_multinomial` takes the number of trials beside them, and counts.
    """
    if _counts(spec):
        batch, outcomes = draw(shapes(2, 2, max(1, spec.elements // 16)))
        return _counted(batch, outcomes, draw(st.sampled_from(((), (2,), (2, 3)))), draw(extents(1, 32)))
    classes = draw(extents(1, min(1000, spec.elements)))
    batch = draw(extents(1, max(1, spec.elements // classes // 16)))
    lead = (batch,) if draw(st.booleans()) else ()
    exact = ["int32", "float32", "float64", *(["uint8"] if classes <= 256 else [])]
    params: dict[str, Value] = {"get_prob": draw(st.booleans()), "dtype": draw(st.sampled_from(exact))}
    if draw(st.booleans()):
        params["shape"] = draw(shapes(1, 2, max(1, min(256, spec.elements // prod(lead, start=classes)))))
    return Inputs({"data": tensor(*lead, classes)}, params)


@random_rule(
    "_sample_unique_zipfian",
    canonical={
        "small": inputs(range_max=10_000, shape=(4, 32)),
        "common": inputs(range_max=100_000, shape=(16, 256)),
        "large": inputs(range_max=1_000_000, shape=(64, 1024)),
        "skewed": inputs(range_max=1_000_000, shape=(1, 10_000)),
    },
)
def unique_zipfian(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """(batch, samples), distinct in each row; the range is several times larger, so that rejection is rare."""
    samples = draw(extents(1, min(2048, spec.elements)))
    batch = draw(extents(1, max(1, min(64, spec.elements // samples // 4))))
    return inputs(range_max=samples * draw(st.integers(8, 100)), shape=(batch, samples))


def shuffled(case: Case) -> float:
    """One move for each element, and a random number for each row; one row stays where it is."""
    shape = case.inputs[0].tensor.shape
    return float(prod(shape) + DRAW_FLOPS * shape[0] if shape[0] > 1 else 0)


@random_rule("_shuffle", canonical=at_shapes(MODEST_SHAPES), moves=shuffled)
def shuffle(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Any tensor; its first axis is put in random order."""
    return of_one(spec, draw(shapes(1, 4, spec.elements)))


SAMPLES: dict[str, AnyContent] = {
    "_random_pdf_uniform": Uniform(0.0, 1.0),
    "_random_pdf_normal": Uniform(-2.0, 4.0),
    "_random_pdf_gamma": Uniform(0.1, 4.0),
    "_random_pdf_exponential": Uniform(0.1, 4.0),
    "_random_pdf_poisson": Integers(0, 8),
    "_random_pdf_negative_binomial": Integers(0, 8),
    "_random_pdf_generalized_negative_binomial": Integers(0, 8),
}
"""Samples for each density: values that the distribution can give for all parameters of its domain."""
REAL = {"k": Uniform(1.0, 10.0)}
"""Parameters that are counted when a distribution is sampled; its density takes any, and has a gradient there."""


def _call(spec: InputSpec, parameters: Shape, samples: Shape, is_log: bool) -> Inputs:
    tensors = {argument.name: Draft(parameters) for argument in spec.operator.tensors if argument.name != "sample"}
    return Inputs({"sample": Draft((*parameters, *samples)), **tensors}, {"is_log": is_log})


@random_rule(
    *SAMPLES,
    canonical=sized(unpacked(partial(_call, is_log=False)), PER_PARAMETER),
    contents=lambda case: {**DOMAINS, **REAL, "sample": SAMPLES[case.operator]},
)
def density(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Parameters of one shape, with which the samples' shape begins."""
    parameters = draw(shapes(1, 2, max(1, spec.elements // 16)))
    room = max(1, spec.elements // prod(parameters))
    samples = draw(shapes(1, 2, room)) if draw(st.booleans()) else ()
    return _call(spec, parameters, samples, draw(st.booleans()))


def _simplex(batch: Shape, samples: Shape, classes: int, is_log: bool) -> Inputs:
    return inputs(sample=tensor(*batch, *samples, classes), alpha=tensor(*batch, classes), is_log=is_log)


@random_rule(
    "_random_pdf_dirichlet",
    canonical=sized(
        unpacked(lambda _spec, batch, samples, classes: _simplex(batch, samples, classes, is_log=True)),
        by_profile(((8,), (8,), 16), ((64,), (64,), 16), ((128,), (128,), 16), ((10_000,), (1,), 10)),
    ),
    contents={"sample": Probabilities(), "alpha": DOMAINS["alpha"]},
)
def dirichlet(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Points of the simplex: positive, summing to one along the last axis, which `alpha` shares."""
    classes = draw(extents(2, 8))
    room = max(1, spec.elements // classes)
    batch = draw(shapes(1, 2, max(1, room // 8)))
    samples = draw(shapes(1, 1, max(1, room // prod(batch)))) if draw(st.booleans()) else ()
    return _simplex(batch, samples, classes, draw(st.booleans()))


LIMIT = 2**16


def _numpy(spec: InputSpec, numbers: Mapping[str, Value], tensors: Mapping[str, Shape], size: Shape | None) -> Inputs:
    order = [name for name in numbers_of(spec.operator) if name in tensors]
    drafts = {f"input{place + 1}": Draft(tensors[name]) for place, name in enumerate(order)}
    params: dict[str, Value] = {name: numbers.get(name) for name in numbers_of(spec.operator)}
    return Inputs({**drafts}, {**params, "size": size, **output_dtype(spec)})


def contents(case: Case) -> Mapping[str, AnyContent]:
    """The domains of the parameters without a number, which are the inputs in order."""
    absent = [domain for name, domain in DOMAINS.items() if case.params.get(name, "") in (None, "None")]
    return {f"input{place}": domain for place, domain in enumerate(absent, 1)}


def _canonical(spec: InputSpec) -> Mapping[str, Inputs]:
    numbers = _middles(spec)
    plain = {profile: _numpy(spec, numbers, {}, shape) for profile, shape in sizes(spec).items()}
    return {**plain, "tensors": _numpy(spec, {}, dict.fromkeys(numbers, (256, 256)), None)}


def _narrowed(draw: st.DrawFn, shape: Shape) -> Shape:
    return tuple(extent if draw(st.booleans()) else 1 for extent in shape)


def _split(draw: st.DrawFn, names: list[str]) -> tuple[dict[str, Value], list[str]]:
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
        return _numpy(spec, numbers, {name: _narrowed(draw, shape) for name in chosen}, shape)
    return _numpy(spec, numbers, dict.fromkeys(chosen, shape), None)


@random_rule("_npi_uniform_n", "_npi_normal_n", canonical=_canonical, contents=contents)
def batches(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """As the plain distributions, but `size` samples for each set of parameters; it precedes the tensors' shape."""
    numbers, chosen = _split(draw, numbers_of(spec.operator))
    shape = draw(shapes(1, 2, max(1, spec.elements // 16)))
    size = draw(shapes(1, 2, max(1, spec.elements // prod(shape))))
    return _numpy(spec, numbers, dict.fromkeys(chosen, shape), size)


def _trials(
    spec: InputSpec, name: str, size: Shape | None, value: float | None = None, shape: Shape | None = None
) -> Inputs:
    """Outcomes have any dtype; probabilities have a floating-point dtype."""
    params: dict[str, Value] = {"prob": None, "logit": None, "size": size, "is_logit": name == "logit"}
    params |= output_dtype(spec)
    if shape is not None:
        return Inputs({"input1": Draft(shape, None if "float" in spec.dtype else "float32")}, params)
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
    name, shape = draw(st.sampled_from(("prob", "logit"))), draw(shapes(1, 4, spec.elements))
    way = draw(st.sampled_from(("number", "tensor", "broadcast")))
    if way == "number":
        return _trials(spec, name, shape, draw(number(DOMAINS[name])))
    if way == "tensor":
        return _trials(spec, name, None, shape=shape)
    return _trials(spec, name, shape, shape=_narrowed(draw, shape))


_chances = partial(tensor, dtype="float32")  # weights are fractions, for every dtype of the data


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
def numpy_multinomial(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Probabilities that sum to one at most (the last outcome takes the rest), as a tensor or as numbers."""
    outcomes, count = draw(extents(1, min(256, spec.elements))), draw(extents(1, 32))
    size = draw(shapes(1, 2, max(1, min(spec.elements, 2**20 // count) // outcomes)))
    if draw(st.booleans()):
        return inputs(a=tensor(outcomes), n=count, size=size)
    few = min(outcomes, 8)
    return inputs(n=count, pvals=(*(0.5**place for place in range(1, few)), 0.5 ** (few - 1)), size=size)
