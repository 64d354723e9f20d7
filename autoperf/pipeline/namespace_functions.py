"""Functions by name and namespace: `batch_norm` in nd is BatchNorm."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from autoperf.core.errors import AutoperfError, UnknownNameError, UsageError
from autoperf.core.operator import Operator
from autoperf.registry.names import Names

_NUMPY_PREFIX = "_npi_"
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
_EXTENSION_NAMES = {legacy: extension for extension, legacy in LEGACY_NAMES.items()}


class NamespaceFunction(NamedTuple):
    """A function's path, such as `nd.BatchNorm`, and its operator."""

    path: str
    operator: Operator


def function_in(names: Names, namespace: str, name: str) -> NamespaceFunction:
    """The function of this name, or else of its other name, in nd, np, npx or sym.

    Raises UnknownNameError if there is neither, UsageError for a function that calls several operators, or none.
    """
    other = LEGACY_NAMES.get(name) or _EXTENSION_NAMES.get(name)
    spellings = (name, other) if other else (name,)
    attempts = [_function(names, f"{namespace}.{spelling}") for spelling in spellings]
    function = next((attempt for attempt in attempts if isinstance(attempt, NamespaceFunction)), attempts[0])
    if isinstance(function, AutoperfError):
        raise function
    return function


def _function(names: Names, path: str) -> NamespaceFunction | AutoperfError:
    """The function of a path, or why there is none."""
    try:
        match = names.resolve(path)
    except (UnknownNameError, UsageError) as refusal:
        return refusal
    namespace, _, name = path.partition(".")
    # An operator of mx.np is no function of mx.npx, unless the front end has one that calls it.
    if namespace == "npx" and match.name.startswith(_NUMPY_PREFIX) and not names.meaning(path):
        return UnknownNameError("operator", path, (), [f"np.{name}"])
    return NamespaceFunction(path, match.operator)
