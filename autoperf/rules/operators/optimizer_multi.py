"""Updates of several weights in one call: one flat list of each weight with its gradient and states, in turn."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import strategies as st

from autoperf.core.operator import Value
from autoperf.core.tensors import Constant, Shape, Uniform
from autoperf.rules.operators.optimizer import HALF_TYPED, SETTINGS, SQUARES, content, drawn_settings, settings
from autoperf.rules.profiles import sized
from autoperf.rules.rule import Draft, Inputs, InputSpec, inputs, rule, tensor
from autoperf.rules.table import Row, table
from autoperf.strategies import extents, shapes

MASTER = "weight32"
WITH_MOMENTUM: dict[str, tuple[str, ...]] = {
    "multi_sgd_mom_update": ("mom",),
    "preloaded_multi_sgd_mom_update": ("mom",),
}
PLAIN: dict[str, tuple[str, ...]] = {
    "multi_sgd_update": (),
    "preloaded_multi_sgd_update": (),
}
MIXED: dict[str, tuple[str, ...]] = {
    "multi_mp_sgd_update": ("weight32",),
    "multi_mp_sgd_mom_update": ("mom", "weight32"),
    "preloaded_multi_mp_sgd_update": ("weight32",),
    "preloaded_multi_mp_sgd_mom_update": ("mom", "weight32"),
}
NAMELESS: dict[str, tuple[str, ...]] = {
    "_multi_adamw_update": ("mean", "var"),
    "_multi_lamb_update": ("mean", "var"),
    "_multi_lans_update": ("mean", "var"),
    "_multi_adabelief_update": ("mean", "var"),
}
NAMELESS_MIXED: dict[str, tuple[str, ...]] = {
    "_multi_mp_adamw_update": ("mean", "var", "weight32"),
    "_multi_mp_lamb_update": ("mean", "var", "weight32"),
    "_multi_mp_lans_update": ("mean", "var", "weight32"),
    "_multi_mp_adabelief_update": ("mean", "var", "weight32"),
}
MEMBERS = {**PLAIN, **WITH_MOMENTUM, **MIXED, **NAMELESS, **NAMELESS_MIXED}
"""What follows each weight and its gradient in the list, by operator."""
SCALED = {f"_multi_{precision}{name}_update" for precision in ("", "mp_") for name in ("adamw", "adabelief")}
"""Those whose last tensor is the gradient's scale."""

WEIGHTS: Mapping[str, tuple[Shape, ...]] = {
    "small": ((16, 16), (16,)) * 2,
    "common": ((128, 64), (64,)) * 4,
    "large": ((256, 128), (128,)) * 4,
    "skewed": ((512, 512), *(((10,),) * 7)),
}


def _group(spec: InputSpec, shape: Shape) -> list[Draft]:
    """A weight, its gradient and its states; in mixed precision the first two have the specification's dtype."""
    mixed = MASTER in MEMBERS[spec.name]
    names = (*HALF_TYPED, *MEMBERS[spec.name])
    return [Draft(shape, "float32" if mixed and name not in HALF_TYPED else None, content(name)) for name in names]


def _rates(spec: InputSpec, count: int) -> tuple[list[Draft], dict[str, Value]]:
    """The learning rates and weight decays: preloaded they are tensors after the list, else numbers."""
    if spec.name.startswith("preloaded"):
        return [tensor(count, dtype="float32", content=Constant(value)) for value in (0.01, 0.0001)], {}
    settings = {
        "lrs": SETTINGS["lr"],
        "learning_rates": SETTINGS["lr"],
        "wds": SETTINGS["wd"],
        "etas": SETTINGS["eta"],
        "step_count": SETTINGS["t"],
    }
    numbers: dict[str, Value] = {
        name: (value,) * count for name, value in settings.items() if spec.operator.parameter(name)
    }
    mixed = "float32" if MASTER in MEMBERS[spec.name] else None
    scale = [tensor(1, dtype=mixed, content=Constant(1.0))] if spec.name in SCALED else []
    return scale, numbers


def _update(spec: InputSpec, weights: tuple[Shape, ...], params: Mapping[str, Value]) -> Inputs:
    groups = [_group(spec, shape) for shape in weights]
    tail, numbers = _rates(spec, len(weights))
    count = "num_tensors" if spec.operator.parameter("num_tensors") else "num_weights"
    data = tuple(draft for group in groups for draft in group) + tuple(tail)
    written = (f"data[{index * len(groups[0])}]" for index in range(len(groups)))
    return Inputs({"data": data}, {**params, **numbers, count: len(weights)}).writing(*written)


class GroupUpdates:
    """Updates of several weights in one call: of the profiles' weights, or of up to eight of any shapes."""

    def canonical(self, spec: InputSpec, /) -> Mapping[str, Inputs]:
        """The settings that MXNet's optimizers pass."""
        return sized(lambda spec, weights: _update(spec, weights, settings(spec)), WEIGHTS)(spec)

    def drawn(self, draw: st.DrawFn, spec: InputSpec, /) -> Inputs:
        """Any of a few settings."""
        count = draw(st.integers(1, 8))
        weights = tuple(draw(shapes(1, 4, max(1, spec.elements // count))) for _ in range(count))
        return _update(spec, weights, drawn_settings(draw, spec))


RULES = table(
    __name__,
    several=Row(tuple(PLAIN), GroupUpdates(), "optimizer", "Up to eight weights of any shapes, all in one precision."),
    several_with_momentum=Row(
        tuple(WITH_MOMENTUM),
        GroupUpdates(),
        "optimizer",
        'As the others; on 1.9.1 their symbols can\'t be composed ("The stored type mismatch"), though they run.',
        inferable=False,
    ),
    several_in_mixed_precision=Row(
        tuple(MIXED),
        GroupUpdates(),
        "optimizer",
        "Up to eight weights of any shapes in half precision, with float32 states and master copies.",
        dtype="float16",
    ),
    several_without_names=Row(
        tuple(NAMELESS),
        GroupUpdates(),
        "optimizer",
        "As the others; MXNet reads beyond a table where it names the inputs of a symbol with many weights.",
        inferable=False,
    ),
    several_without_names_in_mixed_precision=Row(
        tuple(NAMELESS_MIXED),
        GroupUpdates(),
        "optimizer",
        "As above, in half precision, with float32 states and master copies.",
        dtype="float16",
        inferable=False,
    ),
)


def _lars(count: int, **params: Value) -> Inputs:
    rates = tensor(count, content=Uniform(0.001, 0.1))
    norms = tensor(count, content=SQUARES)
    return inputs(
        lrs=rates,
        weights_sum_sq=norms,
        grads_sum_sq=norms,
        wds=rates,
        **{"eta": 0.001, "eps": 1e-8, **params},
    )


@rule(
    "multi_lars",
    category="optimizer",
    canonical={"small": _lars(8), "common": _lars(64), "large": _lars(1024), "skewed": _lars(10_000)},
)
def layer_wise_rates(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """One number for each layer in every tensor; sums of squares are positive."""
    rescale = draw(st.sampled_from((1.0, 0.5)))
    return _lars(draw(extents(1, min(1000, spec.elements))), rescale_grad=rescale)
