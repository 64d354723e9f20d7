"""Which rows a report shows: operators by the names of the run, and by those of Python."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from autoperf.core.errors import UnknownNameError
from autoperf.reports.row_filter import RowFilter


@dataclass(frozen=True)
class _Row:
    operator: str
    category: str = "gluon"
    profile: str = "common"


ROWS = [_Row(name) for name in ("gluon_Dense", "gluon_LSTM", "gluon_LSTMCell", "gluon_L2Loss", "_npi_add", "softmax")]


@pytest.mark.parametrize(
    ("pattern", "operators"),
    [
        ("gluon_Dense", {"gluon_Dense"}),
        ("gluon_nn_Dense", {"gluon_Dense"}),
        ("gluon.nn.Dense", {"gluon_Dense"}),
        ("mx.gluon.rnn.LSTM", {"gluon_LSTM"}),
        ("gluon.rnn.*", {"gluon_LSTM", "gluon_LSTMCell"}),
        ("gluon.loss.L2Loss", {"gluon_L2Loss"}),
        ("np.add", {"_npi_add"}),
        ("nd.softmax", {"softmax"}),
        ("gluon_*", {"gluon_Dense", "gluon_LSTM", "gluon_LSTMCell", "gluon_L2Loss"}),
    ],
)
def test_an_operator_is_named_as_in_the_run_or_as_in_python(pattern: str, operators: set[str]) -> None:
    kept = RowFilter(operators=(pattern,)).positions(ROWS)
    assert {ROWS[position].operator for position in kept} == operators


@pytest.mark.parametrize("name", ["gluon.loss.Dense", "Dense", "gluon.nn.Conv*"])
def test_a_name_that_no_row_has_is_refused(name: str) -> None:
    with pytest.raises(UnknownNameError, match="operator of this run"):
        RowFilter(operators=(name,)).positions(ROWS)


@pytest.mark.parametrize("name", ["network", "layers_of_mine"])
def test_a_category_of_the_run_that_no_rule_has_is_taken(name: str) -> None:
    rows = [*ROWS, _Row("_CachedOp", name, "static")]
    assert RowFilter(categories=(name,)).positions(rows) == [len(ROWS)]
    assert RowFilter(categories=(name, "gluon")).positions(rows) == list(range(len(rows)))


def test_a_category_that_neither_the_run_nor_a_rule_has_is_refused() -> None:
    with pytest.raises(UnknownNameError, match=r"unknown category 'netwrk'; did you mean network, neural_network\?"):
        RowFilter(categories=("netwrk",)).positions([_Row("_CachedOp", "network")])
    assert RowFilter(categories=("nn_conv",)).positions(ROWS) == []
