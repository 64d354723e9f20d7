"""The transformer's products of interleaved projections, (length, batch, heads * parts * width), in float32 alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from hypothesis import strategies as st

from autoperf.core.tensors import Probabilities
from autoperf.rules.rule import Brief, Draft, Inputs, Rule, inputs, rule
from autoperf.strategies import extents


@dataclass(frozen=True)
class Heads:
    """The sizes of one attention: queries, keys, batch, heads, and the width of each head."""

    queries: int
    keys: int
    batch: int
    heads: int
    width: int

    def projections(self, parts: int, length: int) -> Draft:
        """`parts` interleaved projections (queries, keys, values) of a sequence."""
        return Draft((length, self.batch, self.heads * parts * self.width))

    @property
    def weights(self) -> Draft:
        """What each query pays to each key: (batch * heads, queries, keys)."""
        return Draft((self.batch * self.heads, self.queries, self.keys), content=Probabilities())


SIZES = {
    "small": Heads(8, 8, 2, 2, 16),
    "common": Heads(32, 32, 4, 4, 32),
    "large": Heads(128, 128, 4, 8, 64),
    "skewed": Heads(1000, 1000, 1, 1, 8),
}


@st.composite
def _attentions(draw: st.DrawFn, elements: int, own: bool) -> Heads:
    """Sizes whose projections and weights stay within the budget; `own`: a sequence attends to itself."""
    heads = draw(st.integers(1, 8))
    batch = draw(extents(1, max(1, min(8, elements // (8 * heads)))))
    most = max(1, int((elements // (batch * heads)) ** 0.5))
    queries = draw(extents(1, most))
    keys = queries if own else draw(extents(1, most))
    width = draw(extents(1, max(1, min(128, elements // (3 * batch * heads * max(queries, keys))))))
    return Heads(queries, keys, batch, heads, width)


def _attention(name: str, build: Callable[[Heads], Inputs], own: bool) -> Rule:
    """The rule of one of the products."""

    def canonical(_brief: Brief) -> Mapping[str, Inputs]:
        return {profile: build(sizes) for profile, sizes in SIZES.items()}

    @rule(name, category="attention", canonical=canonical)
    def attention(draw: st.DrawFn, brief: Brief) -> Inputs:
        return build(draw(_attentions(brief.elements, own)))

    return attention


def _own_scores(sizes: Heads) -> Inputs:
    return inputs(queries_keys_values=sizes.projections(3, sizes.queries), heads=sizes.heads)


def _own_values(sizes: Heads) -> Inputs:
    joint = sizes.projections(3, sizes.queries)
    return inputs(queries_keys_values=joint, attention=sizes.weights, heads=sizes.heads)


def _other_scores(sizes: Heads) -> Inputs:
    queries, keys = sizes.projections(1, sizes.queries), sizes.projections(2, sizes.keys)
    return inputs(queries=queries, keys_values=keys, heads=sizes.heads)


def _other_values(sizes: Heads) -> Inputs:
    return inputs(keys_values=sizes.projections(2, sizes.keys), attention=sizes.weights, heads=sizes.heads)


self_scores = _attention("_contrib_interleaved_matmul_selfatt_qk", _own_scores, own=True)
self_values = _attention("_contrib_interleaved_matmul_selfatt_valatt", _own_values, own=True)
cross_scores = _attention("_contrib_interleaved_matmul_encdec_qk", _other_scores, own=False)
cross_values = _attention("_contrib_interleaved_matmul_encdec_valatt", _other_values, own=False)
