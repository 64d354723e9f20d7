"""Completes handwritten cases: tensors by MXNet's inference, dtypes and contents by a rule."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

import msgspec

from autoperf.cases.build import (
    BuildResult,
    Rejection,
    completed,
    flat_tensors,
    inference_call,
    resolve,
    stated_contents,
    stem_of,
    unchecked,
    with_drafts,
)
from autoperf.cases.handwritten import HandwrittenCase, typed
from autoperf.core.case import NON_ARGUMENTS, OUT, Case, check_case
from autoperf.core.errors import CaseFileError, EngineError, UsageError
from autoperf.core.operator import Form, Operator
from autoperf.core.tensors import AnyContent, Boxes, Distinct, Integers, Literal_, Shape, default_content
from autoperf.registry.calls import Completion, InferenceCall, uses_np_shape
from autoperf.registry.client import RegistryClient
from autoperf.rules.rule import DRAWN, Draft, Inputs, InputSpec, Rule

UNRULED_CATEGORY = "misc"
"""The category of an operator without a rule."""


@dataclass(frozen=True)
class Subject:
    """An operator with its rule, None without one, and MXNet's inference."""

    operator: Operator
    rule: Rule | None
    completer: RegistryClient

    @property
    def category(self) -> str:
        """The rule's category."""
        return self.rule.category if self.rule else UNRULED_CATEGORY


def deduced(written: HandwrittenCase, subject: Subject) -> BuildResult:
    """The cases of all dtypes; a dtype that MXNet refuses is a rejection.

    Raises EngineError with MXNet's words if it refuses all of them, UsageError for tensors that can't be deduced, and
    UserRuleError if the user's own rule fails.
    """
    whole = typed(written, subject.operator)
    default = subject.rule.dtype if subject.rule else "float32"
    result, refusals = BuildResult(), list[EngineError]()
    for dtype in dict.fromkeys(written.dtypes or (default,)):
        other = dtype if dtype != default else ""
        try:
            result.cases.append(_case(whole, subject, dtype))
        except EngineError as error:
            refusals.append(error)
            rejection = Rejection(subject.operator.name, written.profile, f"in {dtype}: {error}", dtype=other)
            result.rejections.append(rejection)
    if not result.cases:
        raise refusals[0]
    return result


def _case(written: HandwrittenCase, subject: Subject, dtype: str) -> Case:
    spec, title = InputSpec(subject.operator, dtype), subject.completer.title
    rule = subject.rule or Rule((spec.name,), UNRULED_CATEGORY, lambda _: {}, lambda *_: Inputs({}), "no rule")
    if rule.dtypes and dtype not in rule.dtypes:
        raise EngineError(
            f"{title} doesn't check the dtype of {spec.name}, and may crash or corrupt memory over any but "
            f"{', '.join(rule.dtypes)}"
        )
    canonical = list(rule.canonical(spec).values())
    call = _call(written, spec, rule, canonical)
    request = inference_call(call, spec)
    if not uses_np_shape(request):
        _check_sizes(call, canonical)
    (completion,) = completed([request], rule, subject.completer)
    if completion.error:
        problem = _with_remedy(completion, request, subject)
        raise EngineError(f"{title} refuses these inputs of {spec.name}: {problem}")
    _check_absent(written, completion, request, subject)
    if unknown := sorted(set(completion.unknown) - set(flat_tensors(call))):
        raise UsageError(
            f"{title} can't deduce the shape of {', '.join(unknown)} of {spec.name} from these inputs: give "
            f"{'it' if len(unknown) == 1 else 'them'} too"
        )
    case = resolve(call, spec, rule, written.profile, completion)
    if misfit := rule.misfit(case):
        raise EngineError(f"{spec.name}: {unchecked(misfit, title)}")
    stated = {item.name for item in case.inputs if (draft := flat_tensors(call).get(item.name)) and draft.content}
    usual = _usual_contents(case, rule, canonical) if stated else {}
    own = [item.name for item in case.inputs if item.name in stated and item.tensor.content != usual[item.name]]
    try:
        return check_case(_marked(case, own))
    except CaseFileError as error:
        raise UsageError(str(error)) from None


def _with_remedy(completion: Completion, request: InferenceCall, subject: Subject) -> str:
    """The framework's message, and how it takes the inputs that it doesn't take with these parameters."""
    remedies: list[str] = []
    taken = {name: kind for name, kind in request.inputs.items() if name not in completion.unlisted}
    for name in completion.unlisted:
        call = msgspec.structs.replace(request, inputs={**taken, name: request.inputs[name]})
        remedies += [f"; it takes {name} with {value}" for value in _remedy(call, subject)]
    return completion.error + "".join(remedies)


def _remedy(call: InferenceCall, subject: Subject, without: str = "") -> list[str]:
    """The value of one parameter with which the framework has all inputs of the call, and no input `without`."""
    found: dict[str, bool] = {}
    for parameter in subject.operator.parameters:
        for value in ("true", "false") if parameter.type.form is Form.BOOLEAN else parameter.type.choices:
            changed = msgspec.structs.replace(call, params={**call.params, parameter.name: value})
            (completion,) = subject.completer.complete([changed])
            is_refused = bool(completion.error)
            if not (completion.unlisted or (without and (is_refused or without in dict(completion.inputs)))):
                found[f"{parameter.name}={value}"] = is_refused
    return sorted(found, key=found.__getitem__)[:1]


def _check_absent(written: HandwrittenCase, completion: Completion, request: InferenceCall, subject: Subject) -> None:
    """Raises EngineError for an input that the user gives as None, although the operator needs it."""
    for name in (name for name, _ in completion.inputs if name in written.absent):
        remedies = "".join(f"; it takes none with {value}" for value in _remedy(request, subject, name))
        raise EngineError(
            f"{subject.completer.title} refuses these inputs of {subject.operator.name}: {name} is None, and it needs "
            f"one with these parameters{remedies}"
        )


def with_own_contents(case: Case, operator: Operator, rule: Rule) -> Case:
    """The case of a Python file, whose inputs are marked where their content is another than the rule's.

    A tensor whose content the rule's inputs vary is compared with the input of the same profile; contents of drawn
    cases vary anyway.
    """
    if case.graphs or case.profile == DRAWN:
        return case
    canonical = rule.canonical(InputSpec(operator, rule.dtype))
    same = flat_tensors(canonical[case.profile]) if case.profile in canonical else {}
    varied = {name: draft.content for name, draft in same.items() if draft.content}
    usual = {**_usual_contents(case, rule, canonical.values()), **varied}
    return _marked(case, [item.name for item in case.inputs if item.tensor.content != usual[item.name]])


def _usual_contents(case: Case, rule: Rule, canonical: Iterable[Inputs]) -> dict[str, AnyContent]:
    usual = {item.name: default_content(item.tensor.dtype) for item in case.inputs}
    examples = _Examples(canonical, usual)
    known = stated_contents(case, rule) if rule.contents else {name: examples.content(name) for name in usual}
    return {**usual, **{name: content for name, content in known.items() if content}}


def _marked(case: Case, names: Collection[str]) -> Case:
    marked = (msgspec.structs.replace(item, own_content=True) if item.name in names else item for item in case.inputs)
    return msgspec.structs.replace(case, inputs=tuple(marked))


def _check_sizes(call: Inputs, canonical: Iterable[Inputs]) -> None:
    """Raises EngineError for a scalar or an empty tensor, which are unknown shapes for operators outside of mx.np."""
    usual = {name for example in canonical for name, draft in flat_tensors(example).items() if _is_unknown(draft.shape)}
    for name, draft in flat_tensors(call).items():
        if _is_unknown(draft.shape) and name not in usual:
            what = "an empty tensor" if draft.shape else "a scalar"
            raise EngineError(
                f"{name} has the shape {draft.shape}: for MXNet this is an unknown shape, and only operators of mx.np "
                f"take {what}; expected sizes from 1, such as (1,)"
            )


def _is_unknown(shape: Shape) -> bool:
    return not shape or 0 in shape


def _call(written: HandwrittenCase, spec: InputSpec, rule: Rule, canonical: Sequence[Inputs]) -> Inputs:
    """The call with the dtypes, storages, outputs in place and mode that it leaves out, by the rule or its inputs."""
    if any(call.graphs for call in canonical):
        raise UsageError(f"{spec.name} takes graphs: write its cases in a Python file, as `autoperf generate` does")
    order = {tensor.name: index for index, tensor in enumerate(spec.operator.tensors)}
    names = sorted(written.inputs, key=lambda name: (name in NON_ARGUMENTS, order.get(name, len(order))))
    own = Inputs({name: written.inputs[name] for name in names}, written.params)
    own = rule.completion(own, spec) if rule.completion else own
    call = _as_in_examples(own, _Examples(canonical, own.tensors), rule)
    if OUT in own.tensors and OUT not in call.in_place:
        call = replace(call, in_place=(*call.in_place, OUT))
    return call if written.training is None else replace(call, training=written.training)


def _as_in_examples(own: Inputs, examples: _Examples, rule: Rule) -> Inputs:
    """The call with what it leaves out and the examples have in common: dtypes, storage, outputs in place, the mode."""

    def completed(name: str, draft: Draft) -> Draft:
        alike = examples.tensors(name)
        if not alike:
            return draft
        example = alike[0]
        if draft.storage == "default" and all(each.storage != "default" for each in alike):
            draft = replace(draft, storage=example.storage, density=example.density)
        if not draft.content and not rule.contents and draft.dtype in (None, example.dtype):
            draft = replace(draft, content=examples.certain_content(name, rule))
        return replace(draft, dtype=draft.dtype or example.dtype)

    model = examples.calls[0] if examples.calls else own
    in_place = model.in_place if {*flat_tensors(own)}.issuperset(model.in_place) else ()
    return replace(
        with_drafts(own, completed), in_place=own.in_place or in_place, training=model.training, way=model.way
    )


class _Examples:
    """The canonical inputs of a rule as examples for a call with tensors of these names, the most similar first."""

    def __init__(self, canonical: Iterable[Inputs], names: Collection[str]) -> None:
        stems = frozenset(map(stem_of, names))
        self.calls = sorted(canonical, key=lambda call: len(stems ^ frozenset(call.tensors)))

    def content(self, name: str) -> AnyContent | None:
        """The content of this tensor, if all examples state the same one, and it doesn't depend on sizes."""
        contents = {draft.content for draft in self.tensors(name)}
        content = next(iter(contents), None)
        # The numbers of these contents are mostly sizes.
        by_sizes = isinstance(content, Integers | Distinct | Boxes | Literal_)
        return content if len(contents) == 1 and not by_sizes else None

    def certain_content(self, name: str, rule: Rule) -> AnyContent | None:
        """As `content`. Raises UsageError for a tensor whose content the examples state, but not for other sizes."""
        content = self.content(name)
        if not content and any(draft.content for draft in self.tensors(name)):
            raise UsageError(
                f"{rule.source} states what {name} holds only for its own inputs: give its content too, such as "
                f"{name}=SHAPE:integers(0, 10), or state it by the rule's `contents`"
            )
        return content

    def tensors(self, name: str) -> list[Draft]:
        """This tensor in each example that has it; members of a longer list are as the last one."""
        stem, bracket, rest = name.partition("[")
        found = [call.tensors[stem] for call in self.calls if stem in call.tensors]
        members = (
            each[min(int(rest.rstrip("]")), len(each) - 1)] if isinstance(each, tuple) and each and bracket else each
            for each in found
        )
        return [member for member in members if isinstance(member, Draft)]
