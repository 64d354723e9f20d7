"""The transformer's interleaved matrix products."""

from __future__ import annotations

from autoperf.implementations.implementation import line

LINES = (
    line("_contrib_interleaved_matmul_selfatt_qk", "self_scores(queries_keys_values, heads)"),
    line("_contrib_interleaved_matmul_selfatt_valatt", "self_values(queries_keys_values, attention, heads)"),
    line("_contrib_interleaved_matmul_encdec_qk", "cross_scores(queries, keys_values, heads)"),
    line("_contrib_interleaved_matmul_encdec_valatt", "cross_values(keys_values, attention, heads)"),
)
