"""Rules as tables: a row has operators, the source of their inputs, and the constraint."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from hypothesis import strategies as st

from autoperf.core.tensors import AnyContent, Shape
from autoperf.core.work import BackwardWork, Flops
from autoperf.rules.profiles import MATRIX_SHAPES, sized
from autoperf.rules.rule import Inputs, InputSpec, Rule, rule
from autoperf.strategies import shapes

T = TypeVar("T")


class SampleInputs(Protocol):
    """Where inputs come from: those of the profiles, and drawn ones."""

    def canonical(self, spec: InputSpec, /) -> Mapping[str, Inputs]:
        """The inputs of each profile."""

    def drawn(self, draw: st.DrawFn, spec: InputSpec, /) -> Inputs:
        """Other inputs, all of them valid."""


@dataclass(frozen=True)
class Row:
    """Operators with a common source of inputs; `why` states the constraint. Other fields are as in `Rule`."""

    names: tuple[str, ...]
    inputs: SampleInputs
    category: str
    why: str
    dtype: str = "float32"
    fill: Mapping[str, AnyContent] = field(default_factory=dict)
    inferable: bool = True
    dtypes: tuple[str, ...] = ()
    flops: Flops | None = None
    backward: BackwardWork | None = None


def table(module: str, **rows: Row) -> tuple[Rule, ...]:
    """The rules of these rows, which `module` (its `__name__`) holds: `RULES = table(__name__, roots=Row(...))`."""
    return tuple(_rule(module, name, row) for name, row in rows.items())


def _rule(module: str, name: str, row: Row) -> Rule:
    def drawn(draw: st.DrawFn, spec: InputSpec) -> Inputs:
        return row.inputs.drawn(draw, spec)

    drawn.__module__, drawn.__name__, drawn.__doc__ = module, name, row.why
    return rule(
        *row.names,
        category=row.category,
        canonical=row.inputs.canonical,
        dtype=row.dtype,
        fill=row.fill,
        inferable=row.inferable,
        dtypes=row.dtypes,
        flops=row.flops,
        backward=row.backward,
    )(drawn)


def named(pattern: str, *names: str) -> tuple[str, ...]:
    """Each name in the place of the asterisk: `named("_npi_*_scalar", "add", "power")`."""
    return tuple(pattern.replace("*", name) for name in names)


@dataclass(frozen=True)
class Sized(Generic[T]):
    """Inputs that `build` makes of a size: of each profile's, and of one from the strategy `sizes`."""

    build: Callable[[InputSpec, T], Inputs]
    profiles: Mapping[str, T]
    sizes: Callable[[InputSpec], st.SearchStrategy[T]]

    def canonical(self, spec: InputSpec, /) -> Mapping[str, Inputs]:
        """One call for each profile."""
        return sized(self.build, self.profiles)(spec)

    def drawn(self, draw: st.DrawFn, spec: InputSpec, /) -> Inputs:
        """The call of a drawn size."""
        return self.build(spec, draw(self.sizes(spec)))


def of_shape(
    build: Callable[[InputSpec, Shape], Inputs],
    profiles: Mapping[str, Shape] = MATRIX_SHAPES,
    ranks: tuple[int, int] = (1, 4),
) -> Sized[Shape]:
    """Inputs that follow from one shape, of any rank between these two."""
    return Sized(build, profiles, lambda spec: shapes(*ranks, spec.elements))
