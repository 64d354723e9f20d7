"""The frameworks that follow MXNet: how each is named, spelled in expressions and searched for functions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Framework(NamedTuple):
    """A framework with implementations of MXNet's operators; the folder of `backends/` with its name runs them.

    `modules` are the names of its modules in expressions; `arrays` is the one that `xp` stands for. `searched` are the
    modules in which introspection looks for functions, the likelier first, as expressions spell them. `conversion`
    gives an array another dtype. In one that is `like_numpy` the expressions for NumPy hold. `ways` are its compiled
    ways, each a backend of its own.
    """

    name: str
    title: str
    modules: Mapping[str, str]
    arrays: str
    searched: Mapping[str, str]
    conversion: str = "{}.astype('{}')"
    like_numpy: bool = True
    differentiates: bool = True
    ways: tuple[str, ...] = ()


NUMPY = Framework(
    "numpy",
    "NumPy",
    modules={"np": "numpy"},
    arrays="np",
    searched={"np": "numpy", "np.linalg": "numpy.linalg"},
    differentiates=False,
)
TORCH = Framework(
    "torch",
    "PyTorch",
    modules={"torch": "torch", "F": "torch.nn.functional"},
    arrays="torch",
    searched={
        "torch": "torch",
        "F": "torch.nn.functional",
        "torch.special": "torch.special",
        "torch.linalg": "torch.linalg",
        "torch.ops.aten": "",
    },
    conversion="{}.to(torch.{})",
    like_numpy=False,
    ways=("compile",),
)
JAX = Framework(
    "jax",
    "JAX",
    modules={"jax": "jax", "jnp": "jax.numpy", "lax": "jax.lax", "jsp": "jax.scipy"},
    arrays="jnp",
    searched={
        "jnp": "jax.numpy",
        "jax.nn": "jax.nn",
        "jnp.linalg": "jax.numpy.linalg",
        "jsp.special": "jax.scipy.special",
        "lax": "jax.lax",
    },
    ways=("jit",),
)
FRAMEWORKS = {each.name: each for each in (NUMPY, TORCH, JAX)}
"""All frameworks by name."""
