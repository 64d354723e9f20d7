"""Cases written by hand: tensors and parameters as people type them, except for those that are deduced."""

from __future__ import annotations

import ast
import itertools
import math
import re
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias, get_args

import msgspec

from autoperf.core.errors import UnknownNameError, UsageError
from autoperf.core.operator import Form, Operator, Scalar, TensorKind, Value
from autoperf.core.options import MAX_ELEMENTS
from autoperf.core.tensors import DTYPES, AnyContent, Content, Literal_, Shape, tensor_problem
from autoperf.rules.rule import Draft

Tensors: TypeAlias = Draft | tuple[Draft, ...]
"""A tensor, or the members of a list of tensors."""

MAX_TEXT = 10_000
MAX_BITS_SHOWN = 1024
CONTENTS: dict[str, type[Content]] = {str(kind.__struct_config__.tag): kind for kind in get_args(AnyContent)}
STORAGES = ("csr", "row_sparse")
_EXPECTED_SHAPE = "expected sizes such as 128x30522 or (128, 30522), or () for a scalar"
_EXPECTED_TENSOR = "expected SHAPE, or SHAPE:DTYPE:CONTENT, such as 128x30522 or 1024:int32:integers(0, 1000)"
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
    cuts = [-1, *_separators(text, separator), len(text)]
    return [text[start + 1 : end].strip() for start, end in itertools.pairwise(cuts)]


def _separators(text: str, separator: str) -> Iterator[int]:
    """The positions of the separators outside of brackets and quotes."""
    closing: list[str] = []
    quote = ""
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
            yield position
    if quote or closing:
        raise UsageError(f"invalid {text!r}: expected {quote or closing[-1]!r} at the end")


def parse_tensors(text: str) -> Tensors:
    """A tensor, or a list of tensors in square brackets: `[2x3, 2x4]`. Raises UsageError and UnknownNameError."""
    stripped = text.strip()
    if stripped.startswith("[") and stripped.endswith("]"):
        return tuple(parse_tensor(part) for part in split_list(stripped[1:-1]))
    return parse_tensor(stripped)


def parse_tensor(text: str) -> Draft:
    """A tensor: its shape, and in any order its dtype, its content and its storage, after colons.

    Raises UsageError and UnknownNameError.
    """
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
    """The field of a draft that this part of its text sets."""
    if part in DTYPES:
        return {"dtype": part}
    match = _CALL.fullmatch(part)
    if match is None:
        raise UsageError(f"invalid tensor {tensor!r}: {_EXPECTED_TENSOR}")
    name, arguments = match[1], match[2]
    if name in STORAGES:
        return {"storage": name, "density": _density(part, arguments)}
    if name not in CONTENTS:
        raise UnknownNameError("dtype or content", name, (*DTYPES, *CONTENTS, *STORAGES))
    return {"content": _content(part, CONTENTS[name], arguments or "")}


def _density(text: str, arguments: str | None) -> float:
    density = parse_value(arguments) if arguments else 1.0
    problem = tensor_problem(density, None)
    if problem or not isinstance(density, int | float):
        raise UsageError(f"invalid storage {text!r}: {problem}")
    return float(density)


def _content(text: str, kind: type[Content], arguments: str) -> AnyContent:
    """The content of a call such as `integers(0, 1000)` or `uniform(high=2)`."""
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
    return _check_content(text, content)


def _type_problem(error: msgspec.ValidationError, values: dict[str, Any]) -> str:
    """The problem with a value of another type, with the value and the expected type, which the parser doesn't name."""
    match = _WRONG_TYPE.fullmatch(str(error))
    if match is None or match[1] not in _EXPECTED_VALUE:
        return str(error)
    value = values[match[2]]
    shown = value[int(match[3])] if match[3] else value
    return f"invalid {match[2]} {shown!r}: expected {_EXPECTED_VALUE[match[1]]}"


def _check_content(text: str, content: AnyContent) -> AnyContent:
    """The content. Raises UsageError for one that fills no tensor, and for a range of one number."""
    low, high = getattr(content, "low", None), getattr(content, "high", None)
    if low is not None and high is not None and low >= high:
        raise UsageError(f"invalid content {text!r}: expected low < high")
    problem = tensor_problem(1.0, content)
    if problem:
        raise UsageError(f"invalid content {text!r}: {problem}")
    return content


def parse_value(text: str) -> Value:
    """A parameter's value: a number, true, false, none, a tuple, or else the text. Raises UsageError."""
    stripped = text.strip()
    if stripped.lower() in _CONSTANTS:
        return _CONSTANTS[stripped.lower()]
    if stripped[:1] in _CLOSING and stripped[-1:] in _CLOSING.values():
        parts = split_list(stripped[1:-1])
        # A trailing comma, as in `(3,)`, adds nothing; `()` is empty.
        return check_value(tuple(parse_value(part) for part in (parts if parts[-1] else parts[:-1])))
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


def check_value(value: object, depth: int = 2) -> Value:
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
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise UsageError(f"invalid value {value!r}: expected a number, text, true, false, none, or a tuple of them")


USER_PROFILE = "user"
"""The profile of a case without a name, as in Python files."""
MAX_CASES, MAX_RECORDED = 10_000, 100_000
NONE = (["None"], ["none"])
"""An optional tensor that isn't given, as the front end's functions take it."""
_MEMBER = re.compile(r"(\w+)\[(\d{1,4})\]")
_SHAPE_TEXT = re.compile(r"\d+(?:x\d+)+")


@dataclass(frozen=True)
class HandwrittenCase:
    """The inputs of one or several cases, which differ only by their dtype; `operator` is the user's name for it.

    `dtypes` apply to tensors that state none; empty means the rule's dtype. `training` is the mode; None means the mode
    of the rule. `place` is where it was written, for messages; empty for a command line. `absent` are the optional
    tensors that the user gives as None. `calls` is how often the recorded program of this name makes the call, and
    `all_calls` how many calls it makes.
    """

    operator: str
    inputs: Mapping[str, Tensors]
    params: Mapping[str, Value] = field(default_factory=dict)
    dtypes: tuple[str, ...] = ()
    profile: str = USER_PROFILE
    place: str = ""
    training: bool | None = None
    absent: tuple[str, ...] = ()
    calls: Mapping[str, int] = field(default_factory=dict)
    all_calls: Mapping[str, int] = field(default_factory=dict)

    @property
    def cases(self) -> int:
        """The number of cases."""
        return max(1, len(self.dtypes))


class OwnInputs(msgspec.Struct, frozen=True):
    """The inputs on a command line: the texts of `--input NAME=SHAPE,...` and `--param NAME=VALUE,...`."""

    inputs: tuple[str, ...] = ()
    params: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.inputs or self.params)

    def exclude(self, files: Collection[object]) -> None:
        """Raises UsageError for files of cases beside these inputs."""
        if self and files:
            raise UsageError("--cases and --input exclude each other: give one of them")

    def notes(self) -> Iterator[str]:
        """A note for each list of plain numbers, which may be meant as one shape."""
        for word in self.inputs:
            name, _, text = word.partition("=")
            sizes = [part.strip() for part in text.split(",")]
            if len(sizes) > 1 and all(size.isdecimal() for size in sizes):
                yield (
                    f"note: --input {word} is {len(sizes)} cases of one dimension each; one case of {len(sizes)} "
                    f"dimensions is written {name}={'x'.join(sizes)}"
                )


def handwritten_cases(operator: str, own: OwnInputs, dtypes: Sequence[str] = ()) -> list[HandwrittenCase]:
    """The cases of a command line: shapes are matched by their position, values of parameters are combined.

    Raises UsageError for texts that say nothing, or different numbers of shapes.
    """
    texts = dict(_values("--input", own.inputs, "data=128x64"))
    absent = tuple(name for name, given in texts.items() if given in NONE)
    tensors = {name: [parse_tensors(text) for text in given] for name, given in texts.items() if name not in absent}
    params = {name: [parse_value(text) for text in texts] for name, texts in _values("--param", own.params, "axis=-1")}
    written = [
        HandwrittenCase(operator, inputs, values, tuple(dtypes), absent=absent)
        for inputs in by_position(tensors)
        for values in _combined(params)
    ]
    return check_count(written)


def check_count(written: list[HandwrittenCase]) -> list[HandwrittenCase]:
    """The cases. Raises UsageError for too many of them; recorded calls may be more."""
    number = sum(item.cases for item in written)
    most = MAX_RECORDED if any(item.calls for item in written) else MAX_CASES
    if number > most:
        raise UsageError(f"invalid inputs: they make {number:,} cases; expected at most {most:,}")
    return written


def _values(option: str, words: Sequence[str], example: str) -> Iterator[tuple[str, list[str]]]:
    """The texts of the values by name; an option that is repeated for a name adds to its list."""
    values: dict[str, list[str]] = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals or not name.strip():
            raise UsageError(f"invalid {option} {word!r}: expected NAME=VALUE, such as {example}")
        if not all(parts := split_list(text)):
            raise UsageError(f"invalid {option} {word!r}: expected a value, such as {example}")
        values.setdefault(name.strip(), []).extend(parts)
    for name, texts in values.items():
        repeated = next((text for number, text in enumerate(texts) if text in texts[:number]), None)
        if option == "--param" and repeated is not None:
            raise UsageError(
                f"invalid --param {name}: {repeated} is given twice; several values are several cases, and a tuple is "
                f"written in parentheses: {name}=({','.join(texts)})"
            )
        if option == "--param" and len({"->" in text for text in texts}) > 1:
            text = ",".join(texts)
            raise UsageError(
                f"invalid --param {name}={text}: the commas make {len(texts)} values of it, which are several cases; "
                f"one text is written in quotes: --param '{name}=\"{text}\"'"
            )
    yield from values.items()


def by_position(tensors: Mapping[str, list[Tensors]]) -> Iterator[dict[str, Tensors]]:
    """The first shapes of all tensors, the second ones, ...; a tensor of one shape has it in every case.

    Raises UsageError for different numbers of shapes.
    """
    counts = {name: len(shapes) for name, shapes in tensors.items() if len(shapes) > 1}
    if len(set(counts.values())) > 1:
        numbers = " and ".join(f"{count} of {name}" for name, count in counts.items())
        raise UsageError(
            f"invalid inputs: shapes are matched by position, but there are {numbers}; expected as many of each, or one"
        )
    for number in range(max(counts.values(), default=1)):
        yield with_lists({name: shapes[number if name in counts else 0] for name, shapes in tensors.items()})


def distinctions(written: Sequence[HandwrittenCase]) -> Iterator[str]:
    """How each case differs from the others: `pool_type=lp, data=(2, 3)`."""
    given = [{**case.inputs, **case.params} for case in written]
    differing = [name for name in given[0] if any(other.get(name) != given[0][name] for other in given)]
    for values in given:
        yield ", ".join(f"{name}={_in_words(values[name])}" for name in differing)


def _in_words(value: Tensors | Value) -> str:
    if isinstance(value, Draft):
        return str(value.shape)
    if isinstance(value, tuple):
        return f"({', '.join(map(_in_words, value))})"
    return str(value)


def _combined(params: Mapping[str, list[Value]]) -> Iterator[dict[str, Value]]:
    for values in itertools.product(*params.values()):
        yield dict(zip(params, values, strict=True))


def with_lists(tensors: Mapping[str, Tensors]) -> dict[str, Tensors]:
    """The tensors with members of lists (`data[0]`, `data[1]`) under the list's name. Raises UsageError for a gap."""
    result: dict[str, Tensors] = {}
    for name, tensor in tensors.items():
        match = _MEMBER.fullmatch(name)
        if match is None:
            result[name] = tensor
            continue
        members = result.get(match[1], ())
        if isinstance(tensor, tuple) or not isinstance(members, tuple) or len(members) != int(match[2]):
            expected = f"{match[1]}[{len(members)}]" if isinstance(members, tuple) else match[1]
            raise UsageError(f"invalid input {name!r}: expected {expected}, or {match[1]}=[SHAPE, SHAPE]")
        result[match[1]] = (*members, tensor)
    return result


def typed(written: HandwrittenCase, operator: Operator) -> HandwrittenCase:
    """The case with values of the parameters' types, where the text has an obvious one: 2 is 2.0 for a float.

    A single tensor where the operator has a list of them is a list of one.
    """
    params = {name: _typed(operator, name, value) for name, value in written.params.items()}
    lists = {tensor.name for tensor in operator.tensors if tensor.kind is TensorKind.VARIADIC}
    inputs = {
        name: (value,) if name in lists and isinstance(value, Draft) else value
        for name, value in written.inputs.items()
    }
    return replace(written, inputs=inputs, params=params)


def _typed(operator: Operator, name: str, value: Value) -> Value:
    parameter = operator.parameter(name)
    form = parameter.type.form if parameter else None
    if form is Form.FLOAT and type(value) is int:
        return float(value)
    if form is Form.BOOLEAN and type(value) is int and value in (0, 1):
        return bool(value)
    if form in (Form.SHAPE, Form.TUPLE) and isinstance(value, str) and _SHAPE_TEXT.fullmatch(value):
        return parse_shape(value)
    if form in (Form.STRING, Form.ENUM) and type(value) in (int, float):
        # MXNet's enums have numbers among their names, and it compares texts.
        return str(value)
    return value
