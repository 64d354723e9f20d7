"""From a rule's inputs to a case: dtypes and contents settled, missing tensors filled in as inference deduced them."""

from __future__ import annotations

from autoperf.core.case import NON_ARGUMENTS, Case, Input
from autoperf.core.operator import Value
from autoperf.core.tensors import ArrayType, TensorSpec, default_content
from autoperf.registry.calls import Completion, InferenceCall
from autoperf.rules.rule import Draft, Inputs, InputSpec, Rule


def members(call: Inputs) -> dict[str, Draft]:
    """The call's tensors under the names of single ones; those of a list are `name[0]`, `name[1]`, ..."""
    found: dict[str, Draft] = {}
    for name, draft in call.tensors.items():
        if isinstance(draft, tuple):
            found.update({f"{name}[{index}]": member for index, member in enumerate(draft)})
        else:
            found[name] = draft
    return found


def parameters(call: Inputs, spec: InputSpec) -> dict[str, Value]:
    """The call's parameters, with the number of a list's tensors where the operator wants it told."""
    params = dict(call.params)
    count = spec.operator.variadic_count
    if count and count not in params and spec.operator.variadic:
        params[count] = sum("[" in name for name in members(call))
    return params


def request(call: Inputs, spec: InputSpec) -> InferenceCall:
    """What inference is asked about this call."""
    known = {
        name: ArrayType(draft.shape, draft.dtype or spec.dtype)
        for name, draft in members(call).items()
        if name not in NON_ARGUMENTS
    }
    return InferenceCall(spec.name, known, parameters(call, spec), graphs=dict(call.graphs), way=call.way)


def resolve(call: Inputs, spec: InputSpec, rule: Rule, profile: str, completion: Completion) -> Case:
    """The case of a call that inference accepted."""
    drafts = members(call)
    types = dict(completion.inputs)
    apart = {name: draft for name, draft in drafts.items() if name in NON_ARGUMENTS}
    types |= {name: ArrayType(draft.shape, draft.dtype or spec.dtype) for name, draft in apart.items()}
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
