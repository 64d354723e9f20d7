"""A table of rows in each format, and Markdown's own signs."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from rich.cells import cell_len

from autoperf.reports.columns import Column, Place, View, fact
from autoperf.reports.layout import cells, escape, heading
from autoperf.reports.table import Report, Table, csv_lines, json_lines, markdown_lines, terminal_lines
from tests.reports.report_values import run_text
from tests.values import PAIR, measured, timed

Call = tuple[str, str, float, int]
COLUMNS: tuple[Column[Call], ...] = (
    fact("operator", lambda row: row[0], place=Place.LEAD),
    fact("profile", lambda row: row[1], csv=""),
    Column("time", "time", lambda row: row[2], unit="us", csv="time_us", place=Place.FIGURE),
    Column("bytes", "memory", lambda row: row[3], unit="bytes", csv="bytes", place=Place.FIGURE, priority=1),
)
TABLE = Table("calls", COLUMNS, [("exp", "small", 1.5, 512), ("dot", "large", 1250.0, 2048)], "2 calls")
REPORT = Report("A run", ("dot is the slowest",), (TABLE,), ("times are medians",))


def terminal(report: Report, width: int) -> str:
    return "".join(f"{line.plain.rstrip()}\n" for line in terminal_lines([report], width))


def test_every_format_follows_from_the_columns() -> None:
    assert [line.split() for line in terminal(REPORT, 60).splitlines()] == [
        ["A", "run"], [],
        ["calls", "(2", "calls)", "time", "memory"],
        ["exp", "1.50", "us", "512", "B"],
        ["dot", "1.25", "ms", "2.00", "KiB"],
        [], ["times", "are", "medians"], [], ["dot", "is", "the", "slowest"],
    ]  # fmt: skip
    assert "".join(markdown_lines([REPORT])) == (
        "## A run\n\n**dot is the slowest**\n\n### calls (2 calls)\n\n"
        "| operator | time | memory |\n|---|---:|---:|\n"
        "| exp | 1.50 us | 512 B |\n| dot | 1.25 ms | 2.00 KiB |\n"
        "\n- times are medians\n"
    )
    assert "".join(csv_lines(TABLE)) == "operator,time_us,bytes\nexp,1.5,512\ndot,1250.0,2048\n"
    assert TABLE.records()[1] == {"operator": "dot", "time_us": 1250.0, "bytes": 2048}


def test_a_table_is_divided_into_parts_and_on_a_terminal_into_sections() -> None:
    parts = Report(tables=(replace(TABLE, title="", part=lambda row: row[1]),))
    assert "".join(markdown_lines([parts])).count("| operator | time | memory |") == 2
    divided = Report(tables=(replace(TABLE, title="", section=lambda row: row[1]),))
    assert [line.split()[0] for line in terminal(divided, 60).splitlines()] == [
        "operator",
        "small",
        "exp",
        "large",
        "dot",
    ]


def test_a_compact_table_is_as_wide_as_its_rows() -> None:
    compact = Report(tables=(replace(TABLE, title="", note="", compact=True),))
    assert max(map(len, terminal(compact, 200).splitlines())) == len("operator") + 9 + 10


@pytest.mark.parametrize("width", [50, 60, 200])
def test_chosen_words_of_any_length_stand_in_columns(width: int) -> None:
    long = replace(COLUMNS[1], value=lambda row: f"{row[0]} of a {row[1]} size")
    chosen = replace(TABLE, columns=(COLUMNS[0], long, *COLUMNS[2:]), view=View(("profile", "time")))
    first, second = (line for line in terminal(Report(tables=(chosen,)), width).splitlines() if " size" in line)
    assert first.endswith("exp of a small size  1.50 us")
    assert second.endswith("dot of a large size  1.25 ms")
    assert len(first) == len(second) <= width
    # Where they don't fit, each value is spelled with its name.
    longer = replace(chosen, columns=(COLUMNS[0], replace(long, value=lambda _: "word " * width), *COLUMNS[2:]))
    text = terminal(Report(tables=(longer,)), width)
    assert max(map(len, text.splitlines())) <= width
    assert "time 1.50 us" in " ".join(text.split())


@pytest.mark.parametrize("head", [20, 30, 33, 45])
@pytest.mark.parametrize("words", [["data", "(32,", "32)"], []])
def test_figures_keep_their_columns_behind_a_long_head(head: int, words: list[str]) -> None:
    table = replace(TABLE, head=lambda _row, _width: "h" * head, words=lambda _: words)
    lines = terminal(Report(tables=(table,)), 50).splitlines()
    assert max(map(len, lines)) <= 50
    assert [line.index("us") for line in lines if " us" in line] == [lines[0].index("time") + 2]


@pytest.mark.parametrize("width", [50, 80, 200])
@pytest.mark.parametrize("sort", ["", "-forward_wall"])
def test_signs_of_two_columns_count_as_two(width: int, sort: str) -> None:
    note = "\u6ce8\u91ca\uff1a" + "\u957f" * 200
    run = [
        measured("\u7b97\u5b50" * 3, "\u540d\u5b57" * 8, PAIR, timed(3, 5, (note,))),
        measured("exp", "small", PAIR, timed(3, 5), digest="1"),
    ]
    lines = [line.rstrip() for line in run_text(run, sort=sort, width=width).splitlines()]
    assert max(map(cell_len, lines)) <= width
    assert len({cell_len(line[: line.index("3.00 us")]) for line in lines if "3.00 us" in line and "KiB" in line}) == 1
    assert "".join("".join(lines).split()).count("\u957f") == 200


@pytest.mark.parametrize(("view", "how"), [(None, "a wider terminal and"), (View(), "--columns shows them")])
def test_hidden_columns_are_named_with_what_shows_them(view: View | None, how: str) -> None:
    narrow = terminal(Report(tables=(replace(TABLE, view=view),)), 45)
    assert "512 B" not in narrow
    hidden = " ".join(narrow.split()).partition("hidden at this width: memory; ")[2]
    assert hidden.startswith(how)


def test_json_has_a_row_a_line() -> None:
    text = "".join(json_lines({"by": "operator", "rows": TABLE.records(), "read": iter([1, 2]), "notes": ["a", "b"]}))
    assert json.loads(text) == {"by": "operator", "rows": TABLE.records(), "read": [1, 2], "notes": ["a", "b"]}
    assert len(text.splitlines()) == 10
    assert json.loads("".join(json_lines({"rows": iter(())}))) == {"rows": []}


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("a | b", r"a \| b"), ("broadcast_add", "broadcast_add"), ("_contrib_fft", r"\_contrib_fft"),
        ("a*b", r"a\*b"), ("a\nb", "a b"), ("\\|", r"\\\|"), ("x_ _y", r"x\_ \_y"), ("`data` < 3", r"\`data\` \< 3"),
        ("__init__", r"\_\_init\_\_"),
    ],
)  # fmt: skip
def test_escape(text: str, escaped: str) -> None:
    assert escape(text) == escaped


def test_a_table() -> None:
    assert heading([("name", False), ("median", True)]) + cells(["exp", "1 us"]) == (
        "| name | median |\n|---|---:|\n| exp | 1 us |\n"
    )
