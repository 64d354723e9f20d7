"""Symbol files: networks as MXNet's JSON, as `HybridBlock.export` and `Symbol.save` write them."""

from __future__ import annotations

from pathlib import Path

import msgspec

from autoperf.core.errors import CaseFileError, UnknownNameError
from autoperf.core.inputs import read_input

_VARIABLE = "null"


class _FileNode(msgspec.Struct):
    op: str
    name: str


class _FileGraph(msgspec.Struct):
    nodes: list[_FileNode]


def read_symbol(path: Path) -> str:
    """The text of a symbol file. Raises CaseFileError if it isn't one."""
    try:
        text = read_input(path).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise CaseFileError(f"invalid symbol file {path}: expected UTF-8 text") from None
    try:
        _variables(text)
    except msgspec.MsgspecError as error:
        raise CaseFileError(f"invalid symbol file {path}: expected MXNet's JSON of a symbol: {error}") from None
    return text


def check_variables(name: str, text: str, inputs: list[str]) -> None:
    """Raises UnknownNameError for an input that is no variable of the graph."""
    known = _variables(text)
    for variable in inputs:
        if variable not in known:
            raise UnknownNameError(f"input of {name}", variable, known)


def _variables(text: str) -> list[str]:
    graph = msgspec.json.decode(text, type=_FileGraph)
    return [node.name for node in graph.nodes if node.op == _VARIABLE]
