"""Guesses the kind of a file that was named in place of one of autoperf's own, from its first line."""

from __future__ import annotations

import re

_STARTS = (
    (rb"\x1f\x8b", "a gzip archive, which has to be unpacked"),
    (rb"PK\x03\x04", "a zip archive, which has to be unpacked"),
    (rb"\x28\xb5\x2f\xfd", "a zstd archive, which has to be unpacked"),
    (rb"\x89PNG|GIF8|\xff\xd8\xff", "an image"),
    (rb"\x7fELF", "a library or a program"),
    (rb".{8}DUCK", "a history: `autoperf history` reads it"),
    (rb"(?s:.*)\x00", "a binary file"),
    (rb"\s*<(?:!doctype html|html)", "an HTML page"),
    (rb"\s*<\?xml|\s*<\w+", "an XML file"),
    (rb"\s*\[", "a JSON document"),
    (rb"\s*\{", "a JSON document of several lines, such as a report"),
    (rb"[|#]", "Markdown"),
    (rb"(?:import|from|def|class)\s|\x22\x22\x22|#!", "a Python file"),
    (rb"[^,]+(?:,[^,]*){2,}$", "CSV"),
    (rb"[\w-]+:(?:\s|$)", "a YAML file"),
)
_KINDS = tuple((re.compile(pattern, re.IGNORECASE), kind) for pattern, kind in _STARTS)


def kind_of(first_line: bytes) -> str:
    """The kind of a file with this first line: "an HTML page"; "text" if nothing else fits."""
    line = first_line.rstrip(b"\r\n")
    return next((kind for pattern, kind in _KINDS if pattern.match(line)), "text")
