"""Recurrent layers over whole sequences (length, batch, features)."""

from __future__ import annotations

from autoperf.rules.gluon_layers.layer import N, layer, of
from autoperf.rules.rule import tensor

SEQUENCES = {"data": tensor(35, N, 256)}

LAYERS = tuple(
    layer(
        name,
        "rnn",
        of(SEQUENCES, hidden_size=256),
        bidirectional=of(SEQUENCES, hidden_size=128, num_layers=2, bidirectional=True),
    )
    for name in ("RNN", "LSTM", "GRU")
)
