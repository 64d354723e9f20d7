"""The default arguments of an operator's class: its rule's common inputs, as a caller writes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from autoperf.cases.shorthand import Tensors
from autoperf.cases.tensor_text import tensors_text
from autoperf.core.layers import IMPERATIVE
from autoperf.core.operator import Operator
from autoperf.core.tensors import Shape, Uniform
from autoperf.rules.profiles import MATRIX_SHAPES
from autoperf.rules.rule import Draft, Inputs, InputSpec, Rule

COMMON_PROFILES = ("common", IMPERATIVE)
"""The profiles of common inputs: of operators, and of layers."""
SQUARE: Shape = (1024, 1024)
"""The design's default shape, where all tensors of a call may have it."""
_MATRICES = frozenset(MATRIX_SHAPES.values())
"""The shapes of matrices in rules for operators that take any."""
_LINALG = "linalg"
"""The category whose operators need matrices of some shape, and much time for large ones."""


def default_arguments(operator: Operator, rule: Rule | None, profile: str = "") -> dict[str, Any]:
    """The arguments of a call by name: shapes, texts of tensors, values of parameters.

    They have the design's shape where any will do, else they are those of this profile, else the common ones. Empty
    without a rule, and for operators that hold graphs.
    """
    if rule is None:
        return {}
    calls = rule.canonical(InputSpec(operator, rule.dtype))
    if not calls or any(call.graphs for call in calls.values()):
        return {}
    square = None if rule.category == _LINALG else _square_call(calls.values())
    call = square or _common_call(calls, profile)
    return {**{name: _argument(tensors) for name, tensors in call.tensors.items()}, **call.params}


def _square_call(calls: Iterable[Inputs]) -> Inputs | None:
    """The first call with matrices of one usual shape and no parameters, in the design's shape."""
    for call in calls:
        drafts = {name: tensors for name, tensors in call.tensors.items() if isinstance(tensors, Draft)}
        shapes = {draft.shape for draft in drafts.values()}
        if len(shapes) == 1 and shapes <= _MATRICES and len(drafts) == len(call.tensors) and not call.params:
            return Inputs({name: replace(draft, shape=SQUARE) for name, draft in drafts.items()})
    return None


def _common_call(calls: Mapping[str, Inputs], profile: str) -> Inputs:
    named = (calls[name] for name in (profile, *COMMON_PROFILES) if name in calls)
    return next(named, next(iter(calls.values())))


def _argument(tensors: Tensors) -> Any:
    """A shape, a list of shapes, or the text of what has a dtype, a storage, or a content that matters."""
    drafts = (tensors,) if isinstance(tensors, Draft) else tensors
    if any(draft not in (Draft(draft.shape), Draft(draft.shape, content=Uniform())) for draft in drafts):
        return tensors_text(tensors)
    return tensors.shape if isinstance(tensors, Draft) else [draft.shape for draft in tensors]
