"""Dimensions of tensors that must agree, where a framework's inference doesn't check it.

Kernels then read or write beyond a tensor's end, or compute nonsense. The dimensions are written for each tensor as
`n c h w`: equal letters are equal lengths, and `_` is free. `heads*n` is a multiple by a parameter (of two letters or
more), `3*n` by a number, and `group_size|pooled_size` the first of these parameters that is given and not 0. `9+` is 9
or more. `...` is a shape of any rank, the same for all such tensors, and `... h w` one that ends so. A dimension whose
parameter has its default isn't compared. For `output`, `= data` is an output of as many elements as `data`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from autoperf.core.case import Case
from autoperf.core.operator import Value
from autoperf.core.tensors import Shape

ANY_RANK = "..."
FREE = "_"
AT_LEAST = "+"
OUTPUT, EQUAL = "output", "= "
MAX_DIGITS = 18


def invalid_dims(dims: Mapping[str, str]) -> str:
    """The first dimension that isn't written as above; empty if all are."""
    for tensor, text in dims.items():
        if tensor == OUTPUT and text.startswith(EQUAL) and text.removeprefix(EQUAL).isidentifier():
            continue
        for token in text.removeprefix(ANY_RANK).split() or ([] if text == ANY_RANK else [text]):
            factors = token.removesuffix(AT_LEAST).split("*")
            known = (name for factor in factors if not _is_letter(factor) for name in factor.split("|"))
            letters = sum(map(_is_letter, factors))
            if letters > (not token.endswith(AT_LEAST)) or not all(
                part.isidentifier() or part.isdecimal() for part in known
            ):
                return f"{token!r} of {tensor}"
    return ""


def misfit(dims: Mapping[str, str], case: Case) -> str:
    """The first tensors of a case that don't fit each other or its parameters; empty if all fit."""
    whole: tuple[str, Shape] | None = None
    lengths: dict[str, tuple[str, int]] = {}
    for item in case.inputs:
        text, shape = dims.get(item.name.partition("[")[0]), item.tensor.shape
        if text == ANY_RANK:
            whole = whole or (item.name, shape)
            if whole[1] != shape:
                return f"{item.name} has the shape {shape}, and {whole[0]} {whole[1]}"
        elif text:
            problem = _misfit(item.name, text, shape, case.params, lengths)
            if problem:
                return problem
    return _unequal(dims[OUTPUT].removeprefix(EQUAL), case) if OUTPUT in dims else ""


def _unequal(tensor: str, case: Case) -> str:
    """Why an output that inference knows has another number of elements than a tensor; empty if it has as many."""
    shapes = {item.name: item.tensor.shape for item in case.inputs}
    if tensor not in shapes or not case.outputs:
        return ""
    shape, made = shapes[tensor], case.outputs[0].shape
    if math.prod(made) == math.prod(shape):
        return ""
    return f"{tensor} {shape} has {math.prod(shape):,} elements, and the output {made} {math.prod(made):,}"


def _misfit(
    tensor: str, text: str, shape: Shape, params: Mapping[str, Value], lengths: dict[str, tuple[str, int]]
) -> str:
    """Why one tensor doesn't fit parameters, or earlier tensors' `lengths` of letters, to which it adds its own."""
    tokens, ending = text.removeprefix(ANY_RANK).split(), shape
    if text.startswith(ANY_RANK):
        ending = shape[-len(tokens) :]
    if len(tokens) != len(ending):
        return f"{tensor} has the shape {shape}, expected ({text})"
    for token, length in zip(tokens, ending, strict=True):
        letter, unit = _parts(token.removesuffix(AT_LEAST), params)
        if token.endswith(AT_LEAST) and length < unit:
            return f"{tensor} ({text}) has a dimension of {length}, expected {unit} or more"
        if unit and not token.endswith(AT_LEAST) and (length % unit or (not letter and length != unit)):
            return f"{tensor} ({text}) has a dimension of {length}, expected {'a multiple of ' if letter else ''}{unit}"
        if unit and letter not in ("", FREE):
            name, expected = lengths.setdefault(letter, (tensor, length // unit))
            if length // unit != expected:
                return f"{letter} of {tensor} ({text}) is {length // unit}, and in {name} it is {expected}"
    return ""


def _parts(token: str, params: Mapping[str, Value]) -> tuple[str, int]:
    """The letter of a dimension, if it has one, and the product of its other factors; 0 if a parameter isn't given."""
    letters = [factor for factor in token.split("*") if _is_letter(factor)]
    units = (next(_numbers(factor, params), 0) for factor in token.split("*") if not _is_letter(factor))
    return "".join(letters), math.prod(units)


def _numbers(factor: str, params: Mapping[str, Value]) -> Iterator[int]:
    for name in factor.split("|"):
        text = name if name.isdecimal() else str(params.get(name))
        if text.isdecimal() and len(text) <= MAX_DIGITS and int(text):
            yield int(text)


def _is_letter(factor: str) -> bool:
    return factor == FREE or (len(factor) == 1 and factor.isalpha())
