"""Padded batches of sequences, (steps, batch, *rest): the last step, a mask, reversal, each up to a length."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from autoperf.core.tensors import Integers, Shape
from autoperf.rules.derivatives import LINEAR, WRITTEN
from autoperf.rules.profiles import sized
from autoperf.rules.rule import Draft, Inputs, InputSpec, inputs, rule
from autoperf.strategies import shapes

SEQUENCES: dict[str, Shape] = {
    "small": (8, 8, 16),
    "common": (32, 16, 128),
    "large": (128, 32, 256),
    "skewed": (10_000, 1, 10),
}


def _up_to_lengths(shape: Shape, axis: int = 0) -> Inputs:
    """The call with a length on [1, steps] for each sequence; a length outside kills the process."""
    lengths = Draft((shape[1 - axis],), content=Integers(1, shape[axis] + 1))
    return inputs(data=Draft(shape), sequence_length=lengths, use_sequence_length=True, axis=axis)


CANONICAL = sized(lambda _spec, shape: _up_to_lengths(shape), SEQUENCES)


@st.composite
def _sequences(draw: st.DrawFn, elements: int, axis: int) -> Inputs:
    """A batch of rank 2 or more, steps on `axis` and sequences on the other of the first two; maybe lengths."""
    shape = draw(shapes(2, 4, elements))
    return _up_to_lengths(shape, axis) if draw(st.integers(0, 3)) else inputs(data=Draft(shape), axis=axis)


@rule("SequenceMask", "_npx_sequence_mask", category="sequence", canonical=CANONICAL, backward=WRITTEN)
def sequence_mask(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Steps on axis 0 or 1; those past the length become `value`."""
    call = draw(_sequences(spec.elements, draw(st.integers(0, 1))))
    return replace(call, params={**call.params, "value": draw(st.sampled_from((0.0, -1.0)))})


@rule("SequenceLast", category="sequence", canonical=CANONICAL, backward=LINEAR)
def sequence_last(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Steps on axis 0 or 1; the one at the length is kept. Without lengths its backward pass kills the process."""
    return _up_to_lengths(draw(shapes(2, 4, spec.elements)), draw(st.integers(0, 1)))


@rule("SequenceReverse", category="sequence", canonical=CANONICAL, backward=LINEAR)
def sequence_reverse(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Steps on axis 0 alone; those up to the length change their order."""
    return draw(_sequences(spec.elements, axis=0))
