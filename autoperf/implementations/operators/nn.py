"""Activations and the softmax family; fully connected layers, embeddings and dropout."""

from __future__ import annotations

from typing import Any

from autoperf.implementations.implementation import WHOLE, line

_RELU: dict[str, Any] = {"torch": "torch.relu(data)", "numpy": "np.maximum(data, 0)", "jax": "jax.nn.relu(data)"}
_SIGMOID: dict[str, Any] = {
    "torch": "torch.sigmoid(data)",
    "numpy": "1 / (1 + np.exp(-data))",
    "jax": "jax.nn.sigmoid(data)",
}
_SOFTSIGN: dict[str, Any] = {
    "torch": "F.softsign(data)",
    "numpy": "data / (1 + np.abs(data))",
    "jax": "jax.nn.soft_sign(data)",
}
_ALL = "not use_length and dtype is None and temperature in (None, 1.0)"
_SCALED = "not use_length and dtype is None"
_MASKED = "use_length and dtype is None"
_TIMES = {"scale": "1 / temperature"}

_INDEX = {"data": "in_range(xp, whole(data), input_dim, 'clip')"}


def along(function: str, data: str, axis: str = "axis", within: str = "{}") -> dict[str, Any]:
    """A function of the softmax family along an axis, as each framework spells it, within another expression."""
    prefixes = {"torch": "torch.", "numpy": "", "jax": "jax.nn."}
    return {name: within.format(f"{prefix}{function}({data}, {axis})") for name, prefix in prefixes.items()}


_FLAT = {True: "data.reshape(data.shape[0], -1)", False: "data"}
_BIAS = {True: "no_bias", False: "not no_bias"}


def _connected(flatten: bool, no_bias: bool) -> dict[str, Any]:
    bias = "" if no_bias else ", bias"
    return {
        "torch": f"F.linear({_FLAT[flatten].replace('reshape(data.shape[0], -1)', 'flatten(1)')}, weight{bias})",
        "both": f"{_FLAT[flatten]} @ weight.T" + ("" if no_bias else " + bias"),
        "when": f"bool(flatten) == {flatten} and bool(no_bias) == {no_bias}",
    }


LINES = (
    line("Activation", when="act_type == 'relu'", **_RELU),
    line("relu _npx_relu", **_RELU),
    line("Activation", when="act_type == 'sigmoid'", **_SIGMOID),
    line("sigmoid _npx_sigmoid", **_SIGMOID),
    line("Activation", "xp.tanh(data)", when="act_type == 'tanh'"),
    line(
        "Activation",
        torch="F.softplus(data)",
        numpy="np.logaddexp(data, 0)",
        jax="jax.nn.softplus(data)",
        when="act_type == 'softrelu'",
    ),
    line("Activation", when="act_type == 'softsign'", **_SOFTSIGN),
    line("softsign", **_SOFTSIGN),
    line(
        "LeakyReLU",
        torch="F.leaky_relu(data, slope)",
        numpy="np.where(data > 0, data, data * slope)",
        jax="jax.nn.leaky_relu(data, slope)",
        when="act_type == 'leaky'",
    ),
    line(
        "LeakyReLU",
        torch="F.elu(data, slope)",
        numpy="np.where(data > 0, data, slope * np.expm1(data))",
        jax="jax.nn.elu(data, slope)",
        when="act_type == 'elu'",
    ),
    line(
        "LeakyReLU",
        torch="F.selu(data)",
        numpy="1.0507009873554805 * np.where(data > 0, data, 1.6732632423543772 * np.expm1(data))",
        jax="jax.nn.selu(data)",
        undifferentiated="torch jax",
        when="act_type == 'selu'",
    ),
    line("LeakyReLU", torch="F.gelu(data)", jax="jax.nn.gelu(data, approximate=False)", when="act_type == 'gelu'"),
    line(
        "LeakyReLU",
        torch="F.prelu(data, gamma)",
        when="act_type == 'prelu' and len(data.shape) > 1 and gamma.shape in ((1,), data.shape[1:2])",
    ),
    line(
        "LeakyReLU",
        both="np.where(data > 0, data, data * np.reshape(gamma, shape))",
        when="act_type == 'prelu' and len(gamma.shape) == 1 and len(data.shape) > 1",
        prepare={"shape": "per_channel(data, 1)"},
    ),
    line("SoftmaxActivation", when="mode == 'channel'", **along("softmax", "data", "1")),
    line("SoftmaxActivation", when="mode == 'instance' and len(data.shape) == 2", **along("softmax", "data", "-1")),
    line("_contrib_div_sqrt_dim", "data / (data.shape[-1] ** 0.5)"),
    line("hard_sigmoid", "xp.clip(alpha * data + beta, 0, 1)"),
    line("softmax", when=_ALL, **along("softmax", "data")),
    line("softmax", when=_SCALED, prepare=_TIMES, **along("softmax", "data * scale")),
    line("softmin", when=_ALL, **along("softmax", "-data")),
    line("softmin", when=_SCALED, prepare={"scale": "-1 / temperature"}, **along("softmax", "data * scale")),
    line("log_softmax", when=_ALL, **along("log_softmax", "data")),
    line("log_softmax", when=_SCALED, prepare=_TIMES, **along("log_softmax", "data * scale")),
    line(
        "softmax",
        **along("softmax", "masked(data * scale, mask, -INFINITY)", within="masked({}, mask, 0)"),
        when=_MASKED,
        prepare={"scale": "1 / (temperature or 1)", "mask": "length_mask(xp, data, length, axis)"},
        note="the mask of the lengths is made before",
    ),
    line(
        "smooth_l1",
        "xp.where(xp.abs(data) < bound, 0.5 * square * data * data, xp.abs(data) - 0.5 * bound)",
        prepare={"square": "scalar ** 2", "bound": "1 / scalar ** 2"},
    ),
    *(
        line("FullyConnected", **_connected(*flags))
        for flags in ((True, True), (True, False), (False, True), (False, False))
    ),
    line(
        "Embedding _contrib_SparseEmbedding",
        torch="F.embedding(data, weight)",
        both="np.take(weight, data, 0)",
        prepare=_INDEX,
        note=WHOLE,
    ),
    line(
        "Dropout",
        torch="F.dropout(data, p)",
        numpy="data * ((random.random(data.shape, 'float32') >= p) / (1 - p)).astype(data.dtype)",
        jax="jnp.where(jax.random.bernoulli(key, 1 - p, data.shape), data / (1 - p), 0)",
        when="not axes and (training or mode == 'always')",
        prepare={"random": "generator()", "key": "generator()"},
        random=True,
        undifferentiated="torch jax",
    ),
    line("Dropout", torch="data.clone()", both="np.copy(data)", when="not training and mode != 'always'"),
)
