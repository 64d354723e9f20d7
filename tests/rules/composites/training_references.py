"""What losses and optimizer steps compute, in plain NumPy: inputs by name, and the outputs in order."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, log_expit, log_softmax, softmax

Array = NDArray[np.float64]
Inputs = Mapping[str, Array]


def picked(rows: Array, places: Array) -> Array:
    return rows[np.arange(len(rows)), places.astype(int)]


def entropy(x: Inputs) -> Array:
    return -picked(log_softmax(x["logits"], -1), x["labels"])


def binary_entropy(logits: Array, labels: Array) -> Array:
    return -labels * log_expit(logits) - (1 - labels) * log_expit(-logits)


def focal(x: Inputs) -> Array:
    chance, labels = expit(x["logits"]), x["labels"]
    right = np.where(labels == 1, chance, 1 - chance)
    alpha = np.where(labels == 1, 0.25, 0.75)
    return -(alpha * (1 - right) ** 2 * np.log(right)).sum() / max(1, labels.sum())


def varifocal(x: Inputs) -> Array:
    positive = x["quality"] > 0.5
    target, chance = np.where(positive, x["quality"], 0), expit(x["logits"])
    weight = np.where(positive, x["quality"], 0.75 * chance**2)
    return (binary_entropy(x["logits"], target) * weight).sum(-1).mean()


def distribution_focal(x: Inputs) -> Array:
    below = np.floor(x["length"])
    rows = log_softmax(x["logits"], -1)
    nearer = picked(rows, below) * (below + 1 - x["length"])
    return -(nearer + picked(rows, below + 1) * (x["length"] - below)).mean()


def distillation(x: Inputs) -> Array:
    teacher = softmax(x["teacher"] / 4, -1)
    return 16 * (teacher * (np.log(teacher) - log_softmax(x["student"] / 4, -1))).sum(-1).mean()


def huber(x: Inputs, beta: float) -> Array:
    size = np.abs(x["predicted"] - x["target"])
    return np.where(size < beta, size**2 / (2 * beta), size - beta / 2).mean()


def wing(x: Inputs) -> Array:
    size = np.abs(x["predicted"] - x["target"])
    return np.where(size < 1, np.log(1 + size / 0.2), size - 1 + np.log(6)).mean()


def quantile(x: Inputs) -> Array:
    missing = x["target"] - x["predicted"]
    return np.where(missing > 0, 0.4 * missing, -0.6 * missing).mean()


def mask_counts(x: Inputs) -> tuple[Array, Array, Array]:
    chance, labels = (values.reshape(len(values), -1) for values in (expit(x["logits"]), x["labels"]))
    return (chance * labels).sum(1), (chance * (1 - labels)).sum(1), ((1 - chance) * labels).sum(1)


def dice(x: Inputs) -> Array:
    true, extra, missed = mask_counts(x)
    return (1 - (2 * true + 1) / (2 * true + extra + missed + 1)).mean()


def jaccard(x: Inputs) -> Array:
    true, extra, missed = mask_counts(x)
    return (1 - (true + 1) / (true + extra + missed + 1)).mean()


def hard_pixels(x: Inputs) -> Array:
    losses = binary_entropy(x["logits"], x["labels"])
    return np.sort(losses.reshape(len(losses), -1), 1)[:, -16:].mean()


def unit(rows: Array) -> Array:
    return rows / np.linalg.norm(rows, axis=-1, keepdims=True)


def info_nce(x: Inputs) -> Array:
    return -np.diag(log_softmax(unit(x["first"]) @ unit(x["second"]).T / 0.1, -1)).mean()


def triplet(x: Inputs) -> Array:
    near, far = (((x["anchor"] - x[name]) ** 2).sum(1) for name in ("alike", "other"))
    return np.clip(near - far + 0.2, 0, None).mean()


def contrastive(x: Inputs) -> Array:
    apart = np.linalg.norm(x["first"] - x["second"], axis=1)
    return np.where(x["alike"] == 1, apart**2, np.clip(1 - apart, 0, None) ** 2).mean() / 2


def arcface(x: Inputs) -> Array:
    angles = np.arccos(np.clip(unit(x["embeddings"]) @ unit(x["centers"]).T, -0.9999, 0.9999))
    rows = np.arange(len(angles)), x["labels"].astype(int)
    angles[rows] += 0.5
    return -log_softmax(30 * np.cos(angles), -1)[rows].mean()


def adam(x: Inputs) -> tuple[Array, Array, Array]:
    mean = 0.9 * x["mean"] + 0.1 * x["gradient"]
    square = 0.999 * x["squares"] + 0.001 * x["gradient"] ** 2
    return mean / (1 - 0.9**10) / (np.sqrt(square / (1 - 0.999**10)) + 1e-8), mean, square


def adam_step(x: Inputs, decay: float = 0.0) -> list[Array]:
    step, mean, square = adam(x)
    return [x["weight"] - 0.001 * (step + decay * x["weight"]), mean, square]


def lamb_step(x: Inputs) -> list[Array]:
    step, mean, square = adam(x)
    step = step + 0.01 * x["weight"]
    trust = np.linalg.norm(x["weight"]) / np.linalg.norm(step)
    return [x["weight"] - 0.001 * trust * step, mean, square]


def momentum_step(x: Inputs) -> list[Array]:
    gradient = x["gradient"] + 1e-4 * x["weight"]
    momentum = 0.9 * x["momentum"] + gradient
    return [x["weight"] - 0.001 * (gradient + 0.9 * momentum), momentum]


def lion_step(x: Inputs) -> list[Array]:
    step = np.sign(0.9 * x["momentum"] + 0.1 * x["gradient"])
    momentum = 0.99 * x["momentum"] + 0.01 * x["gradient"]
    return [x["weight"] - 0.001 * (step + 0.01 * x["weight"]), momentum]


def adadelta_step(x: Inputs) -> list[Array]:
    square = 0.95 * x["squares"] + 0.05 * x["gradient"] ** 2
    step = np.sqrt((x["steps"] + 1e-6) / (square + 1e-6)) * x["gradient"]
    return [x["weight"] - step, square, 0.95 * x["steps"] + 0.05 * step**2]


def clipped_gradients(x: Inputs) -> list[Array]:
    gradients = [x[f"gradient_{number}"] for number in range(4)]
    norm = np.sqrt(sum((gradient**2).sum() for gradient in gradients))
    return [gradient * min(1, 1 / norm) for gradient in gradients]


REFERENCES = {
    "cross_entropy_weighted": lambda x: [
        (entropy(x) * x["weights"][x["labels"].astype(int)]).sum() / x["weights"][x["labels"].astype(int)].sum()
    ],
    "cross_entropy_masked": lambda x: [entropy(x)[x["mask"] == 1].mean()],
    "label_smoothing_loss": lambda x: [0.9 * entropy(x).mean() - 0.1 * log_softmax(x["logits"], -1).mean()],
    "focal_loss": lambda x: [focal(x)],
    "focal_loss_softmax": lambda x: [((1 - np.exp(-entropy(x))) ** 2 * entropy(x)).mean()],
    "quality_focal_loss": lambda x: [
        (binary_entropy(x["logits"], x["quality"]) * (expit(x["logits"]) - x["quality"]) ** 2).sum(-1).mean()
    ],
    "varifocal_loss": lambda x: [varifocal(x)],
    "distribution_focal_loss": lambda x: [distribution_focal(x)],
    "poly_loss": lambda x: [(entropy(x) + 2 * (1 - np.exp(-entropy(x)))).mean()],
    "distillation_loss": lambda x: [distillation(x)],
    "smooth_l1_loss": lambda x: [huber(x, 1 / 9)],
    "huber_loss": lambda x: [0.5 * huber(x, 0.5)],
    "log_cosh_loss": lambda x: [np.log(np.cosh(x["predicted"] - x["target"])).mean()],
    "wing_loss": lambda x: [wing(x)],
    "quantile_loss": lambda x: [quantile(x)],
    "dice_loss": lambda x: [dice(x)],
    "jaccard_loss": lambda x: [jaccard(x)],
    "hard_pixel_loss": lambda x: [hard_pixels(x)],
    "info_nce_loss": lambda x: [info_nce(x)],
    "triplet_margin_loss": lambda x: [triplet(x)],
    "contrastive_loss": lambda x: [contrastive(x)],
    "arcface_loss": lambda x: [arcface(x)],
    "momentum_step": momentum_step,
    "adam_step": adam_step,
    "adamw_step": lambda x: adam_step(x, 0.01),
    "lamb_step": lamb_step,
    "lion_step": lion_step,
    "adadelta_step": adadelta_step,
    "gradient_clipping": clipped_gradients,
    "averaged_weights": lambda x: [0.999 * x[f"mean_{n}"] + 0.001 * x[f"weight_{n}"] for n in range(4)],
}
"""By composite; one array, or a list of them."""
