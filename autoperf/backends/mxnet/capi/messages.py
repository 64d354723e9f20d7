"""Reads MXNet's error messages: the node they are about, and exceptions that hold one."""

from __future__ import annotations

import re

from autoperf.processes.messages import LOCATION, first_sentence

_NODE = re.compile(r"\bError in operator (\S+): ")
# What only the engine's messages have; Gluon hands them on in exceptions of Python's own classes too.
_OF_ENGINE = re.compile(
    rf"{LOCATION.pattern}|^Error in operator |^\s+File \"[^\"\n]*\.(?:cc|cu|cuh|h|hpp)\"", re.MULTILINE
)
_PACKAGE = "mxnet"


def failing_node(text: str) -> str:
    """The node of a graph that an MXNet message is about; empty if it names none."""
    node = _NODE.search(text)
    return node[1] if node else ""


def exception_text(error: BaseException) -> str:
    """The class and message of an exception, on one line; of one with a message of MXNet's engine, its first sentence.

    Errors of MXNet's package are named by their message alone.
    """
    text = str(error)
    if type(error).__module__.partition(".")[0] == _PACKAGE:
        return first_sentence(text)
    if _OF_ENGINE.search(text):
        text = first_sentence(text)
    return f"{type(error).__name__}: {' '.join(text.split())}".removesuffix(": ")
