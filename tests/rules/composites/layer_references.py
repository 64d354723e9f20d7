"""What composites of layers and images compute, in plain NumPy: inputs by name, and the outputs in order."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from scipy.special import erf, expit, softmax

Array = NDArray[np.float64]
Inputs = Mapping[str, Array]


def angles(positions: int, half: int) -> Array:
    return np.arange(positions)[:, None] / 10_000 ** (np.arange(half) / half)


def rotary(x: Inputs) -> Array:
    half = x["vectors"].shape[2] // 2
    turned = (x["vectors"][..., :half] + 1j * x["vectors"][..., half:]) * np.exp(
        1j * angles(x["vectors"].shape[1], half)
    )
    return np.concatenate([turned.real, turned.imag], -1)


def sinusoidal(x: Inputs) -> Array:
    turns = angles(x["vectors"].shape[1], x["vectors"].shape[2] // 2)
    return x["vectors"] + np.concatenate([np.sin(turns), np.cos(turns)], -1)


def sine_2d(x: Inputs) -> Array:
    side, quarter = x["features"].shape[2], x["features"].shape[1] // 4
    waves = np.concatenate([np.sin(angles(side, quarter)), np.cos(angles(side, quarter))], 1).T
    added = np.zeros_like(x["features"][0])
    added[: 2 * quarter] = waves[:, :, None]
    added[2 * quarter :] = waves[:, None, :]
    return x["features"] + added


def learned(x: Inputs) -> Array:
    return x["table"][x["tokens"].astype(int)] + x["places"] + x["segments"][x["segment"].astype(int)]


def linear_bias(x: Inputs) -> Array:
    heads, tokens = x["scores"].shape[:2]
    apart = np.abs(np.subtract.outer(np.arange(tokens), np.arange(tokens)))
    slopes = 2.0 ** (-8 / heads * np.arange(1, heads + 1))
    return softmax(x["scores"] - slopes[:, None, None] * apart, -1)


def attended(x: Inputs, hidden: Array | None = None) -> Array:
    scores = x["queries"] @ x["keys"].transpose(0, 2, 1) / np.sqrt(x["keys"].shape[-1])
    return softmax(scores if hidden is None else np.where(hidden, -np.inf, scores), -1) @ x["values"]


def causal(x: Inputs) -> Array:
    tokens = x["keys"].shape[1]
    return attended(x, np.triu(np.ones((tokens, tokens)), 1).astype(bool))


def padded(x: Inputs) -> Array:
    return attended(x, np.arange(x["keys"].shape[1]) >= x["lengths"][:, None, None])


def linear_attention(x: Inputs) -> Array:
    queries, keys = (np.where(v > 0, v + 1, np.exp(v)) for v in (x["queries"], x["keys"]))
    weights = queries @ keys.transpose(0, 2, 1)
    return weights @ x["values"] / weights.sum(-1, keepdims=True)


def additive(x: Inputs) -> Array:
    paid = softmax((np.tanh(x["query"] + x["keys"]) * x["weight"]).sum(-1), -1)
    return (paid[..., None] * x["keys"]).sum(1)


def squeezed(x: Inputs) -> Array:
    hidden = np.clip(x["features"].mean((2, 3)) @ x["reduce"], 0, None)
    return x["features"] * expit(hidden @ x["expand"])[:, :, None, None]


def standardized(data: Array, *axes: int) -> Array:
    return (data - data.mean(axes, keepdims=True)) / np.sqrt(data.var(axes, keepdims=True) + 1e-5)


def scaled(x: Inputs, data: Array) -> Array:
    return data * x["gamma"] + x["beta"]


def group_norm(x: Inputs) -> Array:
    groups = x["data"].reshape(len(x["data"]), 8, -1)
    return scaled(x, standardized(groups, 2).reshape(x["data"].shape))


def restyled(x: Inputs) -> Array:
    deviation = np.sqrt(x["style"].var((2, 3), keepdims=True) + 1e-5)
    return standardized(x["content"], 2, 3) * deviation + x["style"].mean((2, 3), keepdims=True)


def spectral(x: Inputs) -> Array:
    weight = x["weight"].reshape(len(x["weight"]), -1)
    v = weight.T @ x["u"]
    return weight / np.linalg.norm(weight @ (v / np.linalg.norm(v)))


def gelu(data: Array) -> Array:
    return 0.5 * data * (1 + erf(data / np.sqrt(2)))


def halves(x: Inputs) -> tuple[Array, Array]:
    first, second = np.split(x["data"], 2, -1)
    return first, second


def gray(images: Array) -> Array:
    return np.einsum("nchw,c->nhw", images, [0.299, 0.587, 0.114])[:, None]


def jittered(x: Inputs) -> Array:
    bright = np.clip(x["images"] * x["brightness"], 0, 1)
    luma = gray(bright)
    even = luma.mean((1, 2, 3), keepdims=True)
    contrasted = np.clip(even + (bright - even) * x["contrast"], 0, 1)
    return np.clip(luma + (contrasted - luma) * x["saturation"], 0, 1)


def mixed(x: Inputs) -> list[Array]:
    labels = np.eye(10)[x["labels"].astype(int)]
    wide, narrow = x["share"][:, None, None, None], x["share"][:, None]
    return [x["images"] * wide + x["images"][::-1] * (1 - wide), labels * narrow + labels[::-1] * (1 - narrow)]


def erased(x: Inputs) -> Array:
    result, side = x["images"].copy(), x["images"].shape[2]
    for image, noise, (row, column) in zip(result, x["noise"], x["center"] * side, strict=True):
        rows, columns = (np.abs(np.arange(side) - place) <= side / 4 for place in (row, column))
        inside = rows[:, None] & columns
        image[:, inside] = noise[:, inside]
    return result


def flipped(x: Inputs) -> list[Array]:
    images, boxes = x["images"].copy(), x["boxes"].copy()
    chosen = x["random"] < 0.5
    images[chosen] = images[chosen][..., ::-1]
    boxes[chosen] = np.stack([640 - boxes[chosen][..., 2], boxes[chosen][..., 1],
                              640 - boxes[chosen][..., 0], boxes[chosen][..., 3]], -1)  # fmt: skip
    return [images, boxes]


def blurred(x: Inputs) -> Array:
    weights = softmax(-0.5 * np.arange(-2, 3) ** 2.0)
    for axis in (3, 2):
        x = {"images": np.apply_along_axis(np.convolve, axis, x["images"], weights, mode="same")}
    return x["images"]


REFERENCES = {
    "sinusoidal_encoding": sinusoidal,
    "rotary_encoding": rotary,
    "learned_encoding": learned,
    "sine_encoding_2d": sine_2d,
    "linear_bias_scores": linear_bias,
    "scaled_dot_attention": attended,
    "causal_attention": causal,
    "padded_attention": padded,
    "linear_attention": linear_attention,
    "additive_attention": additive,
    "squeeze_excitation": squeezed,
    "layer_norm_by_parts": lambda x: scaled(x, standardized(x["data"], -1)),
    "rms_norm": lambda x: x["data"] / np.sqrt((x["data"] ** 2).mean(-1, keepdims=True) + 1e-5) * x["gamma"],
    "residual_layer_norm": lambda x: scaled(x, standardized(x["data"] + x["bias"] + x["residual"], -1)),
    "batch_norm_by_parts": lambda x: scaled(x, standardized(x["data"], 0, 2, 3)),
    "group_norm_by_parts": group_norm,
    "adaptive_instance_norm": restyled,
    "weight_standardization": lambda x: standardized(x["weight"], 1, 2, 3),
    "spectral_norm": spectral,
    "gelu_exact": lambda x: gelu(x["data"]),
    "swish": lambda x: x["data"] * expit(x["data"]),
    "mish_by_parts": lambda x: x["data"] * np.tanh(np.log1p(np.exp(x["data"]))),
    "hard_swish": lambda x: x["data"] * np.clip(x["data"] + 3, 0, 6) / 6,
    "gated_linear_unit": lambda x: halves(x)[0] * expit(halves(x)[1]),
    "gelu_gated_unit": lambda x: halves(x)[0] * gelu(halves(x)[1]),
    "maxout": lambda x: np.maximum(*halves(x)),
    "concatenated_relu": lambda x: np.clip(np.concatenate([x["data"], -x["data"]], -1), 0, None),
    "color_jitter": jittered,
    "solarize": lambda x: np.where(x["images"] > 0.5, 1 - x["images"], x["images"]),
    "mixup": mixed,
    "random_erasing": erased,
    "flip_with_boxes": flipped,
    "gaussian_blur": blurred,
}
"""By composite; one array, or a list of them."""
