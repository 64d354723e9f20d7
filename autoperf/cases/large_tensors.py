"""Cases with a tensor of more than 2**32 elements, made from an operator's canonical inputs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import prod

from autoperf.cases.build import BuildResult, CaseBuilder, Completer, Recipe, build, flat_tensors, with_drafts
from autoperf.core.operator import Operator, Value
from autoperf.core.options import MAX_BYTES
from autoperf.core.tensors import Shape
from autoperf.rules.rule import Draft, Inputs, InputSpec, Rule

PROFILE = "int64"
ELEMENTS = 2**32
"""The number of elements that the largest tensor exceeds."""
DTYPES = ("int8", "float16")
"""The dtypes to try if the user gave none, the smallest first; then the rule's own."""
_SHAPE_PARAMETERS = ("shape", "size")
_TOO_SMALL = "no tensor and no shape of its canonical inputs can be enlarged: give large inputs by --input"


def built_cases(operator: Operator, rule: Rule, recipe: Recipe, completer: Completer) -> BuildResult:
    """The operator's cases by the recipe: canonical and drawn ones, or one with a large tensor."""
    return (
        _large(operator, rule, recipe, completer) if recipe.int64_tensor else build(operator, rule, recipe, completer)
    )


def _large(operator: Operator, rule: Rule, recipe: Recipe, completer: Completer) -> BuildResult:
    """The first case that inference accepts, in the first dtype in which it accepts one."""
    result = BuildResult()
    recipe = replace(recipe, max_bytes=MAX_BYTES, draws=0)
    for dtype in recipe.dtypes or dict.fromkeys((*DTYPES, rule.dtype)):
        built = _in_dtype(InputSpec(operator, dtype), rule, replace(recipe, dtypes=(dtype,)), completer)
        if built.cases:
            return built
        result = result.joined(built)
    return BuildResult(rejections=result.rejections[:1])


def _in_dtype(spec: InputSpec, rule: Rule, recipe: Recipe, completer: Completer) -> BuildResult:
    builder = CaseBuilder(spec, rule, recipe, completer)
    if rule.dtypes and spec.dtype not in rule.dtypes:
        reason = f"{completer.title} doesn't check this dtype: it takes {', '.join(rule.dtypes)}"
        return builder.refuse((PROFILE,), reason, of_dtype=True)
    calls = [call for canonical in builder.canonical().values() for call in enlarged(canonical)]
    if not calls:
        return builder.refuse((PROFILE,), _TOO_SMALL, of_dtype=False)
    for call in calls:
        if builder.add([(PROFILE, call)]):
            return BuildResult(builder.result.cases)
    return builder.result


def enlarged(call: Inputs) -> Iterator[Inputs]:
    """The call with a tensor of more than 2**32 elements, in the ways in which its tensors may belong together.

    The largest tensor grows along its first axis, alone or with all tensors of its shape or of its first extent.
    A call without tensors has a larger shape as its parameter.
    """
    drafts = flat_tensors(call)
    largest = max(drafts.values(), key=lambda draft: prod(draft.shape), default=None)
    if largest is None or not largest.shape:
        yield from _with_larger_shape(call)
        return
    for follows in (_same_shape, _same_first_extent, _same_tensor):
        chosen = {name for name, draft in drafts.items() if follows(draft, largest)}
        yield _grown(call, chosen, _longer(largest.shape))


def _same_shape(draft: Draft, largest: Draft) -> bool:
    return draft.shape == largest.shape


def _same_first_extent(draft: Draft, largest: Draft) -> bool:
    return draft.shape[:1] == largest.shape[:1]


def _same_tensor(draft: Draft, largest: Draft) -> bool:
    return draft is largest


def _longer(shape: Shape) -> int:
    """The first extent with which a tensor of this shape has more than 2**32 elements."""
    return ELEMENTS // max(1, prod(shape[1:])) + 1


def _grown(call: Inputs, names: set[str], extent: int) -> Inputs:
    def grown(name: str, draft: Draft) -> Draft:
        return replace(draft, shape=(extent, *draft.shape[1:])) if name in names else draft

    return with_drafts(call, grown)


def _with_larger_shape(call: Inputs) -> Iterator[Inputs]:
    for name in _SHAPE_PARAMETERS:
        shape = _shape(call.params.get(name))
        if shape:
            yield replace(call, params={**call.params, name: (_longer(shape), *shape[1:])})


def _shape(value: Value) -> Shape:
    """A parameter as a shape; empty if it is none."""
    if not isinstance(value, tuple):
        return ()
    extents = tuple(extent for extent in value if isinstance(extent, int))
    return extents if len(extents) == len(value) else ()
