"""The framework that another one follows: its build, whose results it has to have, and its number of threads."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec

from autoperf.backends.lookup import backend_of
from autoperf.measurement.managed_process import ManagedProcess
from autoperf.measurement.settings import Settings

THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
"""The variables by which libraries of frameworks count their threads."""


class Followed(NamedTuple):
    """The library and the settings of a framework that is followed, and variables for as many threads as it has."""

    build: tuple[Path, Settings]
    threads: Mapping[str, str] = {}


def thread_variables(threads: int | None) -> Mapping[str, str]:
    """The variables for this number of threads; none if it isn't known."""
    return dict.fromkeys(THREADS, str(threads)) if threads else {}


def followed_by(settings: Settings, library: Path, scratch: Path) -> Followed:
    """The framework that a side follows, by this library. Raises AutoperfError if the library can't be used."""
    own = msgspec.structs.replace(settings, framework=backend_of(settings.framework).follows)
    process = ManagedProcess("quick_timing", library, own, scratch)
    try:
        process.start()
        threads = process.wait_ready().threads
    finally:
        process.stop()
    return Followed((library, own), thread_variables(threads))
