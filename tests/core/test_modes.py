"""The mode of a case, which each kind of case states in its own way."""

from __future__ import annotations

import pytest

from autoperf.core.errors import CaseFileError
from autoperf.core.modes import check_hybridize, mode_of, profile_in_mode, profile_names, size_of
from autoperf.core.operator import Value
from tests.values import case, outcome


@pytest.mark.parametrize(
    ("category", "profile", "params", "mode"),
    [
        ("gluon", "small_static", {"hybridize": "static"}, "static"),
        ("gluon", "drawn", {"hybridize": True}, "hybridized"),
        ("gluon", "common", {}, "imperative"),
        ("composite", "common:static", {"static_alloc": True}, "static"),
        ("composite", "common", {}, ""),
        ("network", "fused", {}, "fused"),
        ("network", "common", {}, ""),
        ("unary", "static", {"hybridize": True}, ""),
    ],
)
def test_each_kind_states_its_mode(category: str, profile: str, params: dict[str, Value], mode: str) -> None:
    assert mode_of(category, profile, params) == mode
    assert case(category=category, profile=profile, params=params).mode == mode
    assert outcome(category=category, profile=profile, params=params).mode == mode


def test_profiles_of_composites_have_a_size_and_a_mode() -> None:
    assert profile_in_mode("common", "static") == "common:static"
    assert size_of("common:static") == size_of("common") == "common"
    assert profile_names("common:static") == {"common", "common:static"}


def test_a_parameter_that_states_no_mode_is_refused() -> None:
    check_hybridize({"hybridize": "static"})
    with pytest.raises(CaseFileError, match="invalid hybridize 'fused': expected False, True or 'static'"):
        check_hybridize({"hybridize": "fused"})
