"""All front-end benchmarks, collected from the modules of this package."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from functools import cache

from autoperf.core.errors import RuleError
from autoperf.rules import front_end_benchmarks
from autoperf.rules.front_end_benchmarks.benchmark import FrontEndBenchmark

NOT_BENCHMARKS = frozenset({"benchmark", "catalog"})


@cache
def front_end_benchmarks_by_name() -> dict[str, FrontEndBenchmark]:
    """Every benchmark by its name. Raises RuleError for two of one name."""
    by_name: dict[str, FrontEndBenchmark] = {}
    for entry in _all():
        if by_name.setdefault(entry.name, entry) is not entry:
            raise RuleError(f"two front-end benchmarks are called {entry.name}; keep one")
    return by_name


def _all() -> Iterator[FrontEndBenchmark]:
    for info in sorted(pkgutil.iter_modules(front_end_benchmarks.__path__), key=lambda info: info.name):
        if info.name not in NOT_BENCHMARKS:
            module = importlib.import_module(f"{front_end_benchmarks.__name__}.{info.name}")
            tuples = (value for value in vars(module).values() if isinstance(value, tuple))
            yield from (entry for value in tuples for entry in value if isinstance(entry, FrontEndBenchmark))
