"""Reads MXNet's error texts: the one sentence that says what is wrong, without C++ places and stack traces."""

from __future__ import annotations

import re

_TRACE = re.compile(r"\n?(Stack trace|Call stack)\b.*", re.DOTALL)
_PYTHON_STYLE = re.compile(r'^Traceback \(most recent call last\):\n(?:\s+(?:File "|\[bt\]|\d+: ).*\n?)*', re.MULTILINE)
# It begins where a word does: to look from within words takes the square of their length.
_PLACE = re.compile(r"(?<!\S)(?:\[\d\d:\d\d:\d\d\] )?\S+\.(?:cc|cu|cuh|h|hpp):\d+: ")
_CLOCK = re.compile(r"\[\d\d:\d\d:\d\d\] ")
_CLASS = re.compile(r"^(?:\w*Error|Exception): ")
_LISTING = re.compile(r",? Possible Arguments:.*", re.DOTALL)
_OPERATOR = re.compile(r"^Error in operator \S+: ")
_SENTENCE_END = re.compile(r"(?<=[\w)\]\"'>`])[.!?](?=\s+[A-Z\"'])")
LONGEST = 400


def first_sentence(text: str) -> str:
    """The first sentence of an MXNet message: no clock, no C++ place, no stack trace, on one line.

    `Check failed: ...` stays, since it is often all that a check has to say. A sentence of more than 400
    characters is cut with an ellipsis. An empty message gives "MXNet gave no message".
    """
    message = _TRACE.sub("", text.strip())
    message = _PYTHON_STYLE.sub("", message)
    for pattern in (_PLACE, _CLOCK):
        message = pattern.sub("", message)
    message = _OPERATOR.sub("", _CLASS.sub("", _LISTING.sub("", message.strip())))
    message = " ".join(message.split())
    end = _SENTENCE_END.search(message)
    if end:
        message = message[: end.start()]
    message = message.strip().rstrip(":").removesuffix(".").strip()
    if len(message) > LONGEST:
        message = message[: LONGEST - 1].rstrip() + "…"
    return message or "MXNet gave no message"
