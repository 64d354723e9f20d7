"""Losses of classifiers: cross entropies that weigh, smooth or shift."""

from __future__ import annotations

from autoperf.core.tensors import Integers, Mask, Probabilities, Uniform
from autoperf.rules.composites.composite import Sizes, composite
from autoperf.rules.composites.graph_builder import GraphBuilder, GraphValue

LOGITS: Sizes = {"small": (32, 10), "common": (128, 1000), "large": (8192, 100), "skewed": (10_000, 2)}
"""Samples and classes."""
SIDES: Sizes = {"small": (64, 17), "common": (1000, 17), "large": (50_000, 17), "skewed": (1, 33)}
"""Sides of boxes, and bins into which their lengths fall."""


def classified(g: GraphBuilder, samples: int, classes: int) -> tuple[GraphValue, GraphValue]:
    """Logits (samples, classes), and a label for each sample."""
    return g.tensor("logits", samples, classes), g.indices("labels", samples, below=classes)


def marked(g: GraphBuilder, samples: int, classes: int) -> tuple[GraphValue, GraphValue]:
    """Logits (samples, classes), and 0 or 1 for each of them."""
    labels = g.tensor("labels", samples, classes, content=Integers(0, 2))
    return g.tensor("logits", samples, classes), labels


def cross_entropy(logits: GraphValue, labels: GraphValue) -> GraphValue:
    """-log of the label's probability, for each sample."""
    return -logits.call("log_softmax", axis=-1).call("pick", labels, axis=-1)


def softplus(x: GraphValue) -> GraphValue:
    """log(1 + exp(x)), without overflow."""
    return x.maximum(0.0) + ((-x.abs()).exp() + 1.0).log()


def binary_cross_entropy(logits: GraphValue, labels: GraphValue) -> GraphValue:
    """The cross entropy of each logit with a label from 0 to 1."""
    return softplus(logits) - logits * labels


@composite(LOGITS)
def cross_entropy_weighted(g: GraphBuilder, samples: int, classes: int) -> GraphValue:
    """Cross entropy with a weight for each class, divided by the sum of weights."""
    logits, labels = classified(g, samples, classes)
    weights = g.tensor("weights", classes, content=Uniform(0.5, 1.5)).call("take", labels)
    return (cross_entropy(logits, labels) * weights).sum() / weights.sum()


@composite(LOGITS)
def cross_entropy_masked(g: GraphBuilder, samples: int, classes: int) -> GraphValue:
    """Cross entropy over the tokens that aren't padding."""
    logits, labels = classified(g, samples, classes)
    mask = g.tensor("mask", samples, content=Mask(0.8)).detached()
    return (cross_entropy(logits, labels) * mask).sum() / mask.sum().maximum(1.0)


@composite(LOGITS)
def label_smoothing_loss(g: GraphBuilder, samples: int, classes: int) -> GraphValue:
    """Cross entropy with labels that give a tenth to all classes (Szegedy et al., 2016)."""
    logits, labels = classified(g, samples, classes)
    logarithms = logits.call("log_softmax", axis=-1)
    return -(logarithms.call("pick", labels, axis=-1) * 0.9 + logarithms.mean(-1) * 0.1).mean()


@composite(LOGITS)
def focal_loss(g: GraphBuilder, samples: int, classes: int) -> GraphValue:
    """Focal loss of sigmoids (Lin et al., 2017), with gamma 2 and alpha 0.25."""
    logits, labels = marked(g, samples, classes)
    chance = logits.sigmoid()
    missing = chance * (1.0 - labels) + (1.0 - chance) * labels
    weight = (labels * 0.25 + (1.0 - labels) * 0.75) * missing.square()
    return (binary_cross_entropy(logits, labels) * weight).sum() / labels.sum().maximum(1.0)


@composite(LOGITS)
def focal_loss_softmax(g: GraphBuilder, samples: int, classes: int) -> GraphValue:
    """Focal loss of a softmax, with gamma 2."""
    loss = cross_entropy(*classified(g, samples, classes))
    return ((1.0 - (-loss).exp()).square() * loss).mean()


@composite(LOGITS)
def quality_focal_loss(g: GraphBuilder, samples: int, classes: int) -> GraphValue:
    """Focal loss of labels that are qualities from 0 to 1 (Li et al., 2020)."""
    logits = g.tensor("logits", samples, classes)
    quality = g.tensor("quality", samples, classes, content=Uniform(0, 1)).detached()
    return (binary_cross_entropy(logits, quality) * (logits.sigmoid() - quality).square()).sum(-1).mean()


@composite(LOGITS)
def varifocal_loss(g: GraphBuilder, samples: int, classes: int) -> GraphValue:
    """Focal loss that weighs positives by their quality (Zhang et al., 2021)."""
    logits = g.tensor("logits", samples, classes)
    quality = g.tensor("quality", samples, classes, content=Uniform(0, 1)).detached()
    positive = quality > 0.5
    weight = quality * positive + logits.sigmoid().square() * 0.75 * (1.0 - positive)
    return (binary_cross_entropy(logits, quality * positive) * weight).sum(-1).mean()


@composite(SIDES)
def distribution_focal_loss(g: GraphBuilder, sides: int, bins: int) -> GraphValue:
    """Cross entropy with the two bins next to a side's length (Li et al., 2020)."""
    logits = g.tensor("logits", sides, bins)
    length = g.tensor("length", sides, content=Uniform(0.0, float(bins - 1))).detached()
    below = length.call("floor")
    logarithms = logits.call("log_softmax", axis=-1)
    left, right = logarithms.call("pick", below, axis=-1), logarithms.call("pick", below + 1.0, axis=-1)
    return -(left * (below + 1.0 - length) + right * (length - below)).mean()


@composite(LOGITS)
def asymmetric_loss(g: GraphBuilder, samples: int, classes: int) -> GraphValue:
    """Loss of many labels that neglects easy negatives (Ridnik et al., 2021)."""
    logits, labels = marked(g, samples, classes)
    chance = logits.sigmoid()
    absent = (1.0 - chance + 0.05).minimum(1.0)
    positive = labels * chance.maximum(1e-8).log()
    negative = (1.0 - labels) * absent.log() * (1.0 - absent) ** 4.0
    return -(positive + negative).sum(-1).mean()


@composite(LOGITS)
def poly_loss(g: GraphBuilder, samples: int, classes: int) -> GraphValue:
    """Cross entropy with the first term of its expansion made larger (Leng et al., 2022)."""
    loss = cross_entropy(*classified(g, samples, classes))
    return (loss + (1.0 - (-loss).exp()) * 2.0).mean()


@composite(LOGITS)
def distillation_loss(g: GraphBuilder, samples: int, classes: int) -> GraphValue:
    """The divergence of a student from a teacher at a temperature of 4 (Hinton et al., 2015)."""
    student, teacher = g.tensor("student", samples, classes), g.tensor("teacher", samples, classes).detached()
    target = (teacher / 4.0).softmax()
    divergence = target * ((target + 1e-8).log() - (student / 4.0).call("log_softmax", axis=-1))
    return divergence.sum(-1).mean() * 16.0


@composite(LOGITS)
def entropy_regularizer(g: GraphBuilder, samples: int, classes: int) -> GraphValue:
    """Cross entropy with a distribution, less a share of the prediction's own entropy."""
    logits = g.tensor("logits", samples, classes)
    target = g.tensor("target", samples, classes, content=Probabilities()).detached()
    logarithms = logits.call("log_softmax", axis=-1)
    return -(logarithms * target).sum(-1).mean() + (logarithms.exp() * logarithms).sum(-1).mean() * 0.1
