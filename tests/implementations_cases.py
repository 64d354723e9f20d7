"""Small and drawn cases of an operator, for tests of implementations."""

from __future__ import annotations

from autoperf.cases.build import Recipe, build
from autoperf.cases.release import Release
from autoperf.core.case import Case
from autoperf.core.operator import Operator
from autoperf.rules.rule import DRAWN, Rule

_SAMPLED = (
    "topk pick one_hot Reshape slice Convolution Pooling batch_dot argsort SequenceMask softmax sum _split_v2 take "
    "adam_update BatchNorm _contrib_interleaved_matmul_selfatt_qk _random_normal _linalg_trsm Pad "
    "_set_value Cast _adamw_update"
)
SAMPLED = tuple(_SAMPLED.split())
RECIPE = Recipe(seed=3, draws=3, profiles=frozenset({"small", DRAWN}), elements=500)


def cases_of(operator: Operator, release: Release, recipe: Recipe = RECIPE) -> list[Case]:
    """Its cases in single precision."""
    rule = release.catalog.find(operator)
    assert isinstance(rule, Rule)
    return build(operator, rule, recipe, release.client).cases
