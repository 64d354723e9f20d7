"""An outcome's passes, and the mode of a case, which each kind of case states in its own way."""

from __future__ import annotations

import pytest

from autoperf.core.errors import CaseFileError
from autoperf.core.graph import check_hybridize, mode_of, profile_in_mode, profile_names, size_of
from autoperf.core.operator import Value
from autoperf.core.outcome import Memory, PassMemory
from autoperf.core.work import Work
from tests.values import case, outcome, timed


def test_passes_are_those_that_were_measured() -> None:
    forward, backward = timed(1.0, 2.0), timed(3.0, 4.0)
    assert outcome(forward=forward, backward=backward).passes == {"forward": forward, "backward": backward}
    assert outcome(forward=forward).passes == {"forward": forward}
    assert not outcome().passes


def test_memory_and_work_of_a_pass() -> None:
    usage, work = PassMemory(3, 2, 1), Work(bytes_in=4, bytes_out=4, elements=1, flops=1)
    measured = outcome(forward=timed(1.0, 2.0), memory=Memory(forward=usage), work=work)
    assert (measured.memory_of_pass("forward"), measured.memory_of_pass("backward")) == (usage, None)
    assert (measured.work_of_pass("forward"), measured.work_of_pass("backward")) == (work, None)


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
