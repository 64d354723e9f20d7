"""Losses and output layers: the forward pass predicts, the backward pass computes the loss's gradient."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial

from hypothesis import strategies as st

from autoperf.core.case import Case
from autoperf.core.operator import Value
from autoperf.core.tensors import AnyContent, Integers, Uniform
from autoperf.rules.arithmetic import OUTPUT, WRITTEN, Derivative, arrays, own_values
from autoperf.rules.rule import Draft, Inputs, InputSpec, inputs, rule, tensor
from autoperf.rules.table import ELEMENTWISE_SHAPES, MATRIX_SHAPES, at_shapes, below, by_profile, of_one, sized, up_to
from autoperf.strategies import extents, shapes

loss_rule = partial(rule, category="loss")

PROBABLE = Uniform(0.05, 0.95)
SCALES = st.sampled_from((0.5, 1.0, 2.0))
NORMALISATIONS = st.sampled_from(("null", "batch", "valid"))


def _classified(rows: int, classes: int) -> Inputs:
    return inputs(data=tensor(rows, classes), label=tensor(rows))


def _spoken(steps: int, batch: int, alphabet: int, length: int) -> Inputs:
    """Scores of an alphabet (0 is the blank) over steps, and transcripts that fit: 2 * length < steps."""
    return inputs(data=tensor(steps, batch, alphabet), label=tensor(batch, length))


CLASSES = by_profile(_classified(32, 32), _classified(256, 256), _classified(1024, 1000), _classified(10_000, 10))
SOFTMAX = {**CLASSES, "pixels": inputs(data=tensor(1, 21, 64, 64), label=tensor(1, 64 * 64), multi_output=True)}
SPEECH = by_profile(_spoken(16, 4, 16, 4), _spoken(32, 8, 64, 10), _spoken(64, 16, 128, 20), _spoken(500, 1, 10, 20))

PREDICTED = Derivative(arrays(OUTPUT, "label"), heads=0, zero=("label",))
"""The difference of the output and the label; the head gradient isn't read."""
output_rule = partial(loss_rule, backward=PREDICTED)


def classified(case: Case) -> Mapping[str, AnyContent]:
    """The right classes: on axis 1 or the last, or of all that a row has; or a probability for each score."""
    shape = case.shape("data")
    if case.shape("label") == shape:
        return {"label": Uniform(0.0, 1.0)}
    on_axis = shape[1] if case.flag("multi_output") else shape[-1]
    spread = len(shape) > 2 and not (case.flag("multi_output") or case.flag("preserve_shape"))
    return {"label": below(math.prod(shape[1:]) if spread else on_axis)}


def of_last_axis(case: Case) -> Mapping[str, AnyContent]:
    """The right class of each row of scores."""
    return {"label": below(case.shape("data")[-1])}


@output_rule("SoftmaxOutput", canonical=SOFTMAX, contents=classified)
def softmax_output(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Labels on [0, classes): one for each row, each vector of the last axis, or each of (N, classes, *places)."""
    way = draw(st.sampled_from(("rows", "last", "places", "probabilities")))
    low, high = {"rows": (2, 2), "last": (2, 4), "places": (3, 4), "probabilities": (2, 2)}[way]
    shape = draw(shapes(low, high, spec.elements))
    options: dict[str, Value] = {"grad_scale": draw(SCALES), "normalization": draw(NORMALISATIONS)}
    if way == "probabilities":
        return inputs(data=Draft(shape), label=Draft(shape), **options)
    if draw(st.booleans()):
        options |= {"use_ignore": True, "ignore_label": 0.0}
    if way == "places":
        label = Draft((shape[0], *shape[2:]))
        return inputs(data=Draft(shape), label=label, multi_output=True, **options)
    label = Draft(shape[:-1])
    options |= {"smooth_alpha": draw(st.sampled_from((0.0, 0.1)))} if shape[-1] > 1 else {}
    return inputs(data=Draft(shape), label=label, preserve_shape=way == "last", **options)


@output_rule("SVMOutput", canonical=CLASSES, contents=of_last_axis)
def svm_output(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """(N, classes) and a label on [0, classes) for each row; hinge loss, linear or squared."""
    rows, classes = draw(shapes(2, 2, spec.elements))
    return inputs(
        data=Draft((rows, classes)),
        label=Draft((rows,)),
        margin=draw(SCALES),
        regularization_coefficient=draw(SCALES),
        use_linear=draw(st.booleans()),
    )


@loss_rule(
    "softmax_cross_entropy",
    canonical=CLASSES,
    backward=Derivative(arrays("data", "label"), zero=("label",)),
    contents=of_last_axis,
)
def softmax_cross_entropy(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """(N, classes) and a label on [0, classes) for each row, to one number; a label outside kills the process."""
    rows, classes = draw(shapes(2, 2, spec.elements))
    return inputs(data=Draft((rows, classes)), label=Draft((rows,)))


@output_rule(
    *("LinearRegressionOutput", "LogisticRegressionOutput", "MAERegressionOutput"),
    canonical=sized(lambda _spec, shape: inputs(data=Draft(shape), label=Draft(shape)), ELEMENTWISE_SHAPES),
    contents={"label": PROBABLE},
)
def regression_output(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Predictions, and a label for each."""
    shape = draw(shapes(1, 4, spec.elements))
    return inputs(data=Draft(shape), label=Draft(shape), grad_scale=draw(SCALES))


@loss_rule("MakeLoss", canonical=at_shapes(ELEMENTWISE_SHAPES), backward=WRITTEN)
def loss_layer(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Any tensor becomes a loss, scaled by itself, its batch, or the number of its elements above a threshold."""
    data = Draft(draw(shapes(1, 4, spec.elements)))
    return inputs(data=data, grad_scale=draw(SCALES), normalization=draw(NORMALISATIONS))


@loss_rule("make_loss", canonical=at_shapes(ELEMENTWISE_SHAPES), backward=WRITTEN)
def make_loss(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Any tensor, already a loss."""
    return of_one(spec, draw(shapes(1, 4, spec.elements)))


@loss_rule(
    "IdentityAttachKLSparseReg",
    canonical=at_shapes(MATRIX_SHAPES),
    contents={"data": PROBABLE, "moving_avg": PROBABLE},
    backward=Derivative(zero=("moving_avg",)),
)
def sparse_units(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """(N, units) of activations between 0 and 1, whose moving average is regularised towards a target."""
    shape, target = draw(shapes(2, 2, spec.elements)), draw(st.sampled_from((0.05, 0.1, 0.5)))
    return inputs(data=Draft(shape), sparseness_target=target, penalty=0.001)


# Operations of a state at a time step: two additions and a product in each recursion (Graves et al., "Connectionist
# temporal classification", ICML 2006, equations 6 and 10), and a product and an addition in the gradient (equation 14).
_RECURSION_FLOPS, _GRADIENT_FLOPS = 3, 2


def ctc_flops(case: Case) -> float:
    """The recursions over time steps and states, of which a transcript of L letters has 2 L + 1; one for each score.

    In training, the forward pass runs the recursion backwards in time too, and computes the gradient.
    """
    steps, batch, _ = case.shape("data")
    states = 2 * case.shape("label")[1] + 1
    each = 2 * _RECURSION_FLOPS + _GRADIENT_FLOPS if case.training else _RECURSION_FLOPS
    return case.elements("data") + float(each * steps * batch * states)


def spoken(case: Case) -> Mapping[str, AnyContent]:
    """Letters without the blank, and lengths that leave each transcript room for repeats."""
    (steps, _, alphabet), longest = case.shape("data"), case.shape("label")[1]
    is_last = case.params.get("blank_label") == "last"
    return {
        "label": Integers(0, max(1, alphabet - 1)) if is_last else up_to(alphabet - 1),
        "data_lengths": up_to(steps, 2 * longest + 1),
        "label_lengths": up_to(max(1, min(longest, (steps - 1) // 2))),
    }


@loss_rule(
    "CTCLoss", canonical=SPEECH, flops=ctc_flops, backward=Derivative(own_values, zero=("label",)), contents=spoken
)
def ctc_loss(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """(steps, batch, alphabet) and transcripts with 2 * length < steps, so that one with repeats fits too.

    The blank is the first letter or the last; every length leaves the transcript room; others corrupt memory.
    """
    alphabet = draw(extents(2, max(2, min(256, spec.elements // 3))))
    steps = draw(extents(3, max(3, min(256, spec.elements // alphabet))))
    batch = draw(extents(1, max(1, min(32, spec.elements // (alphabet * steps)))))
    length, blank = draw(st.integers(1, (steps - 1) // 2)), draw(st.sampled_from(("first", "last")))
    lengths = {name: Draft((batch,)) for name in ("data_lengths", "label_lengths") if draw(st.booleans())}
    return inputs(
        data=Draft((steps, batch, alphabet)),
        label=Draft((batch, length)),
        blank_label=blank,
        use_data_lengths="data_lengths" in lengths,
        use_label_lengths="label_lengths" in lengths,
        **lengths,
    )
