"""Cases of a network's calls: the contents of their tensors by the operators' rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from autoperf.cases.deduction import Subject, deduced
from autoperf.cases.handwritten import HandwrittenCase, typed, with_lists
from autoperf.cases.shorthand import Tensors, parse_value
from autoperf.core.case import Case
from autoperf.core.errors import AutoperfError, UsageError
from autoperf.core.operator import Operator, TensorKind, Value
from autoperf.networks.calls import NetworkCall
from autoperf.registry.calls import InferenceCall

MAX_PROFILE = 100
DEFAULT_DTYPE = "float32"


@dataclass(frozen=True)
class CallRefusal:
    """A call that can't be a case, and why."""

    call: NetworkCall
    reason: str


def case_of(call: NetworkCall, subject: Subject, *, training: bool) -> Case | CallRefusal:
    """The case of a call, whose profile is the node's name; a refusal if MXNet rejects it outside of the network."""
    params = typed_params(subject.operator, call.params)
    try:
        names = argument_names(call, subject, params)
        tensors: Mapping[str, Tensors] = with_lists(dict(zip(names, call.inputs, strict=True)))
        written = HandwrittenCase(
            subject.operator.name,
            tensors,
            # The default dtype of created arrays differs between releases.
            _without_defaults(subject.operator, params) if call.inputs else params,
            (_dtype(call),),
            call.node[:MAX_PROFILE],
            training=training,
        )
        (case,) = deduced(written, subject).cases
    except AutoperfError as error:
        return CallRefusal(call, str(error))
    return msgspec.structs.replace(case, training=training)


def typed_params(operator: Operator, texts: Mapping[str, str]) -> dict[str, Value]:
    """The parameters as values of their types; a text that has no other value stays as it is."""
    values = {name: _value(text) for name, text in texts.items()}
    return dict(typed(HandwrittenCase(operator.name, {}, values), operator).params)


def _without_defaults(operator: Operator, params: Mapping[str, Value]) -> dict[str, Value]:
    """The parameters that differ from MXNet's defaults, which a symbol spells out."""
    defaults = {parameter.name: parameter.default for parameter in operator.parameters if parameter.default}
    usual = typed_params(operator, defaults)
    return {name: value for name, value in params.items() if name not in usual or usual[name] != value}


def _value(text: str) -> Value:
    try:
        return parse_value(text)
    except UsageError:
        return text


def argument_names(call: NetworkCall, subject: Subject, params: Mapping[str, Value]) -> list[str]:
    """The names of the call's inputs, in order. Raises UsageError if the operator takes another number of them."""
    operator, count = subject.operator, len(call.inputs)
    names = _listed(operator, count) if operator.variadic else _single(subject, params, count)
    if len(names) != count:
        raise UsageError(f"{operator.name} takes {len(names)} inputs with these parameters, not {count}")
    return names


def _listed(operator: Operator, count: int) -> list[str]:
    """The names of an operator with a list of tensors, which has all inputs but the single ones."""
    members = count - sum(tensor.kind is not TensorKind.VARIADIC for tensor in operator.tensors)
    names: list[str] = []
    for tensor in operator.tensors:
        is_list = tensor.kind is TensorKind.VARIADIC
        names += [f"{tensor.name}[{number}]" for number in range(members)] if is_list else [tensor.name]
    return names


def _single(subject: Subject, params: Mapping[str, Value], count: int) -> list[str]:
    """The names that MXNet lists for these parameters, which decide on biases, states and lengths."""
    (completion,) = subject.completer.complete([InferenceCall(subject.operator.name, {}, dict(params))])
    names = [name for name, _ in completion.inputs]
    return names if len(names) == count else [tensor.name for tensor in subject.operator.tensors[:count]]


def _dtype(call: NetworkCall) -> str:
    """The dtype of the call's data: the first floating one."""
    dtypes = [draft.dtype or DEFAULT_DTYPE for draft in call.inputs]
    return next((dtype for dtype in dtypes if "float" in dtype), dtypes[0] if dtypes else DEFAULT_DTYPE)
