"""One MXNet release, opened: its registry, its inference, and the rules that speak for its operators."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from autoperf.capi.library import find_library
from autoperf.core.operator import Registry
from autoperf.core.versions import check_numpy
from autoperf.registry.client import RegistryClient
from autoperf.rules.catalog import Catalog, catalog


@dataclass(frozen=True)
class Release:
    """The library's path, what it registers, the client that asks it, and the rules."""

    library: Path
    registry: Registry
    client: RegistryClient
    catalog: Catalog


@contextmanager
def open_release(hint: str | None = None) -> Iterator[Release]:
    """Find MXNet and crawl it (or read what was crawled before).

    Raises UsageError for an unsupported NumPy, LibraryError, RegistryError and RuleError.
    """
    check_numpy(importlib.metadata.version("numpy"))
    library = find_library(hint)
    with RegistryClient(library) as client:
        yield Release(library, client.registry(), client, catalog())
