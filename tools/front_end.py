"""Fills docs/reference/front-end.md: benchmarks by kind, and the measurement of each operation of the design.

python tools/front_end.py            # --check: exits with 1 if the page is another
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence

from autoperf.cases.release import open_release
from autoperf.core.operator import Registry
from autoperf.registry.names import Names
from autoperf.reports.layout import cells, heading
from autoperf.rules import front_end_benchmarks as module
from autoperf.rules.front_end import FRONT_END
from autoperf.rules.front_end_benchmarks import Benchmark
from tools.design_operations import PHASE_1, PHASE_2, operations
from tools.page_blocks import DOCS, with_block

PAGE = DOCS / "reference" / "front-end.md"
MAX_CALLS = 3
MAX_NAMES = 4


def benchmarks() -> Iterator[str]:
    """A row for each kind, which is a tuple of their module, with its first calls."""
    tuples = {name: value for name, value in vars(module).items() if isinstance(value, tuple)}
    kinds = {name: [each for each in value if isinstance(each, Benchmark)] for name, value in tuples.items()}
    yield heading([("kind", False), ("benchmarks", True), ("calls", False)])
    for name, entries in kinds.items():
        if entries:
            more = ", ..." if len(entries) > MAX_CALLS else ""
            calls = ", ".join(entry.call for entry in entries[:MAX_CALLS])
            yield cells([name.lower(), str(len(entries)), calls + more])
    yield cells(["sum", str(sum(map(len, kinds.values()))), ""])


def design(registry: Registry) -> Iterator[str]:
    """A row for each kind of operations of the design, with what measures each. Raises UnknownNameError for none."""
    names = Names(registry, FRONT_END)
    yield heading([("phase", True), ("kind", False), ("operations", False)])
    for number, phase in enumerate((PHASE_1, PHASE_2), 1):
        for kind, entries in phase.items():
            listed = (_spelled(operation.name, names, operation.measured) for operation in operations(entries))
            yield cells([str(number), kind, ", ".join(listed)])


def _spelled(name: str, names: Names, measured: str) -> str:
    """The operation, and what measures it in brackets where that has another name."""
    found = " and ".join(_found(names, measured))
    return name if found in (name, f"gluon_{name}") else f"{name} ({found})"


def _found(names: Names, measured: str) -> Iterable[str]:
    if not measured.endswith("*"):
        return [names.resolve(measured).operator.name]
    matches = [match.operator.name for match in names.matching(measured)]
    kind = "layers" if measured.startswith("gluon.") else "benchmarks"
    return [f"{len(matches)} {kind}"] if len(matches) > MAX_NAMES else matches


def main(arguments: Sequence[str]) -> int:
    """Writes the page, or with --check compares it."""
    before = PAGE.read_text(encoding="utf-8")
    with open_release() as release:
        text = with_block(before, "benchmarks", "".join(benchmarks()))
        text = with_block(text, "design", "".join(design(release.registry)))
    if "--check" in arguments:
        return int(text != before)
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
