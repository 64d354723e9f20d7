"""Operators on padded sequences."""

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
)
