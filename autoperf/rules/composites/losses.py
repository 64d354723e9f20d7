"""Losses of classifiers, masks, numbers, boxes and embeddings."""

from __future__ import annotations

from math import cos, log, sin

from autoperf.core.tensors import Integers, Mask, Probabilities, Uniform
from autoperf.rules.composites.boxes import PAIRS, complete, distance, generalized, overlap, pair
from autoperf.rules.composites.composite import GraphBuilder, GraphValue, Sizes, composite

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


NUMBERS: Sizes = {"small": (64, 4), "common": (1000, 80), "large": (50_000, 20), "skewed": (100_000, 1)}


def errors(g: GraphBuilder, rows: int, columns: int) -> GraphValue:
    """Predictions less targets."""
    return g.tensor("predicted", rows, columns) - g.tensor("target", rows, columns)


def huber(g: GraphBuilder, error: GraphValue, beta: float) -> GraphValue:
    """Half of the squared error over beta, and from beta on the absolute one less half of beta."""
    size = error.abs()
    return g.where(size < beta, error.square() * (0.5 / beta), size - 0.5 * beta)


@composite(NUMBERS)
def smooth_l1_loss(g: GraphBuilder, rows: int, columns: int) -> GraphValue:
    """Smooth L1 loss (Girshick, 2015) with a beta of 1/9."""
    return huber(g, errors(g, rows, columns), 1 / 9).mean()


@composite(NUMBERS)
def huber_loss(g: GraphBuilder, rows: int, columns: int) -> GraphValue:
    """Huber's loss with a delta of 0.5."""
    return (huber(g, errors(g, rows, columns), 0.5) * 0.5).mean()


@composite(NUMBERS)
def balanced_l1_loss(g: GraphBuilder, rows: int, columns: int) -> GraphValue:
    """Smooth L1 loss whose gradient rises faster (Pang et al., 2019), with alpha 0.5 and gamma 1.5."""
    size, base = errors(g, rows, columns).abs(), 19.085537  # exp(gamma / alpha) - 1
    inner = (size * base + 1.0) * (size * base + 1.0).log() * (0.5 / base) - size * 0.5
    return g.where(size < 1.0, inner, size * 1.5 + (1.5 / base - 0.5)).mean()


@composite(NUMBERS)
def log_cosh_loss(g: GraphBuilder, rows: int, columns: int) -> GraphValue:
    """The logarithm of the hyperbolic cosine of the error."""
    error = errors(g, rows, columns)
    return (error + softplus(error * -2.0) - log(2.0)).mean()


@composite(NUMBERS)
def wing_loss(g: GraphBuilder, rows: int, columns: int) -> GraphValue:
    """Loss of landmarks that is steep for small errors (Feng et al., 2018), with w 1 and epsilon 0.2."""
    size = errors(g, rows, columns).abs()
    return g.where(size < 1.0, (size / 0.2 + 1.0).log(), size - (1.0 - log(6.0))).mean()


@composite(NUMBERS)
def quantile_loss(g: GraphBuilder, rows: int, columns: int) -> GraphValue:
    """The pinball loss of the 40% quantile."""
    error = errors(g, rows, columns)
    return (error * -0.4).maximum(error * 0.6).mean()


@composite(PAIRS)
def iou_loss(g: GraphBuilder, count: int) -> GraphValue:
    """-log of the IoU (Yu et al., 2016)."""
    return -overlap(*pair(g, count))[0].maximum(1e-6).log().mean()


@composite(PAIRS)
def giou_loss(g: GraphBuilder, count: int) -> GraphValue:
    """1 - GIoU (Rezatofighi et al., 2019)."""
    return (1.0 - generalized(*pair(g, count))).mean()


@composite(PAIRS)
def diou_loss(g: GraphBuilder, count: int) -> GraphValue:
    """1 - DIoU (Zheng et al., 2020)."""
    return (1.0 - distance(*pair(g, count))).mean()


@composite(PAIRS)
def ciou_loss(g: GraphBuilder, count: int) -> GraphValue:
    """1 - CIoU (Zheng et al., 2020)."""
    return (1.0 - complete(*pair(g, count))).mean()


EMBEDDINGS: Sizes = {"small": (16, 32), "common": (256, 128), "large": (1024, 512), "skewed": (2048, 2)}
"""Samples, and the length of their vectors."""
IDENTITIES = 100
EPSILON = 1e-12


def unit(x: GraphValue) -> GraphValue:
    """Each row divided by its length."""
    return x / (x.square().sum(-1, keepdims=True) + EPSILON).sqrt()


@composite(EMBEDDINGS)
def info_nce_loss(g: GraphBuilder, samples: int, length: int) -> GraphValue:
    """Cross entropy of each sample's similarity to its own second view (van den Oord et al., 2018)."""
    first, second = unit(g.tensor("first", samples, length)), unit(g.tensor("second", samples, length))
    return cross_entropy(first.call("dot", second, transpose_b=True) / 0.1, g.arange(samples)).mean()


@composite(EMBEDDINGS)
def triplet_margin_loss(g: GraphBuilder, samples: int, length: int) -> GraphValue:
    """How much nearer the alike sample is than the other one, up to a margin (Schroff et al., 2015)."""
    anchor, alike, other = (g.tensor(name, samples, length) for name in ("anchor", "alike", "other"))
    gap = (anchor - alike).square().sum(1) - (anchor - other).square().sum(1)
    return (gap + 0.2).maximum(0.0).mean()


@composite(EMBEDDINGS)
def contrastive_loss(g: GraphBuilder, samples: int, length: int) -> GraphValue:
    """The distance of alike pairs, and the lack to a margin of others (Hadsell et al., 2006)."""
    alike = g.tensor("alike", samples, content=Integers(0, 2))
    squared = (g.tensor("first", samples, length) - g.tensor("second", samples, length)).square().sum(1)
    lacking = (1.0 - (squared + EPSILON).sqrt()).maximum(0.0)
    return (alike * squared + (1.0 - alike) * lacking.square()).mean() * 0.5


@composite(EMBEDDINGS)
def hardest_triplet_loss(g: GraphBuilder, samples: int, length: int) -> GraphValue:
    """Triplet loss with the farthest alike and the nearest other sample of the batch (Hermans et al., 2017)."""
    x = g.tensor("embeddings", samples, length)
    norms = x.square().sum(1, keepdims=True)
    distances = (norms + norms.transpose(1, 0) - x.call("dot", x, transpose_b=True) * 2.0).maximum(0.0)
    labels = g.indices("labels", samples, below=IDENTITIES)
    alike = labels.expand(1).call("broadcast_equal", labels.expand(0))
    farthest, nearest = (distances * alike).max(1), (distances + alike * 1e6).min(1)
    return (farthest - nearest + 0.2).maximum(0.0).mean()


@composite(EMBEDDINGS)
def arcface_loss(g: GraphBuilder, samples: int, length: int) -> GraphValue:
    """Cross entropy of cosines, with a margin of 0.5 radians for the label (Deng et al., 2019)."""
    vectors, centers = unit(g.tensor("embeddings", samples, length)), unit(g.tensor("centers", IDENTITIES, length))
    labels = g.indices("labels", samples, below=IDENTITIES)
    cosine = vectors.call("dot", centers, transpose_b=True).clip(-0.9999, 0.9999)
    shifted = cosine * cos(0.5) - (1.0 - cosine.square()).sqrt() * sin(0.5)
    label = labels.call("one_hot", depth=IDENTITIES, dtype=g.dtype)
    return cross_entropy((cosine + (shifted - cosine) * label) * 30.0, labels).mean()
