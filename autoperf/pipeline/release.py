"""One MXNet release, opened: its registry, its inference, and the rules that speak for its operators."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from autoperf.capi.library import find_library
from autoperf.core.errors import UnknownNameError
from autoperf.core.operator import Registry
from autoperf.core.versions import check_numpy
from autoperf.executor.settings import Settings
from autoperf.registry.client import RegistryClient
from autoperf.registry.names import Names
from autoperf.rules.catalog import Catalog, catalog
from autoperf.rules.front_end import FRONT_END
from autoperf.rules.rule import Rule, Tier
from autoperf.rules.sandbox import Limits
from autoperf.rules.user_rules import UserRules, user_rules


@dataclass(frozen=True)
class Release:
    """The library's path, what it registers, the client that asks it, and the rules."""

    library: Path
    registry: Registry
    client: RegistryClient
    catalog: Catalog
    user_rules: UserRules | None = None

    @property
    def rule_failures(self) -> tuple[str, ...]:
        """What a user's own rules have done wrong so far, each once."""
        return self.user_rules.sandbox.failures if self.user_rules else ()

    def tier(self, rule: Rule) -> Tier:
        """How close a rule that speaks for some operator of this release is to it."""
        return self._tiers[rule.source]

    @cached_property
    def _tiers(self) -> dict[str, Tier]:
        return self.catalog.tiers(self.registry.forward)

    def unknown_names(self) -> Iterator[str]:
        """What is wrong with each name for which a user's own rules speak, and which this release doesn't register."""
        known = {name for operator in self.registry.operators for name in operator.names}
        named = self.catalog.user_rules.named if self.catalog.user_rules else {}
        for name in sorted(named.keys() - known):
            problem = UnknownNameError("operator", name, known)
            yield f"{named[name].source} speaks for what MXNet {self.registry.mxnet} doesn't register: {problem}"

    def name_notes(self, operators: Sequence[str]) -> list[str]:
        """For which operators Python functions were taken, such as broadcast_add for `nd.add`. Raises UsageError."""
        return Names(self.registry, FRONT_END).notes(operators)


def rule_limits(settings: Settings) -> Limits:
    """What a user's own rules may take in a run with these settings: as much as a case."""
    return Limits(settings.timeout, settings.bytes_allowed)


@contextmanager
def open_release(
    hint: str | None = None, rules: Sequence[Path] = (), limits: Limits | None = None
) -> Iterator[Release]:
    """Find MXNet and crawl it (or read what was crawled before); `rules` are files and folders of a user's own rules.

    `limits` are what these may take, since they are programs, which run in a process of their own.

    Raises UsageError for an unsupported NumPy, LibraryError, RegistryError and RuleError.
    """
    check_numpy(importlib.metadata.version("numpy"))
    library = find_library(hint)
    with ExitStack() as stack:
        own = stack.enter_context(user_rules(rules, limits)) if rules else None
        client = stack.enter_context(RegistryClient(library))
        registry = client.registry()
        known = catalog().for_release(registry.mxnet)
        yield Release(library, registry, client, known.with_user_rules(own.catalog) if own else known, own)
