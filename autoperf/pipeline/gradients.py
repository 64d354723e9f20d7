"""Which operators MXNet can differentiate, and by which kernels, asked with each rule's canonical inputs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TypeAlias

from autoperf.cases.resolution import inference_call
from autoperf.core.errors import UserRuleError
from autoperf.pipeline.release import Release
from autoperf.pipeline.selection import Target
from autoperf.registry.calls import Gradient, InferenceCall
from autoperf.rules.rule import InputSpec, Rule

Gradients: TypeAlias = dict[str, Gradient]


def read_gradients(release: Release, chosen: Sequence[Target]) -> Gradients:
    """MXNet's answer for every chosen operator that has a rule, by the operator's name.

    The first canonical inputs are asked; where these have no gradient, one of each other mode too, since an operator
    may have one in some of its modes only: `topk` of values, samples from tensors of parameters.
    """
    calls: dict[str, list[InferenceCall]] = {}
    failed: Gradients = {}
    for target in chosen:
        if target.rule:
            try:
                calls[target.operator.name] = modes(target, target.rule)
            except UserRuleError as error:
                failed[target.operator.name] = Gradient(error=str(error))
    found = dict(zip(calls, release.client.gradients([first for first, *_ in calls.values()]), strict=True))
    others = [(name, call) for name, (_, *rest) in calls.items() if not found[name].differentiable for call in rest]
    answers = release.client.gradients([call for _, call in others])
    for name, group in groupby(zip(others, answers, strict=True), key=lambda pair: pair[0][0]):
        found[name] = next((answer for _, answer in group if answer.differentiable), found[name])
    return found | failed


def modes(target: Target, rule: Rule) -> list[InferenceCall]:
    """The calls of the rule's canonical inputs, before inference, without those that differ from others in size alone.

    Numbers are taken for sizes; another mode has other tensors or dtypes, or other switches.
    """
    spec = InputSpec(target.operator, rule.dtype)
    found: dict[object, InferenceCall] = {}
    for inputs in rule.canonical(spec).values():
        call = inference_call(inputs, spec)
        tensors = tuple((name, kind.dtype) for name, kind in call.inputs.items())
        switches = tuple((name, value) for name, value in call.params.items() if isinstance(value, str | bool | None))
        found.setdefault((tensors, switches), call)
    return list(found.values())
