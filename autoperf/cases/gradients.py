"""Which operators have a gradient, by MXNet's own pass over their canonical inputs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TypeAlias

from autoperf.cases.build import inference_call
from autoperf.cases.release import Release
from autoperf.cases.selection import Target
from autoperf.core.errors import UserRuleError
from autoperf.core.modes import LAYERS
from autoperf.core.operator import COMPOSITE_NAMESPACE, FRONT_END_NAMESPACE
from autoperf.registry.calls import Gradient, InferenceCall
from autoperf.rules.rule import InputSpec, Rule

Gradients: TypeAlias = dict[str, Gradient]


def read_gradients(release: Release, chosen: Sequence[Target]) -> Gradients:
    """MXNet's answer for every chosen operator that has a rule, by the operator's name.

    The first canonical inputs are tried, and without a gradient one input of each other mode, since an operator may be
    differentiable in some modes only: `topk` of values, samples from tensors of parameters. Front-end benchmarks have
    no gradient; layers have one of kernels that aren't known here; a composite has one if its rule says so.
    """
    calls: dict[str, list[InferenceCall]] = {}
    known: Gradients = {}
    for target in chosen:
        name, rule = target.operator.name, target.rule
        if target.operator.namespace == FRONT_END_NAMESPACE:
            known[name] = Gradient(differentiable=target.category == LAYERS)
        elif rule:
            try:
                if target.operator.namespace == COMPOSITE_NAMESPACE:
                    known[name] = Gradient(differentiable=_trains(target, rule))
                else:
                    calls[name] = modes(target, rule)
            except UserRuleError as error:
                known[name] = Gradient(error=str(error))
    gradients = dict(zip(calls, release.client.gradients([first for first, *_ in calls.values()]), strict=True))
    others = [(name, call) for name, (_, *rest) in calls.items() if not gradients[name].differentiable for call in rest]
    answers = release.client.gradients([call for _, call in others])
    for name, group in groupby(zip(others, answers, strict=True), key=lambda pair: pair[0][0]):
        gradients[name] = next((answer for _, answer in group if answer.differentiable), gradients[name])
    return gradients | known


def _trains(target: Target, rule: Rule) -> bool:
    canonical = rule.canonical(InputSpec(target.operator, rule.dtype))
    return any(inputs.training for inputs in canonical.values())


def modes(target: Target, rule: Rule) -> list[InferenceCall]:
    """One call of the rule's canonical inputs per mode, before inference.

    A mode is a set of tensors, dtypes and switches; numbers are sizes and make no mode.
    """
    spec = InputSpec(target.operator, rule.dtype)
    by_mode: dict[object, InferenceCall] = {}
    for inputs in rule.canonical(spec).values():
        call = inference_call(inputs, spec)
        tensors = tuple((name, kind.dtype) for name, kind in call.inputs.items())
        switches = tuple((name, value) for name, value in call.params.items() if isinstance(value, str | bool | None))
        by_mode.setdefault((tensors, switches), call)
    return list(by_mode.values())
