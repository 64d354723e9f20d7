"""Optimizer updates of one weight or several, in place as MXNet's optimizers call them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial

from hypothesis import strategies as st

from autoperf.core.case import Case, Input
from autoperf.core.operator import Value
from autoperf.core.tensors import AnyContent, Constant, Shape, Uniform
from autoperf.core.work import stored_elements
from autoperf.rules.rule import ANY_RANK, Draft, Inputs, InputSpec, inputs, rule, tensor
from autoperf.rules.table import MODEST_SHAPES, Row, SampleInputs, by_profile, named, sized, table, where_known
from autoperf.strategies import extents, shapes

optimizer_rule = partial(rule, category="optimizer")

GRADIENT = Uniform(-0.1, 0.1)
SQUARES = Uniform(0.5, 2.0)
HALF_TYPED = ("weight", "grad")

SETTINGS: dict[str, float] = {"lr": 0.01, "eta": 1.0, "wd": 0.0001, "momentum": 0.9, "t": 1}
"""Settings of MXNet's optimizers, with small steps, so that a weight stays finite over any number of updates."""

CHOICES: dict[str, tuple[Value, ...]] = {
    "lr": (0.001, 0.01),
    "eta": (0.5, 1.0),
    "wd": (0.0, 0.0001),
    "momentum": (0.0, 0.5, 0.9),
    "t": (1, 10, 1000),
    "rescale_grad": (1.0, 0.5),
    "clip_gradient": (-1.0, 0.05),
    "clip_grad": (-1.0, 0.05),
    "clip_weights": (-1.0, 10.0),
    "bias_correction": (True, False),
    "lower_bound": (-1.0, 1.0),
    "upper_bound": (-1.0, 1.5),
    "wd_lh": (0.0, 0.0001),
    "lazy_update": (True, False),
}

KNOWN: dict[str, AnyContent] = {
    "weight": Uniform(),
    "weight32": Uniform(),
    "grad": GRADIENT,
    "r1": SQUARES,
    "r2": SQUARES,
    "rescale_grad": Constant(1.0),
}


def content(name: str) -> AnyContent:
    """The content of a tensor of this name: states are zero, as MXNet creates them."""
    return KNOWN.get(name, Constant(0.0))


def contents(case: Case) -> Mapping[str, AnyContent]:
    """The contents of weight, gradient, states and scales."""
    return {item.name: content(item.name) for item in case.inputs}


def states(case: Case) -> tuple[str, ...]:
    """The momenta and moments, and the master copy of the weight."""
    return tuple(item.name for item in case.inputs if item.name not in KNOWN.keys() - {"weight32"})


def states_like_weight(call: Inputs, spec: InputSpec) -> Inputs:
    """The update with states that are stored as its weight is, since MXNet would convert others in each call."""
    weight = call.tensors.get("weight")
    if not isinstance(weight, Draft) or weight.storage == "default":
        return call
    states = {
        name: replace(draft, storage=weight.storage, density=weight.density)
        for name, draft in {**_tensors(spec, weight.shape), **call.tensors}.items()
        if name not in KNOWN and isinstance(draft, Draft) and draft.storage == "default"
    }
    return replace(call, tensors={**call.tensors, **states})


def drawn_settings(draw: st.DrawFn, spec: InputSpec) -> dict[str, Value]:
    """A legal value, of a few, for each setting that this operator has."""
    known = {name: values for name, values in CHOICES.items() if spec.operator.parameter(name)}
    return {name: draw(st.sampled_from(values)) for name, values in known.items()}


def _tensors(spec: InputSpec, shape: Shape) -> dict[str, Draft]:
    """Weight, gradient and states; in mixed precision only the first two have the specification's dtype."""
    names = [argument.name for argument in spec.operator.tensors]
    mixed = "weight32" in names
    return {name: Draft(shape, "float32" if mixed and name not in HALF_TYPED else None) for name in names}


def _update(spec: InputSpec, shape: Shape, params: Mapping[str, Value]) -> Inputs:
    return Inputs({**_tensors(spec, shape)}, dict(params)).writing("weight")


def updates(build: Callable[[InputSpec, Shape, Mapping[str, Value]], Inputs] = _update) -> SampleInputs:
    """Updates of a weight of any shape, with the settings that MXNet's optimizers pass, or any of a few."""

    def drawn(draw: st.DrawFn, spec: InputSpec) -> Inputs:
        return build(spec, draw(shapes(1, 4, spec.elements)), drawn_settings(draw, spec))

    return SampleInputs(
        sized(lambda spec, shape: build(spec, shape, where_known(spec, **SETTINGS)), MODEST_SHAPES), drawn
    )


def _row_sparse(inputs: Inputs, density: float) -> Inputs:
    gradient = inputs.tensors["grad"]
    assert isinstance(gradient, Draft)
    sparse = replace(gradient, storage="row_sparse", density=density)
    return replace(inputs, tensors={**inputs.tensors, "grad": sparse})


def _dense_and_sparse(spec: InputSpec) -> Mapping[str, Inputs]:
    lazy = _update(spec, (4096, 64), {**where_known(spec, **SETTINGS), "lazy_update": True})
    return {**updates().canonical(spec), "row_sparse": _row_sparse(lazy, 0.1)}


def updated(case: Case) -> float:
    """One operation for each element of the weight, or of the rows of its gradient: a lazy update skips the others."""
    return stored_elements(case.tensor("grad" if case.flag("lazy_update", default=True) else "weight"))


lazy_rule = partial(
    optimizer_rule, flops=updated, moves=updated, contents=contents, states=states, completion=states_like_weight
)


@lazy_rule("sgd_update", "sgd_mom_update", "adam_update", canonical=_dense_and_sparse)
def dense_or_lazy(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """A dense gradient, or with lazy updates a row-sparse one, which changes some rows of the weight only."""
    if draw(st.booleans()):
        return updates().drawn(draw, spec)
    shape = draw(shapes(2, 2, spec.elements))
    params = {**drawn_settings(draw, spec), "lazy_update": True}
    return _row_sparse(_update(spec, shape, params), draw(st.sampled_from((0.05, 0.25, 0.5))))


def _adagrad(spec: InputSpec, shape: Shape, params: Mapping[str, Value], density: float = 0.1) -> Inputs:
    made = _update(spec, shape, {**params, "wd": 0.0} if spec.operator.parameter("wd") else params)
    if spec.name == "_contrib_group_adagrad_update":
        made = replace(made, tensors={**made.tensors, "history": Draft((shape[0], 1))})
    return _row_sparse(made, density)


@lazy_rule(
    "_sparse_adagrad_update",
    "_contrib_group_adagrad_update",
    canonical=sized(lambda spec, shape: _adagrad(spec, shape, where_known(spec, **SETTINGS)), MODEST_SHAPES),
)
def adagrad(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """A dense matrix and a row-sparse gradient, without weight decay; the grouped form keeps one number for a row."""
    shape = draw(shapes(2, 2, spec.elements))
    return _adagrad(spec, shape, drawn_settings(draw, spec), draw(st.sampled_from((0.05, 0.25, 0.5))))


def _adamw(spec: InputSpec, shape: Shape, params: Mapping[str, Value]) -> Inputs:
    made = _update(spec, shape, {name: value for name, value in params.items() if name != "rescale_grad"})
    return replace(made, tensors={**made.tensors, "rescale_grad": Draft((1,), "float32")})


def _lamb(spec: InputSpec, shape: Shape, params: Mapping[str, Value]) -> Inputs:
    """A phase of LAMB; the norms r1 and r2 of the second one are tensors of one element, as `norm` gives them."""
    if spec.name.endswith("phase1"):
        return Inputs({**_tensors(spec, shape)}, dict(params))
    mixed = "float32" if spec.operator.name.startswith("mp_") else None
    direction = {"g": Draft(shape, mixed)}
    norms = {name: Draft((1,), mixed) for name in ("r1", "r2")}
    return Inputs({**_tensors(spec, shape), **direction, **norms}, dict(params)).writing("weight")


def lamb_states(case: Case) -> tuple[str, ...]:
    """The moments, which the first phase updates, or the master copy, which the second one does."""
    read = "weight32" if case.operator.endswith("phase1") else "g"
    return tuple(name for name in states(case) if name != read)


PLAIN: dict[str, tuple[str, ...]] = dict.fromkeys(named("*multi_sgd_update", "", "preloaded_"), ())
WITH_MOMENTUM = dict.fromkeys(named("*multi_sgd_mom_update", "", "preloaded_"), ("mom",))
MIXED = {
    **dict.fromkeys(named("*multi_mp_sgd_update", "", "preloaded_"), ("weight32",)),
    **dict.fromkeys(named("*multi_mp_sgd_mom_update", "", "preloaded_"), ("mom", "weight32")),
}
NAMELESS = dict.fromkeys(named("_multi_*_update", "adamw", "lamb", "lans", "adabelief"), ("mean", "var"))
NAMELESS_MIXED = dict.fromkeys(
    named("_multi_mp_*_update", "adamw", "lamb", "lans", "adabelief"), ("mean", "var", "weight32")
)
MEMBERS: dict[str, tuple[str, ...]] = {**PLAIN, **WITH_MOMENTUM, **MIXED, **NAMELESS, **NAMELESS_MIXED}
"""The tensors that follow each weight and its gradient in the list, by operator."""
SCALED = {f"_multi_{precision}{name}_update" for precision in ("", "mp_") for name in ("adamw", "adabelief")}
"""Operators whose last tensor is the gradient's scale."""

WEIGHTS: Mapping[str, tuple[Shape, ...]] = by_profile(
    ((16, 16), (16,)) * 2, ((128, 64), (64,)) * 4, ((256, 128), (128,)) * 4, ((512, 512), *(((10,),) * 7))
)


def _members(operator: str, tensors: int, weights: int) -> list[str]:
    group = (*HALF_TYPED, *MEMBERS[operator])
    tail = ["rescale_grad"] if operator in SCALED else ["lrs", "wds"] if operator.startswith("preloaded") else []
    return [*group * weights, *tail][:tensors]


RATES = {"lrs": Constant(0.01), "wds": Constant(0.0001)}


def _named(case: Case) -> Iterator[tuple[Input, str]]:
    return zip(case.inputs, _members(case.operator, len(case.inputs), _weights(case.params)), strict=False)


def _weights(params: Mapping[str, Value]) -> int:
    return int(str(params.get("num_weights", params.get("num_tensors", 1))))


def group_in_place(call: Inputs, spec: InputSpec) -> Inputs:
    """The update of the weights in place; in mixed precision they and their gradients alone have the data's dtype."""
    data = call.tensors.get("data", ())
    if not isinstance(data, tuple):
        return call
    names = _members(spec.name, len(data), _weights(call.params))
    mixed = "weight32" in MEMBERS[spec.name]
    wide = {"lrs", "wds", *({*names} - {*HALF_TYPED} if mixed else ())}
    typed = tuple(
        replace(draft, dtype=draft.dtype or ("float32" if name in wide else spec.dtype))
        for draft, name in zip(data, names, strict=False)
    )
    written = (f"data[{index}]" for index, name in enumerate(names) if name == "weight")
    return replace(call, tensors={**call.tensors, "data": (*typed, *data[len(names) :])}).writing(*written)


def _group_update(spec: InputSpec, weights: tuple[Shape, ...], params: Mapping[str, Value]) -> Inputs:
    count = len(weights)
    known = [name for name in LISTED if spec.operator.parameter(name)]
    rates: dict[str, Value] = {name: (LISTED[name],) * count for name in known}
    number = "num_tensors" if spec.operator.parameter("num_tensors") else "num_weights"
    size = len(HALF_TYPED) + len(MEMBERS[spec.name])
    tail = [Draft((1,))] if spec.name in SCALED else [Draft((count,))] * 2 if spec.name.startswith("preloaded") else []
    data = (*(Draft(shape) for shape in weights for _ in range(size)), *tail)
    return group_in_place(Inputs({"data": data}, {**params, **rates, number: count}), spec)


LISTED = {
    "lrs": SETTINGS["lr"],
    "learning_rates": SETTINGS["lr"],
    "wds": SETTINGS["wd"],
    "etas": SETTINGS["eta"],
    "step_count": SETTINGS["t"],
}
"""Settings that operators without tensors for them have as lists."""


def _drawn_group(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    count = draw(st.integers(1, 8))
    weights = tuple(draw(shapes(1, 4, max(1, spec.elements // count))) for _ in range(count))
    return _group_update(spec, weights, drawn_settings(draw, spec))


GROUP_UPDATES = SampleInputs(
    sized(lambda spec, weights: _group_update(spec, weights, where_known(spec, **SETTINGS)), WEIGHTS),
    _drawn_group,
    lambda case: {item.name: RATES.get(name) or content(name) for item, name in _named(case)},
)
"""Updates of several weights in one call: of the profiles' weights, or of up to eight of any shapes."""

group_row = partial(
    Row,
    states=lambda case: tuple(item.name for item, name in _named(case) if name in MEMBERS[case.operator]),
    completion=group_in_place,
)
update_row = partial(Row, contents=contents, states=states)
lamb_row = partial(Row, contents=lambda case: {**contents(case), "g": GRADIENT}, states=lamb_states)
RULES = table(
    __name__,
    "optimizer",
    single=update_row(
        ("nag_mom_update", "signsgd_update", "signum_update", "ftml_update", "ftrl_update", "rmsprop_update"),
        updates(),
        "A weight, its gradient and states, all of one shape and dtype.",
        completion=states_like_weight,
    ),
    mixed_precision=update_row(
        ("mp_sgd_update", "mp_sgd_mom_update", "mp_nag_mom_update"),
        updates(),
        "Weight and gradient in half precision; states and the master copy of the weight in float32.",
        dtype="float16",
    ),
    centred_rmsprop=update_row(
        ("rmspropalex_update",),
        updates(lambda spec, shape, params: _update(spec, shape, {**params, "epsilon": 0.0001})),
        "The root of n - g**2 + epsilon: epsilon outweighs the rounding of a difference that goes to zero.",
    ),
    adamw=update_row(
        ("_adamw_update", "_adabelief_update"), updates(_adamw), "The gradient's scale is a tensor of one element."
    ),
    mixed_precision_adamw=update_row(
        ("_mp_adamw_update", "_mp_adabelief_update"),
        updates(_adamw),
        "As AdamW and AdaBelief, with states and a master copy in float32.",
        dtype="float16",
        dims=dict.fromkeys(("weight", "grad", "mean", "var", "weight32"), ANY_RANK),
    ),
    lamb=lamb_row(
        ("lamb_update_phase1", "lamb_update_phase2"),
        updates(_lamb),
        "The first phase makes a direction, which the second one applies, scaled by the norms of weight and direction.",
    ),
    mixed_precision_lamb=lamb_row(
        ("mp_lamb_update_phase1", "mp_lamb_update_phase2"),
        updates(_lamb),
        "As LAMB, with direction, states and a master copy in float32.",
        dtype="float16",
    ),
    several=group_row(tuple(PLAIN), GROUP_UPDATES, "Up to eight weights of any shapes, all in one precision."),
    several_with_momentum=group_row(
        tuple(WITH_MOMENTUM),
        GROUP_UPDATES,
        'Up to eight weights; on 1.9.1 their symbols can\'t be composed ("The stored type mismatch"), though they run.',
        inferable=False,
    ),
    several_in_mixed_precision=group_row(
        tuple(MIXED),
        GROUP_UPDATES,
        "Up to eight weights of any shapes in half precision, with float32 states and master copies.",
        dtype="float16",
    ),
    several_without_names=group_row(
        tuple(NAMELESS),
        GROUP_UPDATES,
        "Up to eight weights; MXNet reads beyond a table where it names the inputs of a symbol with many weights.",
        inferable=False,
    ),
    several_without_names_in_mixed_precision=group_row(
        tuple(NAMELESS_MIXED),
        GROUP_UPDATES,
        "As above, in half precision, with float32 states and master copies.",
        dtype="float16",
        inferable=False,
    ),
)

LAYER_RATES = Uniform(0.001, 0.1)


def _lars(count: int, **params: Value) -> Inputs:
    rates = norms = tensor(count)
    return inputs(
        lrs=rates, weights_sum_sq=norms, grads_sum_sq=norms, wds=rates, **{"eta": 0.001, "eps": 1e-8, **params}
    )


@optimizer_rule(
    "multi_lars",
    canonical={"small": _lars(8), "common": _lars(64), "large": _lars(1024), "skewed": _lars(10_000)},
    contents={"lrs": LAYER_RATES, "wds": LAYER_RATES, "weights_sum_sq": SQUARES, "grads_sum_sq": SQUARES},
)
def layer_wise_rates(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """One number for each layer in every tensor; sums of squares are positive."""
    rescale = draw(st.sampled_from((1.0, 0.5)))
    return _lars(draw(extents(1, min(1000, spec.elements))), rescale_grad=rescale)
