"""One self-contained HTML page: its content as values, and the text that a browser opens."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from importlib import resources
from typing import Annotated, Any

import msgspec
from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from autoperf.reports.units import one_line

STYLES = ("vendor/uplot/uPlot.min.css", "static/page.css")
_OWN = ("tables", "charts", "courses", "details", "page")
SCRIPTS = ("vendor/uplot/uPlot.iife.min.js", *(f"static/{name}.js" for name in _OWN))
_DATA = ("cards", "tables", "main", "charts", "rankings", "details", "blocks", "nights")
_UNSAFE = re.compile("[<>&\x7f-\U0010ffff]")
Cell = str | tuple[float, str] | tuple[str, str] | None
"""Text, a figure with its spelling, an address with the text of a link, or nothing."""
Name = Annotated[str, "the name of a column of the page's main table"]


class PageColumn(msgspec.Struct, frozen=True, omit_defaults=True):
    """A column of a table. `filter`: its values can be chosen from a list; `hidden`: it is shown on request."""

    name: str
    title: str
    unit: str = ""
    right: bool = False
    filter: bool = False
    hidden: bool = False


class Bar(msgspec.Struct, frozen=True, array_like=True):
    """A bar of parts, each with its name, value and spelling; all bars above a table have the same parts."""

    label: str
    parts: tuple[tuple[str, float, str], ...]


class PageTable(msgspec.Struct, frozen=True):
    """A table that can be sorted and searched; each row has a cell for each column. `bars` stand above it."""

    title: str
    columns: tuple[PageColumn, ...]
    rows: tuple[tuple[Cell, ...], ...]
    bars: tuple[Bar, ...] = ()


class ChartLine(msgspec.Struct, frozen=True):
    """A line through points, in the units of the axes."""

    label: str
    points: tuple[tuple[float, float], ...]


EQUAL = ChartLine("equal", ((1e-6, 1e-6), (1e12, 1e12)))


class Chart(msgspec.Struct, frozen=True):
    """A point for each main row, by two columns, on logarithmic axes; `group` colours it, `low` to `high` is of y."""

    title: str
    x: Name
    y: Name
    group: Name = ""
    low: Name = ""
    high: Name = ""
    lines: tuple[ChartLine, ...] = ()
    note: str = ""


class RankedRow(msgspec.Struct, frozen=True):
    """A row of the main table in a ranking: its position, and its value with the spelling."""

    row: int
    value: float
    text: str


class Ranking(msgspec.Struct, frozen=True, omit_defaults=True):
    """The rows that stand out, the largest first; `tone` is that of the bars, `most` the value of the longest one."""

    title: str
    rows: tuple[RankedRow, ...]
    tone: str = ""
    most: float = 0.0


class Distribution(msgspec.Struct, frozen=True, array_like=True):
    """A histogram: a digit to base 36 for each bin, from `low` to `high`, whose spellings are `ends`."""

    label: str
    bins: str
    ends: tuple[str, str]


class Night(msgspec.Struct, frozen=True, array_like=True):
    """A run of a history: its day, the words of its build, and what else changed since the run before."""

    day: str
    build: str
    changed: str = ""


class Mark(msgspec.Struct, frozen=True, array_like=True):
    """An event in a course at a run (from 0).

    Each `kind` has a symbol: slower and faster, also with ` drift` or ` last run` after them, more and fewer of counts,
    accepted, and results.
    """

    run: int
    kind: str
    text: str


class Course(msgspec.Struct, frozen=True, array_like=True):
    """A figure by run, in its unit (`us` or none), NaN for none; `nights`: where its runs stand in `Page.nights`."""

    label: str
    unit: str
    values: tuple[float, ...]
    marks: tuple[Mark, ...] = ()
    nights: int = 0


class CardSide(msgspec.Struct, frozen=True, array_like=True):
    """One of two things that are compared: its label, its value, and its words, each with whether it differs."""

    label: str
    value: str
    words: tuple[tuple[str, bool], ...] = ()


BAR_DIGITS = 4
"""The digits of a bar's shares: more than it shows, and fewer than depend on the processor's arithmetic."""


class RatioBar(msgspec.Struct, frozen=True, array_like=True):
    """A ratio as a bar: the share of the larger value that the smaller one is, and that at both ends of the interval.

    `labels` name the smaller value and the rest, `tone` is that of the rest.
    """

    text: str
    share: float
    ends: tuple[float, float]
    labels: tuple[str, str]
    tone: str = "bad"


class DetailTable(msgspec.Struct, frozen=True):
    """A small table of texts; the first row has the headings."""

    rows: tuple[tuple[str, ...], ...]


class Detail(msgspec.Struct, frozen=True, omit_defaults=True):
    """The details of a row of the main table, in the section of its operator. `command` measures it again.

    The default `title` has the row's profile and inputs. Two `sides` stand beside each other, with a bar of their
    ratio; the tables are folded then. `bars` are as in a PageTable. The title of a block has the `anchor` and leads to
    the `address`, if any.
    """

    title: str = ""
    anchor: str = ""
    address: str = ""
    sides: tuple[CardSide, ...] = ()
    bar: RatioBar | None = None
    notes: tuple[str, ...] = ()
    bars: tuple[Bar, ...] = ()
    tables: tuple[DetailTable, ...] = ()
    distributions: tuple[Distribution, ...] = ()
    courses: tuple[Course, ...] = ()
    command: str = ""


class Card(msgspec.Struct, frozen=True, omit_defaults=True):
    """A result that stands before the tables: its title, notes, and the details of a row of the first table."""

    title: str
    row: int
    notes: tuple[str, ...] = ()


class Tile(msgspec.Struct, frozen=True):
    """A number of the summary. `tone`: good, bad, doubtful or none."""

    label: str
    value: str
    tone: str = ""


class Page(msgspec.Struct, frozen=True):
    """The content of a page: the answer in sentences and labelled commands first, the facts about its origin last.

    The `main` table, by its position, has the rows of charts, rankings and `details`, and a column `operator`; those
    before it stand at the start of the page. `blocks` are details that stand open below a heading of their own.
    `nights` has the runs of courses. `links` lead to other pages, by text and address; `feed` is that of a feed.
    """

    title: str
    subtitle: str
    answer: tuple[str, ...] = ()
    commands: tuple[tuple[str, str], ...] = ()
    cards: tuple[Card, ...] = ()
    tiles: tuple[Tile, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    tables: tuple[PageTable, ...] = ()
    main: int = 0
    charts: tuple[Chart, ...] = ()
    rankings: tuple[Ranking, ...] = ()
    details: tuple[Detail, ...] = ()
    blocks_title: str = ""
    blocks: tuple[Detail, ...] = ()
    nights: tuple[tuple[Night, ...], ...] = ()
    links: tuple[tuple[str, str], ...] = ()
    feed: str = ""


def render(page: Page) -> str:
    """The page as HTML. Its scripts and styles are allowed by their digests, and nothing else can be loaded or run."""
    # uPlot is half of a page; only charts need it.
    skipped = 0 if page.charts else 1
    style, script = _joined(STYLES[skipped:]), _joined(SCRIPTS[skipped:])
    data = {name: getattr(page, name) for name in _DATA}
    values = msgspec.structs.asdict(page) | {name: one_line(getattr(page, name)) for name in ("title", "subtitle")}
    text: str = _template().render(
        **values,
        style=style,
        script=script,
        style_digest=_digest(style),
        script_digest=_digest(script),
        data=script_json(data),
    )
    return text


def script_json(value: Any) -> str:
    """The value as JSON in ASCII that can't end the script element in which it stands."""
    return _UNSAFE.sub(_escaped, msgspec.json.encode(value).decode())


def _escaped(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at] << 8 | units[at + 1]:04x}" for at in range(0, len(units), 2))


@cache
def _joined(paths: tuple[str, ...]) -> str:
    folder = resources.files(__package__)
    return "\n".join(folder.joinpath(path).read_text(encoding="utf-8").strip() for path in paths)


def _digest(text: str) -> str:
    """The text's digest as a content security policy has it."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


@cache
def _template() -> Template:
    environment = Environment(
        loader=PackageLoader("autoperf.reports.html"), undefined=StrictUndefined, autoescape=True,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    return environment.get_template("page.html.jinja")
