"""Resolves a rule's inputs to a case: default dtypes and contents, and missing tensors from inference."""

from __future__ import annotations

from autoperf.core.case import NON_ARGUMENTS, Case, Input
from autoperf.core.operator import Value
from autoperf.core.tensors import ArrayType, TensorSpec, default_content
from autoperf.registry.calls import Completion, InferenceCall
from autoperf.rules.rule import Draft, Inputs, InputSpec, Rule


def flat_tensors(call: Inputs) -> dict[str, Draft]:
    """The call's tensors by name; members of a list are `name[0]`, `name[1]`, ..."""
    tensors: dict[str, Draft] = {}
    for name, draft in call.tensors.items():
        if isinstance(draft, tuple):
            tensors.update({f"{name}[{index}]": member for index, member in enumerate(draft)})
        else:
            tensors[name] = draft
    return tensors


def parameters(call: Inputs, spec: InputSpec) -> dict[str, Value]:
    """The call's parameters, with the number of a list's tensors if the operator counts them."""
    params = dict(call.params)
    count = spec.operator.variadic_count
    if count and count not in params and spec.operator.variadic:
        params[count] = sum("[" in name for name in flat_tensors(call))
    return params


def inference_call(call: Inputs, spec: InputSpec) -> InferenceCall:
    """The call with its known inputs, for inference."""
    known = {
        name: ArrayType(draft.shape, draft.dtype or spec.dtype)
        for name, draft in flat_tensors(call).items()
        if name not in NON_ARGUMENTS
    }
    return InferenceCall(spec.name, known, parameters(call, spec), graphs=dict(call.graphs), way=call.way)


def resolve(call: Inputs, spec: InputSpec, rule: Rule, profile: str, completion: Completion) -> Case:
    """The case of a call that inference accepted."""
    drafts = flat_tensors(call)
    types = dict(completion.inputs)
    non_arguments = {name: draft for name, draft in drafts.items() if name in NON_ARGUMENTS}
    types |= {name: ArrayType(draft.shape, draft.dtype or spec.dtype) for name, draft in non_arguments.items()}
    return Case(
        operator=spec.name,
        category=rule.category,
        profile=profile,
        inputs=tuple(Input(name, _spec(kind, drafts.get(name), rule, name)) for name, kind in types.items()),
        params=dict(sorted(parameters(call, spec).items())),
        outputs=completion.outputs,
        in_place=call.in_place,
        training=call.training,
        graphs=dict(call.graphs),
        way=call.way,
    )


def _spec(kind: ArrayType, draft: Draft | None, rule: Rule, name: str) -> TensorSpec:
    if draft is None:
        return TensorSpec(kind.shape, kind.dtype, rule.fill.get(name) or default_content(kind.dtype))
    content = draft.content or default_content(kind.dtype)
    return TensorSpec(draft.shape, draft.dtype or kind.dtype, content, draft.storage, draft.density)
