"""An implementation: how another framework computes an operator of MXNet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec


class Implementation(msgspec.Struct, frozen=True):
    """How another framework computes an operator.

    `operator` is MXNet's name. `expression` is Python over the inputs by name (a list under its name for a variadic
    one), the parameters by name (all, with defaults), and the framework's names: `np`; `torch`, and `F` for
    `torch.nn.functional`; `jnp`, `jax` and `lax`. Results of `random` ones are compared by shape, dtype and moments.
    `prepare` has an expression for each input that is converted once, outside the timed part; `note` says so in words.
    """

    operator: str
    expression: str
    origin: Literal["found", "hand", "user"]
    differentiable: bool = True
    random: bool = False
    note: str = ""
    prepare: Mapping[str, str] = {}
