"""Functions of one purpose with several names: those of mx.npx and mx.nd, and the classes of MXNet's design."""

from __future__ import annotations

from collections.abc import Mapping

# By the name in mx.npx, the name in mx.nd.
LEGACY_NAMES: Mapping[str, str] = {
    "activation": "Activation",
    "batch_norm": "BatchNorm",
    "convolution": "Convolution",
    "deconvolution": "Deconvolution",
    "dropout": "Dropout",
    "embedding": "Embedding",
    "fully_connected": "FullyConnected",
    "group_norm": "GroupNorm",
    "instance_norm": "InstanceNorm",
    "layer_norm": "LayerNorm",
    "leaky_relu": "LeakyReLU",
    "pooling": "Pooling",
    "rnn": "RNN",
    "sequence_last": "SequenceLast",
    "sequence_mask": "SequenceMask",
    "sequence_reverse": "SequenceReverse",
    "slice_channel": "SliceChannel",
}
# By the name of the class, the name of the function in mx.nd.
CLASS_FUNCTIONS: Mapping[str, str] = {
    "Mul": "multiply",
    "Sub": "subtract",
    "Div": "divide",
    "Mod": "modulo",
    "Pow": "power",
    "Neg": "negative",
    "IAdd": "NDArray_iadd",
    "ISub": "NDArray_isub",
    "IMul": "NDArray_imul",
    "IDiv": "NDArray_itruediv",
    "IMod": "NDArray_imod",
}
# By the name of the class, the layer of mx.gluon, and its configuration (empty: the common one).
CLASS_LAYERS: Mapping[str, tuple[str, str]] = {
    "LeakyRelu": ("LeakyReLU", ""),
    "PRelu": ("PReLU", ""),
    "Elu": ("ELU", ""),
    "Selu": ("SELU", ""),
    "Sigmoid": ("Activation", "sigmoid"),
    "Tanh": ("Activation", "tanh"),
}


def names_of_function(name: str) -> tuple[str, ...]:
    """The names of functions with the purpose of this one, its own first."""
    extension_names = {legacy: extension for extension, legacy in LEGACY_NAMES.items()}
    other = LEGACY_NAMES.get(name) or extension_names.get(name)
    return (name, other) if other else (name,)
