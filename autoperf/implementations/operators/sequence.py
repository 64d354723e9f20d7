"""Sequences: padded ones, recurrent networks, and the interleaved matrix products of transformers."""

from __future__ import annotations

from autoperf.implementations.implementation import WHOLE, line

_MASK = {"mask": "sequence_mask(xp, data, sequence_length, axis)"}
_NOTE = "the mask of the lengths is made before"
_LAST = {"last": "whole(sequence_length) - 1", "places": "xp.arange(len(sequence_length))"}

LINES = (
    line("SequenceMask", "masked(data, mask, value)", when="use_sequence_length", prepare=_MASK, note=_NOTE),
    line("SequenceMask", torch="data.clone()", both="np.copy(data)", when="not use_sequence_length"),
    line("SequenceLast", "data[last, places]", when="use_sequence_length and axis == 0", prepare=_LAST, note=WHOLE),
    line("SequenceLast", "data[places, last]", when="use_sequence_length and axis == 1", prepare=_LAST, note=WHOLE),
    line("SequenceLast", torch="data.select(axis, -1)", both="np.take(data, -1, axis)", when="not use_sequence_length"),
    line(
        "SequenceReverse",
        "data[order, places]",
        when="use_sequence_length and axis == 0",
        prepare={"order": "reversed_places(xp, data, whole(sequence_length))", "places": "xp.arange(data.shape[1])"},
        note="the order of each sequence is computed before",
    ),
    line("SequenceReverse", "xp.flip(data, (axis,))", when="not use_sequence_length"),
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
    line("_contrib_interleaved_matmul_selfatt_qk", "self_scores(queries_keys_values, heads)"),
    line("_contrib_interleaved_matmul_selfatt_valatt", "self_values(queries_keys_values, attention, heads)"),
    line("_contrib_interleaved_matmul_encdec_qk", "cross_scores(queries, keys_values, heads)"),
    line("_contrib_interleaved_matmul_encdec_valatt", "cross_values(keys_values, attention, heads)"),
)
