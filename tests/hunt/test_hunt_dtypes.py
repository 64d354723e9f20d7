"""`hunt --dtype` restricts the rules of a hunt."""

from __future__ import annotations

from dataclasses import replace

import pytest

from autoperf.cases.release import Release
from autoperf.cases.selection import Selection, Target, targets
from autoperf.core.errors import UsageError
from autoperf.hunt.request import in_dtypes


@pytest.fixture
def target(release: Release) -> Target:
    (target,) = targets(release.registry, release.catalog, Selection(operators=("relu",)))
    return target


def test_the_first_dtype_is_the_natural_one(target: Target) -> None:
    rule = in_dtypes(target, ("float16", "int8")).rule
    assert rule is not None
    assert (rule.dtype, rule.dtypes) == ("float16", ("float16", "int8"))
    assert in_dtypes(target, ()) is target


def test_dtypes_that_mxnet_does_not_check_are_refused(target: Target) -> None:
    assert target.rule is not None
    checked = replace(target, rule=replace(target.rule, dtypes=("float32", "float64")))
    rule = in_dtypes(checked, ("float16", "float64")).rule
    assert rule is not None
    assert (rule.dtype, rule.dtypes) == ("float64", ("float64",))
    with pytest.raises(UsageError, match="relu takes float32, float64"):
        in_dtypes(checked, ("float16",))
