"""Completes handwritten cases: tensors by MXNet's inference, dtypes and contents by a rule."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

import msgspec

from autoperf.cases.build import BuildResult, Completer, Rejection, flat_tensors, inference_call, resolve, unchecked
from autoperf.cases.handwritten import HandwrittenCase, typed
from autoperf.cases.shorthand import Tensors
from autoperf.core.case import NON_ARGUMENTS, OUT, Case, check_case
from autoperf.core.errors import CaseFileError, EngineError, UsageError
from autoperf.core.operator import Operator
from autoperf.core.tensors import AnyContent, Distinct, Integers, Shape, default_content
from autoperf.registry.calls import Completion, uses_np_shape
from autoperf.rules.rule import DRAWN, Draft, Inputs, InputSpec, Rule

UNRULED_CATEGORY = "misc"
"""The category of an operator without a rule."""


_Key: TypeAlias = tuple[str, int | None]
"""A parameter by its name and None, or an axis of a tensor."""


@dataclass(frozen=True)
class Subject:
    """An operator with its rule, None without one, and MXNet's inference."""

    operator: Operator
    rule: Rule | None
    completer: Completer

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
    outcomes = {dtype: _case_or_refusal(whole, subject, dtype) for dtype in written.dtypes or (default,)}
    refusals = {dtype: made for dtype, made in outcomes.items() if isinstance(made, EngineError)}
    if len(refusals) == len(outcomes):
        raise next(iter(refusals.values()))
    name = subject.operator.name
    return BuildResult(
        [made for made in outcomes.values() if isinstance(made, Case)],
        [
            Rejection(name, written.profile, f"in {dtype}: {refusal}", dtype=dtype if dtype != default else "")
            for dtype, refusal in refusals.items()
        ],
    )


def _case_or_refusal(written: HandwrittenCase, subject: Subject, dtype: str) -> Case | EngineError:
    try:
        return _case(written, subject, dtype)
    except EngineError as error:
        return error


def _case(written: HandwrittenCase, subject: Subject, dtype: str) -> Case:
    spec, title = InputSpec(subject.operator, dtype), subject.completer.title
    rule = subject.rule or _no_rule(subject.operator)
    if rule.dtypes and dtype not in rule.dtypes:
        raise EngineError(
            f"{title} doesn't check the dtype of {spec.name}, and may crash or corrupt memory over any but "
            f"{', '.join(rule.dtypes)}"
        )
    call, own = _call(written, spec, rule)
    request = inference_call(call, spec)
    if not uses_np_shape(request):
        _check_sizes(call, rule.canonical(spec).values())
    if rule.inferable:
        (completion,) = subject.completer.complete([request])
    else:
        completion = Completion(inputs=tuple(request.inputs.items()), dynamic=True)
    if completion.error:
        raise EngineError(f"{title} refuses these inputs of {spec.name}: {completion.error}")
    unknown = sorted(set(completion.unknown) - set(flat_tensors(call)))
    if unknown:
        raise UsageError(
            f"{title} can't deduce the shape of {', '.join(unknown)} of {spec.name} from these inputs: give "
            f"{'it' if len(unknown) == 1 else 'them'} too"
        )
    case = resolve(call, spec, rule, written.profile, completion)
    if misfit := rule.misfit(case):
        raise EngineError(f"{spec.name}: {unchecked(misfit, title)}")
    return _checked(_with_own_contents(case, own))


def with_own_contents(case: Case, operator: Operator, rule: Rule) -> Case:
    """The case of a Python file, whose inputs are marked where their content is another than the rule's.

    A case with a canonical profile is compared with that profile; contents of drawn cases vary anyway.
    """
    spec = InputSpec(operator, rule.dtype)
    canonical = rule.canonical(spec)
    if case.graphs or case.profile == DRAWN:
        return case
    drafts = {item.name: Draft(item.tensor.shape, item.tensor.dtype, item.tensor.content) for item in case.inputs}
    same = [canonical[case.profile]] if case.profile in canonical else list(canonical.values())
    examples = _Examples(same, Inputs(drafts, case.params), rule.fill)
    usual = {name: _usual_content(name, draft, examples, spec) for name, draft in drafts.items()}
    return _with_own_contents(case, [name for name, draft in drafts.items() if draft.content != usual[name]])


def _with_own_contents(case: Case, names: Collection[str]) -> Case:
    """The case whose inputs of these names are marked as having a content of the user's."""
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


def _checked(case: Case) -> Case:
    try:
        return check_case(case)
    except CaseFileError as error:
        raise UsageError(str(error)) from None


def _no_rule(operator: Operator) -> Rule:
    """An empty rule, for an operator that has none."""
    return Rule((operator.name,), UNRULED_CATEGORY, lambda _spec: {}, lambda _draw, _spec: Inputs({}), "no rule")


def _call(written: HandwrittenCase, spec: InputSpec, rule: Rule) -> tuple[Inputs, list[str]]:
    """The call with the dtypes, contents and modes of the rule's canonical inputs, where it states none itself.

    Beside it are the names of the tensors whose content it states, if that is another one than theirs.
    """
    canonical = list(rule.canonical(spec).values())
    if any(call.graphs for call in canonical):
        raise UsageError(f"{spec.name} takes graphs: write its cases in a Python file, as `autoperf generate` does")
    ordered = _in_order(written.inputs, spec.operator)
    own = Inputs(ordered, written.params)
    examples = _Examples(canonical, own, rule.fill)
    tensors = {name: _completed(name, tensor, examples, spec) for name, tensor in ordered.items()}
    model = examples.nearest
    names = {*flat_tensors(own)}
    in_place = model.in_place if model and names.issuperset(model.in_place) else ()
    if OUT in names and OUT not in in_place:
        in_place = (*in_place, OUT)
    training, way = (model.training, model.way) if model else (True, own.way)
    if written.training is not None:
        training = written.training
    own_contents = [
        name
        for name, draft in flat_tensors(own).items()
        if draft.content and draft.content != _usual_content(name, draft, examples, spec)
    ]
    return Inputs(tensors, written.params, in_place, training, way=way), own_contents


def _usual_content(name: str, draft: Draft, examples: _Examples, spec: InputSpec) -> AnyContent:
    """The content that this tensor has if none is stated."""
    usual = _draft(name, replace(draft, content=None), examples, spec)
    return usual.content or default_content(usual.dtype or spec.dtype)


def _in_order(inputs: Mapping[str, Tensors], operator: Operator) -> dict[str, Tensors]:
    """The tensors in the operator's order."""
    order = {tensor.name: index for index, tensor in enumerate(operator.tensors)}
    return dict(sorted(inputs.items(), key=lambda item: (item[0] in NON_ARGUMENTS, order.get(item[0], len(order)))))


def _completed(name: str, tensor: Tensors, examples: _Examples, spec: InputSpec) -> Tensors:
    """The tensor, or the members of a list, with the dtype and the content of the rule's."""
    if isinstance(tensor, tuple):
        return tuple(_draft(f"{name}[{index}]", member, examples, spec) for index, member in enumerate(tensor))
    return _draft(name, tensor, examples, spec)


def _draft(name: str, draft: Draft, examples: _Examples, spec: InputSpec) -> Draft:
    example = examples.tensor(name)
    if example is None:
        return replace(draft, content=draft.content or examples.fill.get(name))
    dtype = draft.dtype or example.dtype
    # The rule's content is made for the rule's dtype: a range of fractions would be zeros in whole numbers. Indices are
    # whole numbers in any dtype.
    suits = (dtype or spec.dtype) == (example.dtype or spec.dtype) or isinstance(example.content, Integers | Distinct)
    content = draft.content or (examples.content(name) if suits else None)
    sparse = examples.storage(name) if draft.storage == "default" else None
    storage, density = (sparse.storage, sparse.density) if sparse else (draft.storage, draft.density)
    return Draft(draft.shape, dtype, content, storage, density)


class _Examples:
    """The canonical inputs of a rule, as examples for a call `own` of a user.

    `fill` are the contents of tensors that examples leave to MXNet's inference.
    """

    def __init__(self, canonical: list[Inputs], own: Inputs, fill: Mapping[str, AnyContent]) -> None:
        self._own, self.fill = own, fill
        own_names = frozenset(own.tensors)
        self._calls = sorted(canonical, key=lambda call: len(own_names ^ frozenset(call.tensors)))

    @property
    def nearest(self) -> Inputs | None:
        """The example with the most similar tensors."""
        return self._calls[0] if self._calls else None

    def tensor(self, name: str) -> Draft | None:
        """The tensor of this name in the nearest example that has it; members of a longer list are as the last one."""
        return next((draft for _, draft in self._all(name)), None)

    def storage(self, name: str) -> Draft | None:
        """A sparse example of this tensor, if it is sparse in all examples."""
        drafts = [draft for _, draft in self._all(name)]
        return drafts[0] if drafts and all(draft.storage != "default" for draft in drafts) else None

    def content(self, name: str) -> AnyContent | None:
        """The content of this tensor in the nearest example.

        If the bound of whole numbers (indices, labels) is a size or a parameter in all examples, it is that one here.
        """
        content = next((draft.content for _, draft in self._all(name)), None)
        if not isinstance(content, Integers | Distinct):
            return content
        bounds = [
            (dict(_sizes(call)), draft.content.high)
            for call, draft in self._all(name)
            if isinstance(draft.content, Integers | Distinct)
        ]
        # An axis decides which size bounds the indices, so examples with the same parameters come first.
        alike = [bound for bound in bounds if self._has_own_parameters(bound[0])] or bounds
        own_sizes = dict(_sizes(self._own))
        telling = [key for key in alike[0][0] if all(sizes.get(key) == high for sizes, high in alike)]
        highs = dict.fromkeys(own_sizes[key] for key in telling if key in own_sizes)
        # Of a single example, one of several equal sizes may be equal by chance.
        certain = len(highs) == 1 or len({high for _, high in alike}) > 1
        high = next(iter(highs), 0)
        if certain and high > getattr(content, "low", 0):
            return msgspec.structs.replace(content, high=high)
        return content

    def _has_own_parameters(self, sizes: Mapping[_Key, int]) -> bool:
        """Whether the example with these sizes sets the same whole-number parameters."""
        return {name for name, axis in sizes if axis is None} == {
            name for name, axis in dict(_sizes(self._own)) if axis is None
        }

    def _all(self, name: str) -> Iterator[tuple[Inputs, Draft]]:
        """This tensor in each example that has it."""
        stem, bracket, rest = name.partition("[")
        for call in self._calls:
            tensor = call.tensors.get(stem)
            if isinstance(tensor, tuple) and tensor and bracket:
                yield call, tensor[min(int(rest.rstrip("]")), len(tensor) - 1)]
            elif isinstance(tensor, Draft):
                yield call, tensor


def _sizes(call: Inputs) -> Iterator[tuple[_Key, int]]:
    """The parameters that are whole numbers, and the sizes of the tensors, from the front and from the back."""
    for name, value in call.params.items():
        if type(value) is int:
            yield (name, None), value
    for name, draft in flat_tensors(call).items():
        for axis, size in enumerate(draft.shape):
            yield (name, axis), size
            yield (name, axis - len(draft.shape)), size
