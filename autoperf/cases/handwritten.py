"""Cases written by hand: an operator's tensors and parameters, except for those that are deduced."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import msgspec

from autoperf.cases.shorthand import Tensors, parse_shape, parse_tensors, parse_value, split_list
from autoperf.core.errors import UsageError
from autoperf.core.operator import Form, Operator, TensorKind, Value
from autoperf.rules.rule import Draft

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
    texts = _values("--input", own.inputs, "data=128x64")
    absent = tuple(name for name, given in texts.items() if given in NONE)
    tensors = {name: [parse_tensors(text) for text in given] for name, given in texts.items() if name not in absent}
    params = _values("--param", own.params, "axis=-1")
    values = [[parse_value(text) for text in given] for given in params.values()]
    written = [
        HandwrittenCase(operator, inputs, dict(zip(params, chosen, strict=True)), tuple(dtypes), absent=absent)
        for inputs in by_position(tensors)
        for chosen in itertools.product(*values)
    ]
    return check_count(written)


def check_count(written: list[HandwrittenCase]) -> list[HandwrittenCase]:
    """The cases. Raises UsageError for too many of them; recorded calls may be more."""
    number = sum(item.cases for item in written)
    most = MAX_RECORDED if any(item.calls for item in written) else MAX_CASES
    if number > most:
        raise UsageError(f"invalid inputs: they make {number:,} cases; expected at most {most:,}")
    return written


def _values(option: str, words: Sequence[str], example: str) -> dict[str, list[str]]:
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
        repeated, text = [text for number, text in enumerate(texts) if text in texts[:number]], ",".join(texts)
        if option == "--param" and repeated:
            raise UsageError(
                f"invalid --param {name}: {repeated[0]} is given twice; several values are several cases, and a tuple "
                f"is written in parentheses: {name}=({text})"
            )
        if option == "--param" and len({"->" in text for text in texts}) > 1:
            raise UsageError(
                f"invalid --param {name}={text}: the commas make {len(texts)} values of it, which are several cases; "
                f"one text is written in quotes: --param '{name}=\"{text}\"'"
            )
    return values


def by_position(tensors: Mapping[str, list[Tensors]]) -> Iterator[dict[str, Tensors]]:
    """The first shapes of all, the second, ...; a single one is in all. Raises UsageError for different numbers."""
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
    if isinstance(value, tuple):
        return f"({', '.join(map(_in_words, value))})"
    return str(value.shape if isinstance(value, Draft) else value)


def with_lists(tensors: Mapping[str, Tensors]) -> dict[str, Tensors]:
    """The tensors, those such as `data[0]` as lists. Raises UsageError for a gap, and a list beside its members."""
    result: dict[str, Tensors] = {}
    lists: dict[str, tuple[Draft, ...]] = {}
    for name, tensor in tensors.items():
        match = _MEMBER.fullmatch(name)
        if match is None:
            result[name] = tensor
            continue
        stem, members = match[1], lists.get(match[1], ())
        if stem in tensors:
            raise UsageError(
                f"invalid input {stem!r}: its members are given too; expected them alone, or {stem}=[SHAPE, SHAPE]"
            )
        if isinstance(tensor, tuple):
            raise UsageError(f"invalid input {name!r}: expected one tensor, or all of them as {stem}=[SHAPE, SHAPE]")
        if len(members) != int(match[2]):
            raise UsageError(f"invalid input {name!r}: expected {stem}[{len(members)}], or {stem}=[SHAPE, SHAPE]")
        result[stem] = lists[stem] = (*members, tensor)
    return result


def typed(written: HandwrittenCase, operator: Operator) -> HandwrittenCase:
    """The case with values of the parameters' types, 2.0 for 2, and lists of one where an operator has a list."""
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
