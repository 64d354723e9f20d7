"""Recurrent networks."""

from __future__ import annotations

from autoperf.implementations.implementation import line

LINES = (
    line(
        "RNN",
        torch="recurrent(data, parameters, (state, state_cell), mode, state_size, num_layers, bidirectional, "
        "state_outputs)",
        when="mode == 'lstm' and projection_size is None and not use_sequence_length and (p == 0 or not training) "
        "and lstm_state_clip_min is None and lstm_state_clip_max is None",
    ),
    line(
        "RNN",
        torch="recurrent(data, parameters, (state,), mode, state_size, num_layers, bidirectional, state_outputs)",
        when="mode != 'lstm' and not use_sequence_length and (p == 0 or not training)",
    ),
)
