"""The page of a run, with a section for each operator; and parts of other pages: tables, rankings, facts."""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from math import ceil
from typing import Any, TypeVar

import msgspec

from autoperf.cases.build import Recipe
from autoperf.cases.handwritten import OwnInputs
from autoperf.core.clocks import KERNEL, WALL
from autoperf.core.errors import AutoperfError
from autoperf.core.graph import NETWORK, NETWORK_MODES
from autoperf.core.machine import CACHE_SHARE, Reference, Roofline
from autoperf.core.options import CALLER, CTX, DEFAULT_TIMEOUT, RUN_SETTINGS, Kind
from autoperf.core.outcome import PASSES, Outcome, Series, Status
from autoperf.core.tensors import ITEM_SIZE
from autoperf.core.work import Work, stored_bytes
from autoperf.networks.report import RATES, network_notes, next_commands, pass_tables
from autoperf.networks.times import NetworkPass, NetworkTimes
from autoperf.reports import run_columns, totals
from autoperf.reports.columns import Column, Place, fact, filled
from autoperf.reports.html.page import (
    EQUAL,
    Bar,
    Cell,
    Chart,
    ChartLine,
    Detail,
    Distribution,
    Page,
    PageColumn,
    PageTable,
    RankedRow,
    Ranking,
    Tile,
)
from autoperf.reports.layout import grouped
from autoperf.reports.provenance import load, provenance_lines, roofline_line, speed_line
from autoperf.reports.units import duration, one_line, percent, reach, size, span
from autoperf.runs.anomalies import MIN_ROOFLINE_US
from autoperf.runs.runfile import Environment, Provenance, RunHeader, value_of_side
from autoperf.stats.statistics import reference_samples
from autoperf.summary.documents import mode_reports, run_answer
from autoperf.summary.runs import RunReport, case_time

Row = TypeVar("Row")
DIGITS = 5
LEVELS = "0123456789abcdefghijklmnopqrstuvwxyz"
"""The heights of the bins of a distribution, and of the nights of a course, from the lowest to the highest."""


def page_table(
    title: str,
    columns: Sequence[Column[Row]],
    rows: Iterable[Row],
    *,
    hidden: Collection[str] = (),
    filters: Collection[str] = (),
    bars: tuple[Bar, ...] = (),
) -> PageTable:
    """A table of these rows. `hidden` columns are shown on request; the values of `filters` are chosen from a list."""
    heads = tuple(
        PageColumn(column.name, column.title, column.unit, column.right, column.name in filters, column.name in hidden)
        for column in columns
    )
    return PageTable(title, heads, tuple(tuple(cell(column, row) for column in columns) for row in rows), bars)


def cell(column: Column[Row], row: Row) -> Cell:
    """The cell of a row: text, or a number with its spelling on a terminal."""
    value = column.value(row)
    if value is None:
        return None
    text = one_line(column.spell(row))
    return text if isinstance(value, str) else (rounded(value), text)


def rounded(value: float) -> float:
    """The value with as many digits as a position in a chart or an order needs."""
    return float(f"{value:.{DIGITS}g}")


MAX_RANKED = 12


def ranking(
    title: str, outcomes: Sequence[Outcome], value_of: Callable[[Outcome], float | None], spell: Callable[[float], str]
) -> Iterator[Ranking]:
    """The case of each operator with the largest value, largest first; not networks, which contain other cases."""
    best: dict[str, tuple[float, int]] = {}
    for position, outcome in enumerate(outcomes):
        value = None if outcome.category == NETWORK else value_of(outcome)
        if value and value > best.get(outcome.operator, (0.0, 0))[0]:
            best[outcome.operator] = (value, position)
    rows = sorted(best.values(), key=lambda pair: (-pair[0], pair[1]))[:MAX_RANKED]
    if rows:
        yield Ranking(title, tuple(RankedRow(position, rounded(value), spell(value)) for value, position in rows))


Facts = tuple[tuple[str, str], ...]


def run_facts(report: RunReport) -> Facts:
    """The provenance of a run, and the rest of its environment; empty without a header."""
    if not (report.provenance and report.origin):
        return ()
    return origin_facts(report.provenance, report.origin[1].environment)


def origin_facts(provenance: Provenance, environment: Environment) -> Facts:
    """The provenance of measurements, and the rest of their environment."""
    processor = environment.processor
    names = ("processor", "threads", "machine", "date", "autoperf", "seed", "revision", "command")
    facts: tuple[tuple[str, object], ...] = (
        ("MXNet", provenance.release),
        ("library", provenance.build),
        *((name, getattr(provenance, name)) for name in names),
        ("system", f"{environment.system}, {environment.python}"),
        ("processors", f"{processor.usable} usable of {processor.logical}"),
        ("governor", ", ".join(processor.governors)),
        ("memory", size(environment.memory_total)),
        ("load", f"{environment.load[0]:.2f} at the start"),
        ("settings", ", ".join(f"{name}={value}" for name, value in environment.settings.items())),
    )
    return tuple((label, one_line(str(value))) for label, value in facts if value not in ("", None))


def side_fact(title: str, provenance: Provenance | None) -> str:
    """A side of a comparison, or a release: its title, and its provenance where that is known."""
    lines = provenance_lines(provenance) if provenance else ()
    return one_line("; ".join(filter(None, (title, *lines))))


MAX_PARTS = 8


def network_page_tables(networks: Iterable[NetworkTimes]) -> Iterator[PageTable]:
    """The tables of each pass; bars stand above the first."""
    for network in networks:
        for times in network.passes:
            bars = tuple(_bars(times))
            for table in pass_tables(times, None):
                title = f"{one_line(network.name)}: {table.title}"
                yield page_table(title, table.shown, table.rows, hidden=RATES, bars=bars)
                bars = ()


def _bars(times: NetworkPass) -> Iterator[Bar]:
    """The time of the pass in each mode, and of its calls alone, divided among the largest parts and the others."""
    modes = [mode for mode in NETWORK_MODES if mode in times.modes]
    rows = {
        group.name: [*(group.modes.get(mode, 0.0) for mode in modes), group.total_us or 0.0]
        for group in times.by_operator
    }
    largest = sorted(rows, key=lambda name: -max(rows[name]))
    small = set(largest[MAX_PARTS - 1 :]) if len(rows) > MAX_PARTS else set()
    parts = {name: values for name, values in rows.items() if name not in small}
    if small:
        parts["others"] = [math.fsum(values) for values in zip(*(rows[name] for name in small), strict=True)]
    for label, values in zip((*modes, "calls alone"), zip(*parts.values(), strict=True), strict=False):
        total = math.fsum(values)
        named = zip(parts, values, strict=True)
        if total:
            yield Bar(
                f"{label} {duration(total)}", tuple((one_line(name), rounded(us), duration(us)) for name, us in named)
            )


def network_page_notes(networks: Iterable[NetworkTimes]) -> Iterator[str]:
    """The meaning of the columns, and the notes of each network with its name."""
    tables = [table for network in networks for times in network.passes for table in pass_tables(times, None)]
    yield from dict.fromkeys(text for table in tables for text in table.legends(table.shown))
    for network in networks:
        yield from (f"{one_line(network.name)}: {note}" for note in network_notes(network, None))


def _case_detail(report: RunReport, outcome: Outcome) -> Detail:
    verdict = () if outcome.status is Status.MEASURED else (totals.verdict(outcome),)
    reference = report.reference(outcome)
    distributions = (
        distribution(f"{name} {clock.name}", series, reference)
        for name, run in outcome.passes.items()
        for clock, series in run.metrics.items()
        if clock.is_time
    )
    return Detail(
        notes=(*verdict, *map(one_line, totals.details(outcome)), *totals.notes_of(outcome)),
        distributions=tuple(filter(None, distributions)),
        command=repeat_command(report.header, outcome, report.extensions(outcome)) if report.header else "",
    )


BINS = 24
MIN_SAMPLES = 5
TAIL_SHARE = 0.99
"""The range ends at this percentile; the last bin has the samples above too."""


def distribution(label: str, series: Series, reference: Reference | None) -> Distribution | None:
    """The histogram of a series at the reference speed, in microseconds; None for too few samples."""
    samples = sorted(reference_samples(series, reference))
    if len(samples) < MIN_SAMPLES:
        return None
    low, high = samples[0], samples[int(TAIL_SHARE * (len(samples) - 1))]
    more = "" if samples[-1] == high else " and more"
    counts = [0] * BINS
    for sample in samples:
        counts[min(BINS - 1, int(BINS * (sample - low) / (high - low))) if high > low else BINS // 2] += 1
    # The fullest bin has the largest digit, and only an empty one has 0.
    fullest = max(counts)
    bins = "".join(LEVELS[-(-count * (len(LEVELS) - 1) // fullest)] for count in counts)
    return Distribution(label, bins, (duration(low), f"{duration(high)}{more}"))


class _StoredSettings(msgspec.Struct, frozen=True):
    """The settings in a header that decide what is measured: by which clocks and counters, where, and its limits."""

    profiler: str = "native"
    ctx: str = CTX.default
    cpus: tuple[int, ...] | None = None
    counters: tuple[str, ...] = ()
    count_by: str | None = None
    caller: str = CALLER.default
    backward: bool = True
    timeout: float = DEFAULT_TIMEOUT
    memory_limit: int | None = None
    env: dict[str, str] = {}


_DRAWING = {"seed": "--seed", "draws": "--draws", "elements": "--max-elements"}
"""The fields of a recipe that decide the drawn inputs, with their options; defaults are left out."""


_WORDS: Mapping[Kind, Callable[[Any], str]] = {
    Kind.CHOICE: str,
    Kind.CHOICES: ",".join,
    Kind.SECONDS: lambda seconds: f"{seconds:g}s",
    Kind.BYTES: str,
    Kind.DEVICE: str,
    Kind.PROCESSORS: lambda numbers: ",".join(map(str, numbers)) or "any",
    Kind.SWITCH: lambda _value: "off",
}


class _StoredOptions(msgspec.Struct, frozen=True):
    """The options in a header that decide a case."""

    recipe: Recipe
    mxnet: tuple[str, ...] = ()
    frameworks: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    label: str = ""
    rules: tuple[str, ...] = ()
    cases: tuple[str, ...] = ()
    own: OwnInputs = OwnInputs()
    settings: _StoredSettings = _StoredSettings()


def repeat_command(header: RunHeader, outcome: Outcome, extensions: Iterable[str] = ()) -> str:
    """The command line, quoted for a shell; empty if the header lacks the options of the run."""
    try:
        options = msgspec.convert(header.options, _StoredOptions)
    except (msgspec.ValidationError, AutoperfError):
        return ""
    variables = [f"{name}={value}" for name, value in options.settings.env.items()]
    given = (
        ("--mxnet", value_of_side(options.mxnet, options.labels, options.label)),
        ("--framework", value_of_side(options.frameworks, options.labels, options.label)),
        ("--extension", extensions),
        ("--rules", options.rules),
        ("--cases", options.cases),
        ("--input", options.own.inputs),
        ("--param", options.own.params),
    )
    words = [word for option, values in given for value in values for word in (option, value)]
    words += () if options.cases else _recipe(options.recipe, drawn=not options.own)
    words += ("--operator", outcome.operator)
    if not options.own and not options.recipe.int64_tensor:
        words += ("--input-profile", outcome.profile)
    # What is measured, and where; neither how long, nor how precisely.
    for option in (*RUN_SETTINGS, CALLER):
        value = getattr(options.settings, option.target, option.default)
        if value != option.default:
            words += (option.flag, _WORDS[option.kind](value))
    return shlex.join([*(("env", *variables) if variables else ()), "autoperf", "run", *words])


def _recipe(recipe: Recipe, *, drawn: bool) -> Iterator[str]:
    usual = Recipe()
    for name, option in _DRAWING.items() if drawn and not recipe.int64_tensor else ():
        if getattr(recipe, name) != getattr(usual, name):
            yield from (option, str(getattr(recipe, name)))
    if recipe.dtypes:
        yield from ("--dtype", ",".join(recipe.dtypes))
    if recipe.int64_tensor:
        yield from ("--int64-tensor", "on")


MIN_SIZE, MAX_SIZE = 1.0, 1e15
"""The ends of the roofline in bytes, beyond every case."""
FILTERS = ("category", "profile", "status")
HIDDEN = (
    "case", "category", "status", "size", "backward_roofline", "notes",
    *(f"{name}_{part}" for name in PASSES for part in ("tail", "bandwidth", "flops")),
)  # fmt: skip
"""Columns that a table of a page's width has no room for; they are shown on request."""
MORE = ("case", "category", "status")
"""Columns of a page that follow those of a Markdown table."""
_TONES = {Status.MEASURED: "good", Status.SKIPPED: "doubtful"}


def run_page(report: RunReport) -> Page:
    """The summary, charts, tables and a section for each operator."""
    selected = list(report.ordered)
    outcomes = report.view.limited(selected)
    summary = totals.summarise(selected)
    networks = tuple(network_page_tables(report.networks))
    return Page(
        title="Operator benchmarks",
        subtitle=one_line(next(provenance_lines(report.provenance))) if report.provenance else "",
        answer=tuple(map(one_line, run_answer(report))),
        commands=tuple(next_commands(report.networks, report.case_files)),
        tiles=tuple(_tiles(summary)),
        facts=run_facts(report),
        notes=(*_run_page_notes(report, selected, summary), *network_page_notes(report.networks)),
        tables=(*networks, *_tables(report, outcomes, selected)),
        main=len(networks),
        charts=tuple(_charts(report.roofline, outcomes)),
        # The largest case of each operator by time, by distance from the roofline, and by memory.
        rankings=(
            *ranking("Slowest operators", outcomes, case_time, duration),
            *ranking("Furthest from the roofline", outcomes, _distance, lambda times: f"at {percent(1 / times)}"),
            *ranking("Most memory", outcomes, totals.peak, lambda value: size(int(value))),
        ),
        details=tuple(_case_detail(report, outcome) for outcome in outcomes),
    )


def touched_bytes(outcome: Outcome) -> float:
    """The bytes that a forward pass reads and writes at least: its counted work, else its inputs and outputs."""
    if outcome.work:
        return outcome.work.bytes
    read = sum(stored_bytes(item.tensor) for item in outcome.inputs)
    return read + sum(array.nbytes for array in outcome.outputs if array.dtype in ITEM_SIZE)


def _tables(report: RunReport, outcomes: Sequence[Outcome], selected: Sequence[Outcome]) -> Iterator[PageTable]:
    """The cases that are shown; modes, coverage and reasons of all that are selected."""
    # The columns of the other formats, or the requested ones, and the columns for charts and filters.
    usual = [column for column in report.columns if column.place is not Place.REQUEST and column.name != "result"]
    more = [column for column in report.columns if column.name in MORE]
    columns = filled(dict.fromkeys((*report.view.chosen(report.columns), *usual, *more, _SIZE)), outcomes)
    chosen = set(report.view.columns)
    hidden = {column.name for column in columns if chosen and not chosen & {column.name, column.csv}}
    yield page_table("Cases", columns, outcomes, hidden=hidden or HIDDEN, filters=FILTERS)
    for modes in mode_reports(report.modes, None):
        for table in modes.tables:
            yield page_table(table.title.capitalize(), table.shown, table.rows, filters=("pass", "quantity"))
    by_category = grouped(selected, lambda outcome: outcome.category)
    yield page_table(
        "Coverage", _COVERAGE, [(name, totals.summarise(members)) for name, members in by_category.items()]
    )
    for table in totals.reasons_table(totals.reasons(selected)):
        yield page_table(table.title.capitalize(), table.shown, table.rows, filters=("status",))


def _tiles(summary: totals.RunSummary) -> Iterator[Tile]:
    yield Tile("operators", str(summary.operators))
    yield Tile("cases", str(summary.asked))
    for status in Status:
        cases = getattr(summary, status.value)
        yield Tile(status.value, str(cases), _TONES.get(status, "bad") if cases else "")
    yield Tile("measuring", span(summary.seconds))


def _run_page_notes(report: RunReport, outcomes: Sequence[Outcome], summary: totals.RunSummary) -> Iterator[str]:
    """The completeness of the run, the cases that aren't shown, and the precision of its times."""
    yield summary.sentence()
    yield from filter(None, (report.selection_line, report.view.limit_line(len(report.rows), len(outcomes), "case")))
    series = [totals.figure(outcome.forward) for outcome in outcomes]
    reaches = sorted(known for readings in series if (known := reach(readings)) is not None)
    if reaches:
        half, most = (percent(reaches[ceil(share * len(reaches)) - 1]) for share in (0.5, 0.95))
        yield f"95% intervals of the forward medians: within ±{half} for half of the cases, ±{most} for 95% of them"
    yield from report.warnings.legend([outcome] for outcome in outcomes)
    yield from filter(None, (load(outcomes), speed_line(outcomes), roofline_line(outcomes, report.roofline)))


def _charts(roofline: Roofline | None, outcomes: Sequence[Outcome]) -> Iterator[Chart]:
    """The charts that have a point."""
    values = {column.name: column.value for column in (*run_columns.COLUMNS, _SIZE)}
    forward, backward = f"forward_{KERNEL.name}", f"backward_{KERNEL.name}"
    # Moving bytes takes as long as the caches need where they fit in, else as memory needs.
    edge = roofline.cache_bytes * CACHE_SHARE if roofline else 0.0
    sizes = (MIN_SIZE, edge, edge * (1 + 1e-9), MAX_SIZE)
    works = [Work(bytes_in=moved, bytes_out=0.0, elements=0.0, flops=0.0) for moved in sizes]
    points = tuple((work.bytes, 1e6 * work.bytes / roofline.bandwidth_for(work)) for work in works) if roofline else ()
    lines = (ChartLine("the least time by bandwidth", points),) if roofline else ()
    charts = (
        Chart("Time against size", "size", forward, lines=lines),
        Chart("Backward against forward", forward, backward, lines=(EQUAL,)),
        Chart("Wall time against kernel time", forward, f"forward_{WALL.name}", lines=(EQUAL,)),
        Chart("Peak memory against size", "size", "memory"),
    )
    for chart in charts:
        if any(values[chart.x](outcome) and values[chart.y](outcome) for outcome in outcomes):
            yield chart


def _distance(outcome: Outcome) -> float | None:
    """The forward time over its roofline, as a ratio; None where the overhead of a call dominates."""
    forward = outcome.forward
    share = forward.throughput.roofline if forward and forward.throughput else None
    series = totals.figure(forward)
    return 1 / share if share and series and share * series.median >= MIN_ROOFLINE_US else None


_SIZE: Column[Outcome] = Column(
    "size", "bytes read and written", touched_bytes, lambda outcome: size(int(touched_bytes(outcome))), unit="bytes"
)
_COVERAGE: tuple[Column[tuple[str, totals.RunSummary]], ...] = (
    fact("category", lambda row: row[0]),
    Column("operators", "operators", lambda row: row[1].operators),
    Column("cases", "cases", lambda row: row[1].asked),
    *(
        Column(status.value, status.value, lambda row, name=status.value: getattr(row[1], name))  # type: ignore[misc]
        for status in Status
    ),
    Column("seconds", "seconds", lambda row: row[1].seconds, lambda row: span(row[1].seconds)),
)
