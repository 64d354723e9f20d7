"""Shortens MXNet's error messages to one sentence, without source locations and stack traces."""

from __future__ import annotations

import re

_TRACE = re.compile(r"\n?(Stack trace|Call stack)\b.*", re.DOTALL)
_PYTHON_STYLE = re.compile(r'^Traceback \(most recent call last\):\n(?:\s+(?:File "|\[bt\]|\d+: ).*\n?)*', re.MULTILINE)
# Anchored at the start of a word: otherwise matching takes quadratic time.
_LOCATION = re.compile(r"(?<!\S)(?:\[\d\d:\d\d:\d\d\] )?\S+\.(?:cc|cu|cuh|h|hpp):\d+: ")
_CLOCK = re.compile(r"\[\d\d:\d\d:\d\d\] ")
_CLASS = re.compile(r"^(?:\w*Error|Exception): ")
_LISTING = re.compile(r",? Possible Arguments:.*", re.DOTALL)
_OPERATOR = re.compile(r"^Error in operator \S+: ")
_NODE = re.compile(r"\bError in operator (\S+): ")
# How Gluon introduces MXNet's message when a layer can't deduce the shapes of its parameters.
_DEFERRED = re.compile(r"^Deferred initialization failed because shape cannot be inferred\.?\s*")
# What only the engine's messages have; Gluon hands them on in exceptions of Python's own classes too.
_OF_ENGINE = re.compile(
    rf"{_LOCATION.pattern}|^Error in operator |^\s+File \"[^\"\n]*\.(?:cc|cu|cuh|h|hpp)\"", re.MULTILINE
)
_PACKAGE = "mxnet"
_SENTENCE_END = re.compile(r"(?<=[\w)\]\"'>`])[.!?](?=\s+[A-Z\"'])")
MAX_CHARACTERS = 400


def first_sentence(text: str) -> str:
    """The first sentence of an MXNet message: without time, source location and stack trace, on one line.

    `Check failed: ...` stays, since it is often a check's only text. A sentence of more than 400 characters
    is cut with an ellipsis. An empty message gives "MXNet gave no message".
    """
    message = _TRACE.sub("", text.strip())
    message = _PYTHON_STYLE.sub("", message)
    for pattern in (_LOCATION, _CLOCK):
        message = pattern.sub("", message)
    message = _DEFERRED.sub("", _CLASS.sub("", _LISTING.sub("", message.strip())))
    message = _CLASS.sub("", _OPERATOR.sub("", message))
    message = " ".join(message.split())
    end = _SENTENCE_END.search(message)
    if end:
        message = message[: end.start()]
    message = message.strip().rstrip(":").removesuffix(".").strip()
    if len(message) > MAX_CHARACTERS:
        message = message[: MAX_CHARACTERS - 1].rstrip() + "…"
    return message or "MXNet gave no message"


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
