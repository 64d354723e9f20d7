"""The text of docs/frameworks.md: how MXNet stands to other frameworks by category, its largest losses and wins."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from statistics import median
from typing import NamedTuple

from autoperf.backends.lookup import MXNET
from autoperf.comparison.groups import geometric_mean
from autoperf.core.clocks import KERNEL, PYTHON
from autoperf.core.outcome import PASSES, since
from autoperf.core.texts import count
from autoperf.reports.layout import cells, heading
from autoperf.reports.units import NONE, duration, factor
from tools.framework_times import (
    JAX,
    NUMPY,
    OTHERS,
    REGISTERED,
    TORCH,
    CaseTimes,
    Figure,
    Measured,
    Times,
    TimesHeader,
    dispatch_us,
)

TITLES = {TORCH: "PyTorch", NUMPY: "NumPy", JAX: "JAX"}
FORWARD, BACKWARD = PASSES
SHOWN = 30
MIN_COST_US = 10.0
"""A loss or a win of fewer microseconds a call isn't listed, whatever its ratio."""
MAX_KERNELS = 3
COLUMNS = (
    ("PyTorch, kernels", Figure(FORWARD, KERNEL.name, TORCH)),
    ("backward", Figure(BACKWARD, KERNEL.name, TORCH)),
    ("PyTorch, calls", Figure(FORWARD, PYTHON.name, TORCH)),
    ("backward", Figure(BACKWARD, PYTHON.name, TORCH)),
    ("NumPy, calls", Figure(FORWARD, PYTHON.name, NUMPY)),
    ("JAX, calls", Figure(FORWARD, PYTHON.name, JAX)),
    ("backward", Figure(BACKWARD, PYTHON.name, JAX)),
)
RANKED = (
    *(("operator", False), ("pass", False), ("inputs", False), ("MXNet", True), ("PyTorch", True), ("ratio", True)),
    *(("per call", True), ("calls' ratio", True), ("kernels of MXNet", False), ("of PyTorch", False)),
)
HEAD = """# MXNet and other frameworks

{stamp}

{answer}

A ratio is MXNet's time over the other framework's: above 1, MXNet is slower. Each operator has its `common` input;
means are geometric, with the number of cases. *Kernels* are compared by the profilers of both, without what allocates
or makes views; NumPy and JAX have none. *Calls* go through the Python packages of both and wait for the results: they
contain dispatch. {views}JAX's forward pass contains the tracing of `jax.vjp` where there is a gradient.
[Other frameworks](guides/frameworks.md) says more; [frameworks.ndjson](frameworks.ndjson) has the times of each case.
What an hour's hunt against PyTorch found beyond these inputs is ranked in [hunts/1.9.1-torch.md](hunts/1.9.1-torch.md).

"""
FOOT = """
`autoperf compare {options}` measured both in turn, with `OMP_NUM_THREADS`, beside {versions}, on {machine}.
`python tools/frameworks.py FOLDER` wrote this page.
"""
LOSSES = """
## Where MXNet loses most

{setup}: passes by the ratio of kernel times that is certain, the end of its 95% interval that is next to 1. Those that
lose less than {least} a call are left out. Of a category's operators with the same kernels in PyTorch, the first is
listed and the others are counted.

"""
WINS = """
## Where MXNet wins most

"""


class Ranked(NamedTuple):
    """A pass of a case with its kernel times in MXNet and PyTorch; `alike` others have the same kernels in PyTorch."""

    case: CaseTimes
    pass_: str
    times: Times
    alike: int = 0

    @property
    def kernels(self) -> tuple[str, ...]:
        """The kernels of PyTorch."""
        return self.case.kernels.get(f"{self.pass_} {TORCH}", ())


def page(measured: Measured) -> str:
    """The whole page."""
    header, cases = measured
    setup = str(header.setups[0])
    versions = ", ".join(f"{TITLES[name]} {header.versions[name]}" for name in OTHERS if name in header.versions)
    machine = f"{header.processor}, {count(header.processors or 1, 'processor')}"
    parts = (
        HEAD.format(stamp=stamp(header), answer=" ".join(answer(measured)), views=views(cases)),
        *totals(measured),
        f"\n## By category\n\n{setup}:\n\n",
        *by_category(measured),
        LOSSES.format(setup=setup, least=duration(MIN_COST_US)),
        *ranking(cases, losses=True),
        WINS,
        *ranking(cases, losses=False),
        "\n## Cases without times\n\n",
        *without_times(measured),
        FOOT.format(options=header.options, versions=versions, machine=machine),
    )
    return "".join(parts)


def stamp(header: TimesHeader) -> str:
    """The method, commit and date of the measurement."""
    return f"Measured by method {header.method}, at commit {header.commit} of {header.date}{since(header.method)}."


def answer(measured: Measured) -> Iterator[str]:
    """The means of the first setup, dispatch, and the categories that were measured if some are missing."""
    header, cases = measured
    means = {column: geometric_mean(ratios(cases, 0, column)) for _, column in COLUMNS}
    kernels = [f"{factor(mean)} times ({column.pass_})" for _, column in COLUMNS[:2] if (mean := means[column])]
    if kernels:
        yield f"{header.setups[0]}: kernels take {' and '.join(kernels)} the time of PyTorch's."
    calls = [
        f"{factor(mean)} times that of {TITLES[column.framework]}"
        for _, column in COLUMNS[2:]
        if column.pass_ == FORWARD and (mean := means[column])
    ]
    if calls:
        yield f"A call from Python takes {', '.join(calls)} in the forward pass."
    spent = [both for case in counted(cases, TORCH) if (both := dispatch_us(case, 0, FORWARD))]
    if spent:
        mxnet, torch = (duration(median(times)) for times in zip(*spent, strict=True))
        yield f"Dispatch, the part outside of its kernels, takes {mxnet} in MXNet and {torch} in PyTorch (median)."
    yield from coverage(header)


def coverage(header: TimesHeader) -> Iterator[str]:
    """The categories that were measured, unless they are all."""
    parts: dict[tuple[str, ...], list[str]] = {}
    for setup, own in zip(header.setups, header.covered, strict=True):
        for name in OTHERS:
            parts.setdefault(tuple(sorted(own.get(name, ()))), []).append(f"{TITLES[name]} ({setup})")
    for categories, places in parts.items():
        if len(categories) < len(REGISTERED):
            where = f"For {', '.join(places)}" if len(parts) > 1 else "So far"
            named = f": {', '.join(categories)}" if categories else ""
            yield f"{where}, {len(categories)} of {len(REGISTERED)} categories are measured{named}."


def counted(cases: Iterable[CaseTimes], framework: str) -> Iterator[CaseTimes]:
    """The cases whose times can be compared: without those where the framework makes a view and MXNet copies."""
    return (case for case in cases if framework not in case.views)


def ratios(cases: Iterable[CaseTimes], setup: int, figure: Figure) -> list[float]:
    """The ratios of these cases that are counted."""
    found = (case.at(setup, figure) for case in counted(cases, figure.framework))
    return [times.ratio for times in found if times]


def _mean(cases: Iterable[CaseTimes], setup: int, figure: Figure) -> str:
    """`1.23 (45)`: the geometric mean of the ratios, and their number."""
    found = ratios(cases, setup, figure)
    mean = geometric_mean(found)
    return NONE if mean is None else f"{factor(mean)} ({len(found)})"


def views(cases: Sequence[CaseTimes]) -> str:
    """The number of cases that are left out since they are views."""
    numbers = [(TITLES[name], sum(name in case.views for case in cases)) for name in OTHERS]
    words = ", ".join(f"{number} of {title}" for title, number in numbers if number)
    return f"Cases in which the other framework returns a view are left out: {words}. " if words else ""


def totals(measured: Measured) -> Iterator[str]:
    """A row for each release and number of threads."""
    yield heading([("", False), *((title, True) for title, _ in COLUMNS)])
    for number, setup in enumerate(measured.header.setups):
        yield cells([str(setup), *(_mean(measured.cases, number, figure) for _, figure in COLUMNS)])


def by_category(measured: Measured) -> Iterator[str]:
    """A row for each category with a time."""
    yield heading([("category", False), *((title, True) for title, _ in COLUMNS)])
    for category in sorted({case.category for case in measured.cases}):
        members = [case for case in measured.cases if case.category == category]
        means = [_mean(members, 0, figure) for _, figure in COLUMNS]
        if set(means) != {NONE}:
            yield cells([category, *means])


def ranking(cases: Iterable[CaseTimes], *, losses: bool) -> Iterator[str]:
    """The passes on which MXNet's kernels lose or win most."""
    entries = ranked(cases, losses=losses)
    yield from (heading(RANKED), *map(_row, entries[:SHOWN])) if entries else ("None.\n",)


def ranked(cases: Iterable[CaseTimes], *, losses: bool) -> list[Ranked]:
    """Losses or wins by kernel time: those that cost enough, by the ratio that is certain, the largest first.

    The number of microseconds depends on the size of the input, which a rule's author has chosen, and the ratio of two
    short times says little. Operators with the same kernels in PyTorch are one entry.
    """
    found = [
        Ranked(case, pass_, times)
        for case in counted(cases, TORCH)
        for pass_ in PASSES
        if (times := case.at(0, Figure(pass_, KERNEL.name, TORCH))) and _counts(times, losses=losses)
    ]
    found.sort(key=lambda entry: entry.times.certain, reverse=losses)
    return list(_merged(found, lambda entry: (entry.case.category, entry.pass_, entry.kernels)))


def _counts(times: Times, *, losses: bool) -> bool:
    """Whether MXNet certainly loses (or wins) at least MIN_COST_US a call."""
    cost = times.mxnet - times.other
    return (times.certain > 1 and cost >= MIN_COST_US) if losses else (times.certain < 1 and -cost >= MIN_COST_US)


def _merged(entries: Sequence[Ranked], key: Callable[[Ranked], object]) -> Iterator[Ranked]:
    """The first entry of each key, with the number of other operators of that key."""
    operators: dict[object, set[str]] = {}
    for entry in entries:
        operators.setdefault(key(entry), set()).add(entry.case.operator)
    first = {key(entry): entry for entry in reversed(entries)}
    for entry in entries:
        if first[key(entry)] is entry:
            yield entry._replace(alike=len(operators[key(entry)]) - 1)


def _row(entry: Ranked) -> str:
    case, times = entry.case, entry.times
    calls = case.at(0, Figure(entry.pass_, PYTHON.name, TORCH))
    others = f" and {entry.alike} more" if entry.alike else ""
    facts = (f"{case.operator}{others}", entry.pass_, case.inputs, duration(times.mxnet), duration(times.other))
    mxnet = case.kernels.get(f"{entry.pass_} {MXNET}", ())
    cost = f"{'+' if times.mxnet > times.other else '-'}{duration(abs(times.mxnet - times.other))}"
    ratios = (factor(times.ratio), cost, factor(calls.ratio) if calls else NONE)
    return cells((*facts, *ratios, _named(mxnet), _named(entry.kernels)))


def _named(kernels: Sequence[str]) -> str:
    """The longest kernels by name, and the number of others."""
    rest = f" and {len(kernels) - MAX_KERNELS} more" if len(kernels) > MAX_KERNELS else ""
    return f"{', '.join(kernels[:MAX_KERNELS])}{rest}"


def without_times(measured: Measured) -> Iterator[str]:
    """The number of cases that have times, and of those that have none by the most frequent reasons."""
    header, cases = measured
    yield heading(
        [("", False), ("cases", True), ("measured", True), ("without", True), ("most frequent reasons", False)]
    )
    for name in OTHERS:
        missing = [case.missing[0][name] for case in cases if case.missing and name in case.missing[0]]
        asked = sum(case.category in header.covered[0].get(name, ()) for case in cases)
        reasons = Counter(_brief(header.reasons[number]) for number in missing)
        words = "; ".join(f"{reason} ({number})" for reason, number in reasons.most_common(3))
        yield cells([TITLES[name], str(asked), str(asked - len(missing)), str(len(missing)), words])


def _brief(reason: str) -> str:
    """A failure without its numbers: `failed: the results differ`."""
    return ": ".join(reason.split(": ")[:2])
