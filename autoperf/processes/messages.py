"""Shortens the error messages of an engine in C++ to one sentence, without source locations and stack traces."""

from __future__ import annotations

import re

_TRACE = re.compile(r"\n?(Stack trace|Call stack)\b.*", re.DOTALL)
_PYTHON_STYLE = re.compile(r'^Traceback \(most recent call last\):\n(?:\s+(?:File "|\[bt\]|\d+: ).*\n?)*', re.MULTILINE)
# Anchored at the start of a word: otherwise matching takes quadratic time.
LOCATION = re.compile(r"(?<!\S)(?:\[\d\d:\d\d:\d\d\] )?\S+\.(?:cc|cu|cuh|h|hpp):\d+: ")
_CLOCK = re.compile(r"\[\d\d:\d\d:\d\d\] ")
_CLASS = re.compile(r"^(?:\w*Error|Exception): ")
_LISTING = re.compile(r",? Possible Arguments:.*", re.DOTALL)
_OPERATOR = re.compile(r"^Error in operator \S+: ")
# How Gluon introduces MXNet's message when a layer can't deduce the shapes of its parameters.
_DEFERRED = re.compile(r"^Deferred initialization failed because shape cannot be inferred\.?\s*")
_SENTENCE_END = re.compile(r"(?<=[\w)\]\"'>`])[.!?](?=\s+[A-Z\"'])")
MAX_CHARACTERS = 400


def first_sentence(text: str) -> str:
    """The first sentence of a message: without time, source location and stack trace, on one line.

    `Check failed: ...` stays, since it is often a check's only text. A sentence of more than 400 characters
    is cut with an ellipsis. An empty message gives "no message was given".
    """
    message = _TRACE.sub("", text.strip())
    message = _PYTHON_STYLE.sub("", message)
    for pattern in (LOCATION, _CLOCK):
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
    return message or "no message was given"
