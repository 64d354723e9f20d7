"""Losses of masks: by how much predicted and true pixels overlap."""

from __future__ import annotations

from autoperf.core.tensors import Integers
from autoperf.rules.composites.composite import Sizes, composite
from autoperf.rules.composites.graph_builder import GraphBuilder, GraphValue
from autoperf.rules.composites.losses_classification import binary_cross_entropy

MASKS: Sizes = {"small": (2, 32), "common": (8, 128), "large": (16, 256), "skewed": (256, 8)}
"""Masks, and the pixels of their sides."""


def flat_masks(g: GraphBuilder, masks: int, side: int) -> tuple[GraphValue, GraphValue]:
    """Logits and labels (masks, pixels)."""
    logits = g.tensor("logits", masks, side, side)
    labels = g.tensor("labels", masks, side, side, content=Integers(0, 2))
    return logits.reshape(0, -1), labels.reshape(0, -1)


def counts(g: GraphBuilder, masks: int, side: int) -> tuple[GraphValue, GraphValue, GraphValue]:
    """True positives, false positives and false negatives of each mask, by probability."""
    logits, labels = flat_masks(g, masks, side)
    chance = logits.sigmoid()
    return (chance * labels).sum(1), (chance * (1.0 - labels)).sum(1), ((1.0 - chance) * labels).sum(1)


@composite(MASKS)
def dice_loss(g: GraphBuilder, masks: int, side: int) -> GraphValue:
    """1 - Dice's coefficient (Milletari et al., 2016)."""
    true, extra, missed = counts(g, masks, side)
    return (1.0 - (true * 2.0 + 1.0) / (true * 2.0 + extra + missed + 1.0)).mean()


@composite(MASKS)
def jaccard_loss(g: GraphBuilder, masks: int, side: int) -> GraphValue:
    """1 - the soft IoU of masks."""
    true, extra, missed = counts(g, masks, side)
    return (1.0 - (true + 1.0) / (true + extra + missed + 1.0)).mean()


@composite(MASKS)
def focal_tversky_loss(g: GraphBuilder, masks: int, side: int) -> GraphValue:
    """A power of 1 - Tversky's index, which weighs missed pixels more (Abraham and Khan, 2019)."""
    true, extra, missed = counts(g, masks, side)
    index = (true + 1.0) / (true + extra * 0.3 + missed * 0.7 + 1.0)
    return ((1.0 - index).maximum(1e-6) ** 0.75).mean()


@composite(MASKS)
def hard_pixel_loss(g: GraphBuilder, masks: int, side: int) -> GraphValue:
    """The cross entropy of the 16 pixels of each mask that have the largest one."""
    losses = binary_cross_entropy(*flat_masks(g, masks, side))
    return losses.call("topk", k=16, ret_typ="value", axis=1).mean()
