"""Reads files of handwritten and recorded cases: YAML, JSON, TOML or CSV."""

from __future__ import annotations

import csv
import io
import itertools
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from autoperf.cases.handwritten import MAX_RECORDED, USER_PROFILE, HandwrittenCase, by_position, check_count
from autoperf.cases.shorthand import (
    MAX_TEXT,
    Tensors,
    check_shape,
    check_value,
    parse_tensor,
    parse_tensors,
    parse_value,
    split_list,
)
from autoperf.core.errors import AutoperfError, CaseFileError, UnknownNameError, UsageError
from autoperf.core.files import read_input
from autoperf.core.tensors import distinct_dtypes
from autoperf.rules.rule import Draft, check_profile

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


class _Loader(yaml.SafeLoader):
    """PyYAML's safe loader without surprises.

    YAML 1.1 reads `no` as false, `0x3` as a hexadecimal number and `1:30` as ninety; here they are texts. Anchors are
    refused, since a few nested ones stand for gigabytes, and so are keys that occur twice.
    """

    def compose_node(self, parent: Any, index: Any) -> Any:
        event = self.peek_event()  # type: ignore[no-untyped-call]
        if getattr(event, "anchor", None) is not None:
            raise yaml.constructor.ConstructorError(None, None, "anchors are not supported", event.start_mark)
        return super().compose_node(parent, index)

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        keys = set[object]()
        for key_node, _ in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                raise yaml.constructor.ConstructorError(None, None, "a key must be a text", key_node.start_mark)
            if key_node.value in keys:
                problem = f"the key {key_node.value!r} occurs twice"
                raise yaml.constructor.ConstructorError(None, None, problem, key_node.start_mark)
            keys.add(key_node.value)
        return super().construct_mapping(node, deep)

    def construct_object(self, node: Any, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep)
        except (ValueError, LookupError, AttributeError):
            # PyYAML expects that a text under a tag such as `!!bool` fits it.
            if not isinstance(node, yaml.ScalarNode):
                raise
            kind = node.tag.rpartition(":")[2]
            problem = f"invalid {kind} {node.value!r:.80}: quote it, without a tag, if it is a text"
            raise yaml.constructor.ConstructorError(None, None, problem, node.start_mark) from None


_Loader.yaml_implicit_resolvers = {}
for _tag, _pattern, _first in (
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("int", r"[-+]?(?:0|[1-9][0-9]{0,18})", "-+0123456789"),
    ("float", r"[-+]?(?:(?:\.[0-9]+|[0-9]+\.[0-9]*)(?:[eE][-+]?[0-9]+)?|[0-9]+[eE][-+]?[0-9]+)", "-+.0123456789"),
    ("null", r"~|null|Null|NULL|None|none|", "~nN"),
):
    _Loader.add_implicit_resolver(
        f"tag:yaml.org,2002:{_tag}", re.compile(f"(?:{_pattern})$"), [*_first, *([""] if _tag == "null" else [])]
    )


def load_yaml(text: str) -> object:
    """The document. Raises yaml.YAMLError and ValueError."""
    return yaml.load(text, _Loader)  # noqa: S506 - a subclass of the safe loader


MAX_BYTES, MAX_RECORDED_BYTES = 2**20, 2**25
"""The bytes of a file; recorded calls, which programs write, may be more, in the formats that are read quickly."""
CASES = "cases"
KEYS = ("operator", "inputs", "params", "dtype", "name", "count")
_TABLES = ("inputs", "params")
_EXPECTED = f"expected a list of cases, or a table with such a list as {CASES!r}"
_EXPECTED_ROWS = "expected a heading such as operator,inputs.data,count, and a row for each call"
MAX_CALLS = 10**12
_EXPECTED_COUNT = f"expected how often the call is made, a whole number from 1 to {MAX_CALLS:,}"


def is_handwritten(path: Path) -> bool:
    """Whether the name is a file name of handwritten cases."""
    return path.suffix.lower() in _LOADERS


def read_handwritten(path: Path) -> list[HandwrittenCase]:
    """The cases of a file. Raises CaseFileError that names the case by its number."""
    try:
        entries = _entries(path, _document(path))
        if len(entries) > MAX_RECORDED:
            raise CaseFileError(f"{path} has {len(entries):,} cases; expected at most {MAX_RECORDED:,}")
        written = [item for number, entry in enumerate(entries, 1) for item in _located(path, number, entry)]
        if not written:
            expected = _EXPECTED_ROWS if path.suffix.lower() == ".csv" else _EXPECTED
            raise CaseFileError(f"{path} has no cases: {expected}")
        if any(isinstance(entry, dict) and "count" in entry for entry in entries):
            total = {path.stem: sum(call for item in written for call in item.calls.values())}
            written = [replace(item, all_calls=total) if item.calls else item for item in written]
        return check_count(written)
    except UsageError as error:
        raise CaseFileError(f"{path}: {error}") from None


def _document(path: Path) -> object:
    try:
        limit = MAX_RECORDED_BYTES if path.suffix.lower() in (".json", ".csv") else MAX_BYTES
        text = read_input(path, max_bytes=limit).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise CaseFileError(f"{path}: invalid file: expected UTF-8 text") from None
    load = _LOADERS[path.suffix.lower()]
    try:
        return load(text)
    except yaml.MarkedYAMLError as error:
        line = f", line {error.problem_mark.line + 1}" if error.problem_mark else ""
        raise CaseFileError(f"{path}{line}: invalid YAML: {error.problem}") from None
    except (ValueError, yaml.YAMLError, RecursionError) as error:
        detail = " ".join(str(error).split())
        raise CaseFileError(f"{path}: invalid {path.suffix[1:].upper()}: {detail}") from None


def _entries(path: Path, document: object) -> Sequence[object]:
    if isinstance(document, dict):
        columns = list(document.values()) if path.suffix.lower() == ".json" and CASES not in document else []
        if any(columns) and all(isinstance(values, list) for values in columns):
            return _recorded(path, document)
        for key in document:
            if key != CASES:
                raise CaseFileError(f"{path}: {UnknownNameError('key', str(key), (CASES,))}")
        document = document.get(CASES)
    if not isinstance(document, list):
        raise CaseFileError(f"{path}: invalid content: {_EXPECTED}")
    return document


def _recorded(path: Path, columns: Mapping[str, list[Any]]) -> Sequence[object]:
    """The calls of a file of DLOP-Bench: a column for each argument, named by the file's operator and a number.

    Columns of shapes are the operator's tensors, in order; others need names: `params.axis`. Equal calls are counted.
    """

    def are_shapes(values: list[Any]) -> bool:
        return all(isinstance(value, list) and all(type(size) is int for size in value) for value in values)

    lengths = {len(values) for values in columns.values()}
    unnamed = [key for key, values in columns.items() if "." not in key and not are_shapes(values)]
    if len(lengths) > 1 or unnamed:
        problem = f"{unnamed[0]} has other values than shapes" if unnamed else "its columns differ in length"
        raise CaseFileError(f"{path}: invalid columns: {problem}: name such a column inputs.NAME or params.NAME")
    place = itertools.count()
    keys = [key if "." in key else f"inputs.{next(place)}" for key in columns]
    counts = Counter(json.dumps(row) for row in zip(*columns.values(), strict=True))
    operator = {"operator": path.stem.removesuffix("BP")}
    return [_entry_of({**operator, **dict(zip(keys, json.loads(row), strict=True))}, counts[row]) for row in counts]


def _located(path: Path, number: int, entry: object) -> Iterator[HandwrittenCase]:
    name = entry.get("operator") if isinstance(entry, dict) else None
    place = f"{path}, case {number}" + (f" ({name})" if isinstance(name, str) and len(name) <= MAX_TEXT else "")
    try:
        yield from _written(place, entry, path.stem)
    except AutoperfError as error:
        raise CaseFileError(f"{place}: {error}") from None


def _written(place: str, entry: object, program: str) -> Iterator[HandwrittenCase]:
    if not isinstance(entry, dict):
        raise UsageError(f"invalid case {entry!r}: expected a table with {', '.join(KEYS)}")
    for key in entry:
        if key not in KEYS:
            raise UnknownNameError("key", str(key), KEYS)
    operator = entry.get("operator")
    if not isinstance(operator, str) or not operator:
        raise UsageError(f"invalid operator {operator!r}: expected a name")
    profile = entry.get("name", USER_PROFILE)
    check_profile("name", profile)
    if "," in str(profile):
        raise UsageError(f"invalid name {profile!r}: expected no comma, which separates the names of --input-profile")
    params = {name: check_value(value) for name, value in _table(entry, "params").items()}
    given = _table(entry, "inputs")
    tensors = {name: _shapes(name, value) for name, value in given.items() if value is not None}
    absent = tuple(name for name in given if name not in tensors)
    calls = {program: entry["count"]} if "count" in entry else {}
    for count in calls.values():
        if type(count) is not int or not 1 <= count <= MAX_CALLS:
            raise UsageError(f"invalid count {count!r:.80}: {_EXPECTED_COUNT}")
    named = entry.get("dtype")
    names = split_list(named) if isinstance(named, str) else [] if named is None else named
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise UsageError(f"invalid dtype {named!r}: expected a name or a list of names")
    dtypes = distinct_dtypes(names)
    for inputs in by_position(tensors):
        yield HandwrittenCase(operator, inputs, params, dtypes, profile, place, absent=absent, calls=calls)


def _table(entry: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    table = {} if entry.get(key) is None else entry[key]
    if not isinstance(table, dict) or not all(isinstance(name, str) for name in table):
        raise UsageError(f"invalid {key} {table!r}: expected a table of names and values; in CSV, columns {key}.NAME")
    return table


def _shapes(name: str, value: object) -> list[Tensors]:
    """The tensors of this name, one for each case; a text has the form that it has on the command line."""
    if isinstance(value, str):
        return [parse_tensors(text) for text in split_list(value)]
    if isinstance(value, list) and not all(type(item) is int for item in value):
        return [tuple(_tensor(name, item) for item in value)]
    return [_tensor(name, value)]


def _tensor(name: str, value: object) -> Draft:
    if isinstance(value, str):
        return parse_tensor(value)
    sizes: list[object] = value if isinstance(value, list) else [value]
    whole = tuple(size for size in sizes if type(size) is int)
    if len(whole) == len(sizes):
        return Draft(check_shape(whole))
    raise UsageError(f"invalid input {name}: {value!r}: expected a shape such as 128x30522 or [128, 30522]")


def _load_json(text: str) -> object:
    def refuse_number(name: str) -> float:
        raise ValueError(f"invalid number {name}: expected a finite one, as JSON has them")

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        table = dict[str, Any]()
        for key, value in pairs:
            if key in table:
                raise ValueError(f"the key {key!r} occurs twice")
            table[key] = value
        return table

    return json.loads(text, object_pairs_hook=unique, parse_constant=refuse_number)


def _load_csv(text: str) -> object:
    """A case for each row; equal rows are one, whose counts are added. Raises ValueError."""
    rows = csv.DictReader(io.StringIO(text), strict=True)
    counts: Counter[tuple[tuple[str, str], ...]] = Counter()
    try:
        if repeated := [name for name, times in Counter(rows.fieldnames or ()).items() if name and times > 1]:
            raise ValueError(f"the column {repeated[0]!r} occurs twice")
        for row in rows:
            given = {key: value.strip() for key, value in row.items() if isinstance(value, str) and value.strip()}
            if None in row:
                raise ValueError(f"line {rows.line_num} has more values than the heading")
            number = given.pop("count", "1")
            if not (number.isdecimal() and 1 <= int(number[:20]) <= MAX_CALLS):
                raise ValueError(f"line {rows.line_num}: invalid count {number!r:.80}: {_EXPECTED_COUNT}")
            counts[tuple(given.items())] += int(number)
    except csv.Error as error:
        raise ValueError(f"line {rows.line_num}: {error}") from None
    return [_entry_of(dict(row), count) for row, count in counts.items()]


def _entry_of(row: Mapping[str, object], count: int) -> dict[str, object]:
    """A row as YAML has it: `inputs.data` is the tensor `data`, `params.axis` the parameter `axis`."""
    entry: dict[str, Any] = {"count": count}
    for key, value in row.items():
        table, dot, name = key.partition(".")
        if dot and name and table in _TABLES:
            is_text = table == "params" and isinstance(value, str)
            entry.setdefault(table, {})[name] = parse_value(str(value)) if is_text else value
        else:
            entry[key] = value
    return entry


_LOADERS: Mapping[str, Callable[[str], object]] = {
    ".yaml": load_yaml,
    ".yml": load_yaml,
    ".json": _load_json,
    ".toml": tomllib.loads,
    ".csv": _load_csv,
}
