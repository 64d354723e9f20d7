"""Edits of a call: its dimensions and dependent values, the order of axes, and parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeAlias, cast

import msgspec

from autoperf.cases.build import with_drafts
from autoperf.core.operator import Value, is_axis
from autoperf.core.tensors import AnyContent, Distinct, Integers, Patterned, Shape, tensor_problem
from autoperf.rules.rule import Draft, Inputs

Dimension: TypeAlias = tuple[str, int, int]
"""A dimension: the tensor's name, its number in a list (0 for a single one), and the axis."""


def drafts(call: Inputs) -> Iterator[tuple[str, int, Draft]]:
    """Every tensor with its name and its number in a list."""
    for name, given in call.tensors.items():
        for number, draft in enumerate(given if isinstance(given, tuple) else (given,)):
            yield name, number, draft


def dimensions(call: Inputs) -> list[Dimension]:
    """Every dimension of every tensor."""
    return [(name, number, axis) for name, number, draft in drafts(call) for axis in range(len(draft.shape))]


def extent(call: Inputs, dimension: Dimension) -> int:
    """The length of a dimension."""
    name, number, axis = dimension
    return _draft(call, name, number).shape[axis]


def rank(call: Inputs) -> int:
    """The largest rank of the tensors."""
    return max((len(draft.shape) for _, _, draft in drafts(call)), default=0)


def _reshaped(call: Inputs, change: Callable[[Shape], Shape]) -> Inputs:
    """The call with `change` applied to the shapes of tensors of the full rank."""
    ndim = rank(call)
    return with_drafts(
        call, lambda _, draft: replace(draft, shape=change(draft.shape)) if len(draft.shape) == ndim else draft
    )


def axes_given(call: Inputs) -> dict[str, tuple[int, ...]]:
    """The axes that each parameter selects, counted from the front."""
    ndim = rank(call)
    axes: dict[str, tuple[int, ...]] = {}
    for name, value in call.params.items():
        listed = value if isinstance(value, tuple) else (value,)
        if is_axis(name) and listed and all(type(axis) is int and -ndim <= axis < ndim for axis in listed):
            axes[name] = tuple(int(cast("int", axis)) % ndim for axis in listed)
    return axes


def axes_named(call: Inputs, parameter: str, default: int | None) -> tuple[int, ...]:
    """The axes that one parameter selects, counted from the front; its `default` where it isn't given."""
    ndim = rank(call)
    if parameter in call.params or default is None or not -ndim <= default < ndim:
        return axes_given(call).get(parameter, ())
    return (default % ndim,)


def with_named_axis(call: Inputs, parameter: str, axis: int) -> Inputs:
    """The call with this axis, whether or not the parameter is given; a tuple stays a tuple."""
    return with_axes(call, {parameter: (axis,)}) if parameter in call.params else with_param(call, parameter, axis)


def with_axes(call: Inputs, axes: Mapping[str, tuple[int, ...]], *, from_front: bool = False) -> Inputs:
    """The call with these axes; tuples stay tuples, and a single negative axis stays negative unless `from_front`."""
    params: dict[str, Value] = dict(call.params)
    for name, listed in axes.items():
        before = params[name]
        stays_negative = type(before) is int and before < 0 and not from_front
        single = listed[0] - rank(call) if stays_negative else listed[0]
        params[name] = tuple(listed) if isinstance(before, tuple) else single
    return replace(call, params=params)


def resized(call: Inputs, dimension: Dimension, new: int, *, renumbered: bool = True) -> list[Inputs]:
    """Alternatives with a new length of a dimension: of it alone, of this axis in all tensors, of all equal lengths.

    If `renumbered`, the last alternative also replaces equal numbers in the parameters. Inference decides which are
    valid. Indices are kept within the new length.
    """
    old = extent(call, dimension)
    name, number, axis = dimension
    back = axis - len(_draft(call, name, number).shape)

    def alone(each: str, draft: Draft) -> Draft:
        is_meant = is_named(each, tensor_name(name, number))
        return replace(draft, shape=_set(draft.shape, axis, new)) if is_meant else draft

    def same_length(_: str, draft: Draft) -> Draft:
        shape = draft.shape
        for position in (axis, back):
            if -len(shape) <= position < len(shape) and shape[position] == old:
                return replace(draft, shape=_set(shape, position, new))
        return draft

    def everywhere(_: str, draft: Draft) -> Draft:
        return replace(draft, shape=tuple(new if size == old else size for size in draft.shape))

    calls = [with_drafts(call, alone)]
    if old > 1:
        calls += [with_drafts(call, same_length), with_drafts(call, everywhere)]
    if old > 1 and renumbered:
        params = {key: _renumbered(key, value, old, new) for key, value in call.params.items()}
        calls.append(replace(calls[-1], params=params))
    if new < old:
        # Indices are kept within the shorter length.
        calls = [
            with_drafts(each, lambda _, draft: replace(draft, content=_kept(draft.content, old, new))) for each in calls
        ]
    return [each for at, each in enumerate(calls) if each not in calls[:at]]


def swapped(call: Inputs, first: int, second: int) -> Inputs:
    """The call with two axes exchanged in tensors of the full rank, and in parameters with an entry for each axis."""
    exchanged = {first: second, second: first}
    axes = {name: tuple(exchanged.get(axis, axis) for axis in listed) for name, listed in axes_given(call).items()}
    by_axis = {name: _exchange(value, first, second) for name, value in _by_axis(call).items() if name not in axes}
    moved = with_axes(_reshaped(call, lambda shape: _exchange(shape, first, second)), axes)
    return replace(moved, params={**moved.params, **by_axis})


def merged(call: Inputs, axis: int) -> Inputs | None:
    """The call with an axis and the next one merged in tensors of the full rank; None if a parameter selects either."""
    axes = axes_given(call)
    selected = {other for listed in axes.values() for other in listed}
    if {axis, axis + 1} & selected or _by_axis(call):
        return None
    shifted = {name: tuple(other - (other > axis) for other in listed) for name, listed in axes.items()}
    reshaped = _reshaped(call, lambda shape: (*shape[:axis], shape[axis] * shape[axis + 1], *shape[axis + 2 :]))
    return with_axes(reshaped, shifted, from_front=True)


def without_axis(call: Inputs, axis: int) -> Inputs | None:
    """The call without an axis in tensors of the full rank; None if a parameter selects it or it is the only axis."""
    axes = axes_given(call)
    if rank(call) < 2 or any(axis in listed for listed in axes.values()):
        return None
    shifted = {name: tuple(selected - (selected > axis) for selected in listed) for name, listed in axes.items()}
    reshaped = _reshaped(call, lambda shape: (*shape[:axis], *shape[axis + 1 :]))
    fewer = with_axes(reshaped, shifted, from_front=True)
    by_axis = {name: (*value[:axis], *value[axis + 1 :]) for name, value in _by_axis(call).items() if name not in axes}
    return replace(fewer, params={**fewer.params, **by_axis})


def with_axis(call: Inputs) -> Inputs | None:
    """The call with one more axis of length 1 in front; None if a parameter has an entry for each axis."""
    if not all(map(is_axis, _by_axis(call))):
        return None
    shifted = {name: tuple(axis + 1 for axis in listed) for name, listed in axes_given(call).items()}
    return with_axes(_reshaped(call, lambda shape: (1, *shape)), shifted, from_front=True)


def without(call: Inputs, parameter: str) -> Inputs:
    """The call with a parameter's default."""
    return replace(call, params={name: value for name, value in call.params.items() if name != parameter})


def with_param(call: Inputs, parameter: str, value: Value) -> Inputs:
    """The call with another value of a parameter."""
    return replace(call, params={**call.params, parameter: value})


def _by_axis(call: Inputs) -> dict[str, Any]:
    """The parameters that are tuples with an entry for each axis."""
    ndim = rank(call)
    return {name: value for name, value in call.params.items() if isinstance(value, tuple) and len(value) == ndim}


def _draft(call: Inputs, name: str, number: int) -> Draft:
    given = call.tensors[name]
    return given[number] if isinstance(given, tuple) else given


def _set(shape: Shape, position: int, new: int) -> Shape:
    position %= len(shape)
    return (*shape[:position], new, *shape[position + 1 :])


def _exchange(values: tuple[Value, ...] | Shape, first: int, second: int) -> tuple[int, ...]:
    listed = list(values)
    listed[first], listed[second] = listed[second], listed[first]
    return cast("tuple[int, ...]", tuple(listed))


def _renumbered(name: str, value: Value, old: int, new: int) -> Value:
    """Replaces the old length in a parameter, such as the end of a slice."""
    if is_axis(name):
        return value
    if isinstance(value, tuple):
        return cast("Value", tuple(new if type(item) is int and item == old else item for item in value))
    return new if type(value) is int and value == old else value


def _kept(content: AnyContent | None, old: int, new: int) -> AnyContent | None:
    """Shifts an upper bound that is the old length (positions) or one more (counts), if that leaves a number below it.

    Otherwise it is of another dimension that happens to be as long.
    """
    if isinstance(content, Patterned):
        return msgspec.structs.replace(content, content=_kept(content.content, old, new))
    if isinstance(content, Integers | Distinct) and content.high in (old, old + 1):
        shifted = msgspec.structs.replace(content, high=content.high - old + new)
        return content if tensor_problem(1.0, shifted) else shifted
    return content


def tensor_name(name: str, number: int) -> str:
    """The name of a tensor, or of one in a list: `data`, `data[1]`."""
    return name if number == 0 else f"{name}[{number}]"


def is_named(tensor: str, name: str) -> bool:
    """Whether a tensor of `with_drafts`, where the first one of a list is `data[0]`, has this `tensor_name`."""
    return tensor in (name, f"{name}[0]")


def dimension_words(dimension: Dimension) -> str:
    """`data.shape[1]`."""
    name, number, axis = dimension
    return f"{tensor_name(name, number)}.shape[{axis}]"
