"""Tensors and parameters as people type them: `128x30522`, `1024:int32:integers(0, 1000)`, `(3, 3)`."""

from __future__ import annotations

import ast
import itertools
import math
import re
import warnings
from typing import Any, TypeAlias, get_args

import msgspec

from autoperf.core.errors import UnknownNameError, UsageError
from autoperf.core.operator import Scalar, Value
from autoperf.core.options import MAX_ELEMENTS
from autoperf.core.tensors import DTYPES, AnyContent, Content, Literal_, Shape, tensor_problem
from autoperf.rules.rule import Draft

Tensors: TypeAlias = Draft | tuple[Draft, ...]
"""A tensor, or the members of a list of tensors."""

MAX_TEXT = 10_000
MAX_DEPTH = 2
MAX_BITS_SHOWN = 1024
CONTENTS: dict[str, type[Content]] = {str(kind.__struct_config__.tag): kind for kind in get_args(AnyContent)}
STORAGES = ("csr", "row_sparse")
_EXPECTED_SHAPE = "expected sizes such as 128x30522 or (128, 30522), or () for a scalar"
_EXPECTED_TENSOR = "expected SHAPE, or SHAPE:DTYPE:CONTENT, such as 128x30522 or 1024:int32:integers(0, 1000)"
_EXPECTED_SCALAR = "expected a number, text, true, false, none, or a tuple of them"
_SIZES = re.compile(r"\d{1,18}(?:\s*[xX]\s*\d{1,18})*")
_TUPLE = re.compile(r"[(]\s*(?:\d{1,18}\s*(?:,\s*\d{1,18}\s*)*,?)?\s*[)]")
_CALL = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)\s*(?:[(](.*)[)])?", re.DOTALL)
_CONSTANTS: dict[str, Scalar] = {"true": True, "false": False, "none": None}
_CLOSING = {"(": ")", "[": "]"}
_QUOTES = "\"'"
_WRONG_TYPE = re.compile(r"Expected `(\w+)`.* - at `\$\.(\w+)(?:\[(\d+)\])?`")
_EXPECTED_VALUE = {"float": "a finite number", "int": "a whole number", "bool": "true or false"}


def split_list(text: str, separator: str = ",") -> list[str]:
    """The parts between separators outside of brackets and quotes, stripped. Raises UsageError for an open bracket."""
    if len(text) > MAX_TEXT:
        raise UsageError(
            f"invalid text of {len(text):,} characters: expected at most {MAX_TEXT:,}; use a file of cases"
        )
    cuts, closing, quote = [-1], list[str](), ""
    for position, letter in enumerate(text):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in _QUOTES:
            quote = letter
        elif letter in _CLOSING:
            closing.append(_CLOSING[letter])
        elif closing and letter == closing[-1]:
            closing.pop()
        elif letter in _CLOSING.values():
            raise UsageError(f"invalid {text!r}: unexpected {letter!r}")
        elif letter == separator and not closing:
            cuts.append(position)
    if quote or closing:
        raise UsageError(f"invalid {text!r}: expected {quote or closing[-1]!r} at the end")
    return [text[start + 1 : end].strip() for start, end in itertools.pairwise((*cuts, len(text)))]


def parse_tensors(text: str) -> Tensors:
    """A tensor, or a list of tensors in square brackets: `[2x3, 2x4]`. Raises UsageError and UnknownNameError."""
    stripped = text.strip()
    if stripped.startswith("[") and stripped.endswith("]"):
        return tuple(parse_tensor(part) for part in split_list(stripped[1:-1]))
    return parse_tensor(stripped)


def parse_tensor(text: str) -> Draft:
    """A shape, then in any order dtype, content and storage, after colons. Raises UsageError and UnknownNameError."""
    shape, *rest = split_list(text, ":")
    traits: dict[str, Any] = {}
    for part in rest:
        for name, value in _trait(text, part).items():
            if name in traits:
                raise UsageError(f"invalid tensor {text!r}: it has two values of {name}")
            traits[name] = value
    return Draft(parse_shape(shape), **traits)


def parse_shape(text: str) -> Shape:
    """A shape: `128x30522`, `(128, 30522)`, `1024`, and `()` or `scalar` without dimensions. Raises UsageError."""
    stripped = text.strip()
    if not (stripped == "scalar" or _SIZES.fullmatch(stripped) or _TUPLE.fullmatch(stripped)):
        raise UsageError(f"invalid shape {text!r}: {_EXPECTED_SHAPE}")
    return check_shape(tuple(map(int, re.findall(r"\d+", stripped))))


def check_shape(shape: Shape) -> Shape:
    """The shape. Raises UsageError for negative sizes, and for more elements than any machine can store."""
    if any(size < 0 for size in shape):
        raise UsageError(f"invalid shape {shape}: expected sizes of 0 or more")
    if math.prod(shape) > MAX_ELEMENTS:
        raise UsageError(f"invalid shape {shape}: it has {math.prod(shape):,} elements, above {MAX_ELEMENTS:,}")
    return shape


def _trait(tensor: str, part: str) -> dict[str, Any]:
    if part in DTYPES:
        return {"dtype": part}
    match = _CALL.fullmatch(part)
    if match is None:
        raise UsageError(f"invalid tensor {tensor!r}: {_EXPECTED_TENSOR}")
    name, arguments = match[1], match[2]
    if name in STORAGES:
        density = parse_value(arguments) if arguments else 1.0
        problem = tensor_problem(density, None)
        if problem or not isinstance(density, int | float):
            raise UsageError(f"invalid storage {part!r}: {problem}")
        return {"storage": name, "density": float(density)}
    if name not in CONTENTS:
        raise UnknownNameError("dtype or content", name, (*DTYPES, *CONTENTS, *STORAGES))
    return {"content": _content(part, CONTENTS[name], arguments or "")}


def _content(text: str, kind: type[Content], arguments: str) -> AnyContent:
    names = kind.__struct_fields__
    values: dict[str, Any] = {}
    parts = split_list(arguments) if arguments.strip() else []
    if kind is Literal_:
        values, parts = {"values": tuple(check_scalar(parse_value(part)) for part in parts)}, []
    for position, part in enumerate(parts):
        name, equals, _ = part.partition("(")[0].rpartition("=")
        value = part[len(name) + len(equals) :]
        if not equals and position >= len(names):
            raise UsageError(f"invalid content {text!r}: expected at most {len(names)} values: {', '.join(names)}")
        name = name.strip() if equals else names[position]
        if name not in names:
            raise UnknownNameError(f"value of {kind.__struct_config__.tag}", name, names)
        if name in values:
            raise UsageError(f"invalid content {text!r}: {name} has two values")
        values[name] = _trait(text, value.strip()).get("content") if name == "content" else parse_value(value)
    try:
        content: AnyContent = msgspec.convert(msgspec.to_builtins(values), kind)  # type: ignore[assignment]
    except msgspec.ValidationError as error:
        expected = f"; its values are {', '.join(names)}" if names else ""
        raise UsageError(f"invalid content {text!r}: {_type_problem(error, values)}{expected}") from None
    low, high = getattr(content, "low", None), getattr(content, "high", None)
    problem = "expected low < high" if low is not None and high is not None and low >= high else None
    if problem := problem or tensor_problem(1.0, content):
        raise UsageError(f"invalid content {text!r}: {problem}")
    return content


def _type_problem(error: msgspec.ValidationError, values: dict[str, Any]) -> str:
    """The problem with a value of another type, with the value and the expected type, which the parser doesn't name."""
    match = _WRONG_TYPE.fullmatch(str(error))
    if match is None or match[1] not in _EXPECTED_VALUE:
        return str(error)
    value = values[match[2]]
    shown = value[int(match[3])] if match[3] else value
    return f"invalid {match[2]} {shown!r}: expected {_EXPECTED_VALUE[match[1]]}"


def parse_value(text: str, depth: int = MAX_DEPTH) -> Value:
    """A parameter's value: a number, true, false, none, a tuple, or else the text. Raises UsageError."""
    stripped = text.strip()
    if stripped.lower() in _CONSTANTS:
        return _CONSTANTS[stripped.lower()]
    if stripped[:1] in _CLOSING and stripped[-1:] in _CLOSING.values():
        if not depth:
            raise UsageError(f"invalid value {text!r:.80}: {_EXPECTED_SCALAR}")
        parts = split_list(stripped[1:-1])
        # A trailing comma, as in `(3,)`, adds nothing; `()` is empty.
        return check_value(tuple(parse_value(part, depth - 1) for part in (parts if parts[-1] else parts[:-1])))
    try:
        # A text such as `1or2` is no Python: warnings about it are of no use to the user.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value = ast.literal_eval(stripped)
    except (TypeError, ValueError, SyntaxError, MemoryError, RecursionError):
        return stripped
    return check_value(value if isinstance(value, int | float | str) else stripped)


def check_scalar(value: Value) -> Scalar:
    """The value. Raises UsageError for a tuple."""
    if isinstance(value, tuple):
        raise UsageError(f"invalid value {value!r}: expected a number")
    return value


def check_value(value: object, depth: int = MAX_DEPTH) -> Value:
    """The value with lists as tuples, if MXNet can take it as a parameter. Raises UsageError."""
    if isinstance(value, tuple | list) and depth:
        return tuple(check_value(item, depth - 1) for item in value)  # type: ignore[misc]
    if isinstance(value, float) and not math.isfinite(value):
        raise UsageError(f"invalid value {value!r}: expected a finite number; 'inf' as text is allowed")
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        # Python refuses to write out numbers of thousands of digits.
        shown = repr(value) if value.bit_length() < MAX_BITS_SHOWN else f"of {value.bit_length():,} bits"
        raise UsageError(f"invalid value {shown}: expected a number of at most 64 bits")
    if isinstance(value, str) and len(value) > MAX_TEXT:
        raise UsageError(f"invalid value of {len(value):,} characters: expected at most {MAX_TEXT:,}")
    if isinstance(value, str) and "\0" in value:
        # MXNet would read it up to there.
        raise UsageError(f"invalid value {value!r}: expected a text without NUL")
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise UsageError(f"invalid value {value!r}: {_EXPECTED_SCALAR}")
