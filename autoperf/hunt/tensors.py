"""Changes of a call that keep it a call: a dimension, all that is tied to it, the order of axes, dtypes, parameters."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TypeAlias, cast

import msgspec

from autoperf.core.operator import Value
from autoperf.core.tensors import AnyContent, Distinct, Integers, Shape
from autoperf.rules.rule import Draft, Inputs

_AXIS = re.compile(r"(axis|axes|dim)[0-9]*|.+_axis|.+_axes")

Place: TypeAlias = tuple[str, int, int]
"""A dimension: the tensor's name, its number in a list (0 for a single one), and the axis."""


def drafts(call: Inputs) -> Iterator[tuple[str, int, Draft]]:
    """Every tensor with its name and its number in a list."""
    for name, given in call.tensors.items():
        for number, draft in enumerate(given if isinstance(given, tuple) else (given,)):
            yield name, number, draft


def places(call: Inputs) -> list[Place]:
    """Every dimension of every tensor."""
    return [(name, number, axis) for name, number, draft in drafts(call) for axis in range(len(draft.shape))]


def extent(call: Inputs, place: Place) -> int:
    """The length of a dimension."""
    name, number, axis = place
    given = call.tensors[name]
    return (given[number] if isinstance(given, tuple) else given).shape[axis]


def rank(call: Inputs) -> int:
    """The largest rank of its tensors."""
    return max((len(draft.shape) for _, _, draft in drafts(call)), default=0)


def changed(call: Inputs, change: Callable[[str, int, Draft], Draft]) -> Inputs:
    """The call with every tensor changed."""
    tensors: dict[str, Draft | tuple[Draft, ...]] = {
        name: tuple(change(name, number, draft) for number, draft in enumerate(given))
        if isinstance(given, tuple)
        else change(name, 0, given)
        for name, given in call.tensors.items()
    }
    return replace(call, tensors=tensors)


def is_axis(name: str) -> bool:
    """Whether a parameter of this name says which axes an operator works along."""
    return _AXIS.fullmatch(name) is not None


def axes_given(call: Inputs) -> dict[str, tuple[int, ...]]:
    """The axes that each parameter names, counted from the front."""
    most = rank(call)
    found: dict[str, tuple[int, ...]] = {}
    for name, value in call.params.items():
        listed = value if isinstance(value, tuple) else (value,)
        if is_axis(name) and listed and all(type(each) is int and -most <= each < most for each in listed):
            found[name] = tuple(int(cast("int", each)) % most for each in listed)
    return found


def with_axes(call: Inputs, axes: Mapping[str, tuple[int, ...]]) -> Inputs:
    """The call with these axes, a tuple where it was one; a single axis from the back stays counted from there."""
    params: dict[str, Value] = dict(call.params)
    for name, listed in axes.items():
        before = params[name]
        if isinstance(before, tuple):
            params[name] = tuple(listed)
        else:
            params[name] = listed[0] - rank(call) if type(before) is int and before < 0 else listed[0]
    return replace(call, params=params)


def resized(call: Inputs, place: Place, new: int, *, renumbered: bool = True) -> list[Inputs]:
    """The call with another length of a dimension: alone; with its like in other tensors; with all of that number.

    The last one has all of that number in the parameters too, if these may be `renumbered`. Which of them is a call is
    inference's to say. Indices that spoke of the old length are kept within the new one.
    """
    old = extent(call, place)
    name, number, axis = place
    back = axis - len(_draft(call, name, number).shape)

    def alone(_name: str, _number: int, draft: Draft) -> Draft:
        here = (_name, _number) == (name, number)
        return replace(draft, shape=_set(draft.shape, axis, new)) if here else draft

    def alike(_name: str, _number: int, draft: Draft) -> Draft:
        shape = draft.shape
        for position in (axis, back):
            if -len(shape) <= position < len(shape) and shape[position] == old:
                return replace(draft, shape=_set(shape, position, new))
        return draft

    def everywhere(_name: str, _number: int, draft: Draft) -> Draft:
        return replace(draft, shape=tuple(new if size == old else size for size in draft.shape))

    calls = [changed(call, alone)]
    if old > 1:
        calls += [changed(call, alike), changed(call, everywhere)]
    if old > 1 and renumbered:
        params = {key: _renumbered(key, value, old, new) for key, value in call.params.items()}
        calls.append(replace(calls[-1], params=params))
    return list(_distinct(_within(each, old, new) for each in calls))


def swapped(call: Inputs, first: int, second: int) -> Inputs:
    """The call with two axes exchanged in all tensors that have the full rank, and in what speaks of each axis."""
    most = rank(call)
    there = {first: second, second: first}

    def swap(_name: str, _number: int, draft: Draft) -> Draft:
        return replace(draft, shape=_exchange(draft.shape, first, second)) if len(draft.shape) == most else draft

    axes = {name: tuple(there.get(axis, axis) for axis in listed) for name, listed in axes_given(call).items()}
    by_axis = {
        name: _exchange(value, first, second)
        for name, value in call.params.items()
        if isinstance(value, tuple) and len(value) == most and name not in axes
    }
    moved = with_axes(changed(call, swap), axes)
    return replace(moved, params={**moved.params, **by_axis})


def merged(call: Inputs, axis: int) -> Inputs | None:
    """The call with an axis and the next made one, in all tensors of the full rank; None if it works along either."""
    most = rank(call)
    axes = axes_given(call)
    along = {each for listed in axes.values() for each in listed}
    if {axis, axis + 1} & along or any(
        isinstance(value, tuple) and len(value) == most for value in call.params.values()
    ):
        return None

    def merge(_name: str, _number: int, draft: Draft) -> Draft:
        if len(draft.shape) != most:
            return draft
        front, back = draft.shape[:axis], draft.shape[axis + 2 :]
        return replace(draft, shape=(*front, draft.shape[axis] * draft.shape[axis + 1], *back))

    shifted = {name: tuple(each - (each > axis) for each in listed) for name, listed in axes.items()}
    return _from_the_front(changed(call, merge), shifted)


def without_axis(call: Inputs, axis: int) -> Inputs | None:
    """The call without an axis of all tensors of the full rank; None if it works along it, or if there is no other."""
    most = rank(call)
    axes = axes_given(call)
    if most < 2 or any(axis in listed for listed in axes.values()):
        return None

    def drop(_name: str, _number: int, draft: Draft) -> Draft:
        full = len(draft.shape) == most
        return replace(draft, shape=(*draft.shape[:axis], *draft.shape[axis + 1 :])) if full else draft

    shifted = {name: tuple(each - (each > axis) for each in listed) for name, listed in axes.items()}
    fewer = _from_the_front(changed(call, drop), shifted)
    params = {
        name: (*value[:axis], *value[axis + 1 :])
        if isinstance(value, tuple) and len(value) == most and name not in axes
        else value
        for name, value in fewer.params.items()
    }
    return replace(fewer, params=params)


def with_axis(call: Inputs) -> Inputs | None:
    """The call with one more axis of length 1 in front; None if a parameter has an entry for each axis."""
    most = rank(call)
    if any(
        isinstance(value, tuple) and len(value) == most and not is_axis(name) for name, value in call.params.items()
    ):
        return None

    def widen(_name: str, _number: int, draft: Draft) -> Draft:
        return replace(draft, shape=(1, *draft.shape)) if len(draft.shape) == most else draft

    shifted = {name: tuple(each + 1 for each in listed) for name, listed in axes_given(call).items()}
    return _from_the_front(changed(call, widen), shifted)


def of_dtype(call: Inputs, old: str, new: str) -> Inputs:
    """The call with tensors of another dtype; those that have one of their own, such as indices, keep it."""
    return changed(call, lambda _name, _number, draft: replace(draft, dtype=new) if draft.dtype == old else draft)


def without(call: Inputs, parameter: str) -> Inputs:
    """The call with a parameter's default."""
    return replace(call, params={name: value for name, value in call.params.items() if name != parameter})


def with_param(call: Inputs, parameter: str, value: Value) -> Inputs:
    """The call with another value of a parameter."""
    return replace(call, params={**call.params, parameter: value})


def _from_the_front(call: Inputs, axes: Mapping[str, tuple[int, ...]]) -> Inputs:
    """Fewer axes change what is counted from the back."""
    params: dict[str, Value] = dict(call.params)
    for name, listed in axes.items():
        params[name] = tuple(listed) if isinstance(params[name], tuple) else listed[0]
    return replace(call, params=params)


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
    """A parameter that speaks of the old length, such as the end of a slice."""
    if is_axis(name):
        return value
    if isinstance(value, tuple):
        return cast("Value", tuple(new if type(each) is int and each == old else each for each in value))
    return new if type(value) is int and value == old else value


def _within(call: Inputs, old: int, new: int) -> Inputs:
    """Indices up to the old length stay below the new one; where it grows, they may stay as they are."""
    if new >= old:
        return call
    return changed(call, lambda _name, _number, draft: replace(draft, content=_kept(draft.content, old, new)))


def _kept(content: AnyContent | None, old: int, new: int) -> AnyContent | None:
    """Positions end with the old length, counts up to it one behind."""
    if isinstance(content, Integers | Distinct) and content.high in (old, old + 1):
        return msgspec.structs.replace(content, high=content.high - old + new)
    return content


def _distinct(calls: Iterator[Inputs]) -> Iterator[Inputs]:
    seen: list[Inputs] = []
    for call in calls:
        if call not in seen:
            seen.append(call)
            yield call
