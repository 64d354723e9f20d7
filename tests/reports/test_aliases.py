"""In a ranking, operators that run one kernel share a row; in exports each has its own."""

from __future__ import annotations

import pytest

from autoperf.reports.aliases import plain_name
from tests.reports.report_values import run_text
from tests.values import PAIR, measured, timed

NAMES = ("broadcast_add", "_npi_add", "elemwise_add")
ALIASES = [measured(name, "small", PAIR, timed(us, us)) for name, us in zip(NAMES, (30.0, 31.0, 29.0), strict=True)]


@pytest.mark.parametrize(
    ("operator", "name"),
    [
        ("exp", "exp"),
        ("_npi_exp", "exp"),
        ("_contrib_box_nms", "box_nms"),
        ("broadcast_add", "add"),
        ("_np_sum", "sum"),
    ],
)
def test_a_plain_name_has_no_namespace(operator: str, name: str) -> None:
    assert plain_name(operator) == name


@pytest.mark.parametrize("form", ["table", "md"])
def test_aliases_share_a_row_of_a_ranking(form: str) -> None:
    other = measured("broadcast_mul", "small", PAIR, timed(20.0, 20.0))
    text = " ".join(run_text([*ALIASES, other], 140, form=form, sort="-forward_kernel").replace("\\", "").split())
    assert "_npi_add (also broadcast_add, elemwise_add)" in text
    assert "2 aliases share rows" in text
    assert "4 cases = 4 measured" in text


def test_exports_have_each_alias() -> None:
    text = run_text(ALIASES, form="csv", sort="-forward_kernel")
    assert [line.split(",")[1] for line in text.splitlines()[1:]] == ["_npi_add", "broadcast_add", "elemwise_add"]


def test_aliases_of_other_times_have_rows_of_their_own() -> None:
    slow = measured("_npi_add", "small", PAIR, timed(90.0, 90.0))
    assert "also" not in run_text([ALIASES[0], slow], 140, sort="-forward_kernel")


def test_two_cases_of_one_operator_have_rows_of_their_own() -> None:
    assert "also" not in run_text([ALIASES[0], ALIASES[0]], 140, sort="-forward_kernel")


def test_a_table_that_is_not_sorted_has_each_alias() -> None:
    assert "also" not in run_text(ALIASES, 140)
