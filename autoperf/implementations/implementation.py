"""The frameworks that follow MXNet, and the lines of the tables from which their implementations are made."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from autoperf.core.errors import RuleError, UnknownNameError


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


Origin: TypeAlias = Literal["found", "hand", "user"]
WHOLE = "indices are converted to int64 before"
CAST = "whole or boolean results are compared in MXNet's dtype"


class Implementation(msgspec.Struct, frozen=True, omit_defaults=True):
    """An expression that computes an operator in another framework.

    `expression` is Python over the inputs by name (the list of a variadic one), all parameters by name, `training`, and
    the framework's names (`autoperf/implementations/expressions.py`). Its value is the output, or a sequence of the
    outputs and then of the new values of the inputs in `updates`. `prepare` converts inputs once, outside the timed
    part, and computes other names from the parameters. With `cast`, whole and boolean results may have another dtype
    than MXNet's. Inputs in `constant` have no gradient that means anything. `compared` is NumPy over each `result`, the
    inputs and parameters, and has a value that doesn't depend on what is left open: the order of equal elements, the
    signs of eigenvectors. `precision` is the dtype whose tolerance holds where MXNet computes in another one than that
    of its results. Results of a `random` one are compared by shape, dtype and moments. `kept` are inputs that MXNet
    overwrites besides those that its operator declares, and the implementation doesn't. `note` states the conversions.
    """

    operator: str
    expression: str
    origin: Origin
    differentiable: bool = True
    random: bool = False
    note: str = ""
    prepare: Mapping[str, str] = {}
    cast: bool = False
    updates: tuple[str, ...] = ()
    constant: tuple[str, ...] = ()
    compared: str = ""
    precision: str = ""
    kept: tuple[str, ...] = ()


_WITHOUT_GRADIENTS = frozenset(each.name for each in FRAMEWORKS.values() if not each.differentiates)


class TableLine(msgspec.Struct, frozen=True):
    """The implementations of some operators: an expression for each framework that has one, and what they share.

    `when` is Python over the parameters, the inputs' types by name, and `training`: the line holds for the cases for
    which it is true. `undifferentiated` are the frameworks in which the gradient differs or is missing. `number` is
    that of its line in its file.
    """

    operators: tuple[str, ...]
    expressions: Mapping[str, str]
    shared: Implementation
    when: str = ""
    undifferentiated: frozenset[str] = _WITHOUT_GRADIENTS
    number: int = 0

    def implementation(self, framework: str, operator: str) -> Implementation:
        """The implementation of one of its operators in a framework that has one."""
        return msgspec.structs.replace(
            self.shared,
            operator=operator,
            expression=self.expressions[framework],
            differentiable=not self.shared.random and framework not in self.undifferentiated,
            prepare={name: spelled(text, framework) for name, text in self.shared.prepare.items()},
        )


def line(
    operators: str,
    every: str = "",
    *,
    both: str = "",
    when: str = "",
    prepare: Mapping[str, str] | None = None,
    undifferentiated: str = "",
    random: bool = False,
    cast: bool = False,
    updates: str = "",
    constant: str = "",
    compared: str = "",
    precision: str = "",
    kept: str = "",
    note: str = "",
    **expressions: str,
) -> TableLine:
    """A line of a table: operators, separated by spaces, and their expressions, by the names of frameworks.

    `every` is for all frameworks, with `xp.` for the name of each; `both` for NumPy and JAX, with `np.`.
    `undifferentiated`, `updates`, `constant` and `kept` are separated by spaces too. Raises RuleError for an expression
    of no framework.
    """
    for name in expressions.keys() - FRAMEWORKS:
        known = {*inspect.signature(line).parameters, *FRAMEWORKS} - {"expressions"}
        raise RuleError(str(UnknownNameError("framework or field of a line", name, known)))
    texts = {name: expressions.get(name) or (each.like_numpy and both) or every for name, each in FRAMEWORKS.items()}
    shared = Implementation(
        "", "", "hand", random=random, note="; ".join(filter(None, (note, CAST if cast else ""))),
        prepare=dict(prepare or {}), cast=cast, updates=tuple(updates.split()), constant=tuple(constant.split()),
        compared=compared, precision=precision, kept=tuple(kept.split()),
    )  # fmt: skip
    spelt = {name: spelled(text, name) for name, text in texts.items() if text}
    without = _WITHOUT_GRADIENTS | {*undifferentiated.split()}
    caller = frame.f_back if (frame := inspect.currentframe()) else None
    return TableLine(tuple(operators.split()), spelt, shared, when, without, caller.f_lineno if caller else 0)


def spelled(text: str, framework: str) -> str:
    """An expression with the framework's own names for `xp.`, and for `np.` in one like NumPy."""
    prefix = f"{FRAMEWORKS[framework].arrays}."
    names = "xp|np" if FRAMEWORKS[framework].like_numpy else "xp"
    return re.sub(rf"\b(?:{names})\.", prefix, text)
