"""Which operators MXNet can differentiate, and by which kernels, asked with each rule's first canonical inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from autoperf.cases.settle import request
from autoperf.pipeline.release import Release
from autoperf.pipeline.selection import Target
from autoperf.registry.calls import Call, Gradient
from autoperf.rules.rule import Brief, Rule

Gradients: TypeAlias = dict[str, Gradient]


def read_gradients(release: Release, chosen: Sequence[Target]) -> Gradients:
    """MXNet's answer for every chosen operator that has a rule, by the operator's name."""
    calls = {target.operator.name: first_call(target, target.rule) for target in chosen if target.rule}
    answers = release.client.gradients(list(calls.values()))
    return dict(zip(calls, answers, strict=True))


def first_call(target: Target, rule: Rule) -> Call:
    """The call of the rule's first canonical inputs, before inference."""
    brief = Brief(target.operator, rule.dtype)
    return request(next(iter(rule.canonical(brief).values())), brief)
