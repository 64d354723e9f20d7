"""One MXNet release, opened: its registry, its inference, and the rules that speak for its operators."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from autoperf.capi.library import find_library
from autoperf.core.errors import UnknownNameError
from autoperf.core.operator import Registry
from autoperf.core.versions import check_numpy
from autoperf.registry.client import RegistryClient
from autoperf.registry.names import Names
from autoperf.rules.catalog import Catalog, catalog
from autoperf.rules.front_end import FRONT_END
from autoperf.rules.own import own_rules


@dataclass(frozen=True)
class Release:
    """The library's path, what it registers, the client that asks it, and the rules."""

    library: Path
    registry: Registry
    client: RegistryClient
    catalog: Catalog

    def unknown_names(self) -> Iterator[str]:
        """What is wrong with each name for which a user's own rules speak, and which this release doesn't register."""
        known = {name for operator in self.registry.operators for name in operator.names}
        named = self.catalog.own.named if self.catalog.own else {}
        for name in sorted(named.keys() - known):
            problem = UnknownNameError("operator", name, known)
            yield f"{named[name].source} speaks for what MXNet {self.registry.mxnet} doesn't register: {problem}"

    def name_notes(self, operators: Sequence[str]) -> list[str]:
        """For which operators Python functions were taken, such as broadcast_add for `nd.add`. Raises UsageError."""
        return Names(self.registry, FRONT_END).notes(operators)


@contextmanager
def open_release(hint: str | None = None, rules: Sequence[Path] = ()) -> Iterator[Release]:
    """Find MXNet and crawl it (or read what was crawled before); `rules` are files and folders of a user's own rules.

    Raises UsageError for an unsupported NumPy, LibraryError, RegistryError and RuleError.
    """
    check_numpy(importlib.metadata.version("numpy"))
    library = find_library(hint)
    own = own_rules(rules) if rules else None
    with RegistryClient(library) as client:
        registry = client.registry()
        known = catalog().for_release(registry.mxnet)
        yield Release(library, registry, client, known.with_own(own) if own else known)
