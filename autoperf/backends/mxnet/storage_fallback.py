"""Which operators convert sparse tensors to dense ones in each call, as MXNet's log says."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator

_DETECTED = re.compile(r"Storage type fallback detected:\noperator = (\S+)\ninput storage types = \[(.*?),? *\]")


@contextlib.contextmanager
def logged_fallbacks(found: list[str]) -> Iterator[None]:
    """A context whose end adds to `found` a sentence for each fall-back; what else is logged in it is lost.

    Only for a fork of its own: it redirects the error output of the process.
    """
    log, output = os.memfd_create("log"), os.dup(2)
    os.dup2(log, 2)
    try:
        yield
    finally:
        os.dup2(output, 2)
        text = os.pread(log, os.fstat(log).st_size, 0).decode(errors="replace")
        os.close(log)
        os.close(output)
        found += fallbacks(text)


def fallbacks(log: str) -> list[str]:
    """A sentence for each fall-back in a log of MXNet."""
    return [
        f"{operator} has no kernel for inputs of storage {types}: MXNet converts them to dense ones in each call"
        for operator, types in dict.fromkeys(_DETECTED.findall(log))
    ]
