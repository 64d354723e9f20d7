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
