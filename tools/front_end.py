"""Writes docs/front-end.md: the benchmarks of the front end, and where each operation of the design is measured.

python tools/front_end.py            # --check: exits with 1 if the page is another
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from page_blocks import DOCS

from autoperf.core.operator import Registry
from autoperf.pipeline.release import open_release
from autoperf.registry.names import Names
from autoperf.reports.markdown import cells, heading
from autoperf.rules.design_operations import PHASE_1, PHASE_2, operations
from autoperf.rules.front_end import FRONT_END
from autoperf.rules.front_end_benchmarks.catalog import front_end_benchmarks_by_name

PAGE = DOCS / "front-end.md"

HEAD = """# Benchmarks of the front end

Some of what users call is no operator of the registry: a copy to NumPy, `x[1:-1] = y`, `x += y`, a metric, an
optimizer's step, the next batch of an iterator. These are *front-end benchmarks*, a category of their own:

    autoperf run --category front_end
    autoperf run --operator 'NDArray_getitem_*' --operator optimizer_Adam
    autoperf compare base.ndjson new.ndjson --category front_end

They run in the worker processes like operators, by the same clocks, with the same precision, reports and comparisons;
the workers import the package `mxnet` for them, which takes some seconds once in each process. Kernel time is that of
all kernels that the call starts, copies and fills included, and wall time has all its Python. There is no backward
pass, and no memory: that is measured in forks, each of which would have to import the package. They run on the CPU;
with `--ctx gpu(0)` they are skipped with that reason. The numbers of `autoperf discover` don't include them, and
`autoperf run` without a selection doesn't run them.

A release needs its Python package beside its library, as `pip install mxnet` and `autoperf releases install --package`
leave it. Releases that were installed without `--package` are libraries alone, so their cases are skipped with that
reason. MXNet's package wants names that NumPy took away in 1.24; the workers put them back, for themselves.

Layers of Gluon are a category of their own, [`gluon`](layers.md), and so are computations of many operators,
[composites](composites.md). Fused operators are [small networks](networks.md#fused-operators).

To add one, add a line to a module of `autoperf/rules/front_end_benchmarks/`.

## All benchmarks

Made by `python tools/front_end.py`, like the section after this one.
"""
OTHER_ENTRIES = """
### Entries that are no operation

- FP32, FP64, FP16, INT64 and INT8: `--dtype float32,float64,float16,int64,int8`. `autoperf discover
  --test-dtypes` tests which dtypes an operator takes.
- Default, custom and random inputs: the profiles of each operator (`small`, `common`, `large`, `skewed`);
  [`--input` and `--param`](own-inputs.md); `--draws`.
- Modes imperative and hybrid: each layer runs imperatively, hybridized and with static memory ([layers.md](layers.md)).
- RecurrentCell: the abstract base class of the cells, which can't be called.
- Fused operators, Conv + Relu and Conv + BatchNorm: [networks.md](networks.md#fused-operators).
- Custom operators: `Custom`; operators of your own by `--extension`
  ([releases.md](releases.md#operators-of-your-own-in-c)).
"""


def page(registry: Registry) -> str:
    """The text of docs/front-end.md."""
    parts = [HEAD, *_benchmarks(), "\n## The design's list of operations\n\n", *_operations(registry), OTHER_ENTRIES]
    return "".join(parts)


def _benchmarks() -> Iterator[str]:
    modules = defaultdict(list)
    for entry in front_end_benchmarks_by_name().values():
        modules[entry.prepare.__module__.rpartition(".")[2]].append(entry)
    yield f"\n{sum(map(len, modules.values()))} benchmarks:\n\n"
    yield heading([("module", False), ("benchmark", False), ("call", False)])
    for module, entries in modules.items():
        for entry in entries:
            yield cells([module, entry.name, entry.call])


def _operations(registry: Registry) -> Iterator[str]:
    yield (
        "The operations that the appendix of [MXNet's design](from-opperf.md) lists, with what measures them on\n"
        f"MXNet {registry.mxnet}. `autoperf run --operator NAME` takes each of them.\n"
    )
    names = Names(registry, FRONT_END)
    for title, phase in (("Phase 1", PHASE_1), ("Phase 2", PHASE_2)):
        yield f"\n### {title}\n\n"
        yield heading([("kind", False), ("operation", False), ("measured as", False)])
        for kind, entries in phase.items():
            for operation in operations(entries):
                yield cells([kind, operation.name, ", ".join(_measured(names, operation.measured))])


def _measured(names: Names, name: str) -> Iterable[str]:
    """The names of what measures an operation. Raises UnknownNameError if nothing does."""
    if name.endswith("*"):
        matches = [match.operator.name for match in names.matching(name)]
        kind = "layers" if name.startswith("gluon.") else "benchmarks"
        return [f"{len(matches)} {kind}: {name}"] if len(matches) > 4 else matches
    return [names.resolve(name).operator.name]


def main(arguments: Sequence[str]) -> int:
    """Writes the page, or with --check compares it."""
    with open_release() as release:
        text = page(release.registry)
    if "--check" in arguments:
        return int(PAGE.read_text() != text)
    PAGE.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
