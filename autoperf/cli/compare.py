"""`autoperf compare`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from autoperf.analysis.comparison import CLOCKS, PASSES, THRESHOLD, Question
from autoperf.cli.given import given_options
from autoperf.cli.options import (
    expanded,
    libraries_option,
    measuring_in,
    recipe_options,
    rules_option,
    selection_options,
)
from autoperf.cli.types import ShareType
from autoperf.core.errors import OutputError, UsageError

if TYPE_CHECKING:
    from autoperf.analysis.comparison import Comparison
    from autoperf.cases.build import Recipe
    from autoperf.executor.settings import Settings
    from autoperf.pipeline.selection import Selection

FORMATS = ("table", "md", "json", "junit", "csv")
SLOWER = 1
INTERRUPTED = 130
# Pairs of processes, which take turns of each case, and how long all turns of a side may take.
PROCESSES = 5
MAX_TIME = 1.0
# What says how two files are compared; all else says how sides are measured.
COMPARING = frozenset({"base", "new", "threshold", "margin", "aa", "clock", "pass_", "only_changed", "form", "output"})


def _show(found: Comparison, form: str, brief: bool, output: Path | None) -> None:
    """Prints the comparison, or writes it; notices go to standard error where the format has no place for them."""
    from autoperf.cli.output import put, show, tell
    from autoperf.reports import comparison, comparison_exports

    shown = comparison_exports.only_changed(found) if brief else found
    if form == "table" and not output:
        show(comparison.table(shown))
        return
    texts: dict[str, Callable[[Comparison], str]] = {
        "table": comparison.to_text,
        "md": partial(comparison_exports.to_markdown, brief=brief),
        "json": comparison_exports.to_json,
        "junit": comparison_exports.to_junit,
        "csv": comparison_exports.to_csv,
    }
    text = texts[form](shown)
    for notice in found.notices if output or form in ("junit", "csv") else ():
        tell([f"note: {notice}"])
    if output:
        _write(output, text)
        put(f"{comparison.sentence(found)}\n")
    else:
        put(text)


def _write(output: Path, text: str) -> None:
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise OutputError(f"can't write {output}: {error.strerror}") from error


def _both(_context: click.Context, _parameter: click.Parameter, value: tuple[str, str] | None) -> object:
    return tuple(map(Path, value)) if value else None


def _environments(
    _context: click.Context, _parameter: click.Parameter, values: tuple[str, ...]
) -> tuple[dict[str, str], dict[str, str]]:
    """The variables of side A and of side B, from `A:OMP_NUM_THREADS=1`."""
    found: dict[str, dict[str, str]] = {"A": {}, "B": {}}
    for value in values:
        spelled = re.fullmatch(r"([AB]):([A-Za-z_][A-Za-z0-9_]*)=(.*)", value)
        if spelled is None:
            raise click.BadParameter(f"{value!r} is no variable of a side; write A:OMP_NUM_THREADS=1 or B:NAME=VALUE")
        if found[spelled[1]].setdefault(spelled[2], spelled[3]) != spelled[3]:
            raise click.BadParameter(f"{spelled[1]}:{spelled[2]} is given two values")
    return found["A"], found["B"]


@click.command()
@click.argument("base", metavar="[BASE.NDJSON", required=False, callback=expanded)
@click.argument("new", metavar="NEW.NDJSON]", required=False, callback=expanded)
@libraries_option
@click.option(
    "--env",
    "environments",
    metavar="A:NAME=VALUE",
    multiple=True,
    callback=_environments,
    help="A variable of side A or side B, which are then measured in turn; may be repeated.",
)
@selection_options
@recipe_options
@measuring_in(PROCESSES, f"{MAX_TIME:g}s")
@click.option("--cases", metavar="FILE", callback=expanded, help="Measure these cases: cases.ndjson, or a .py file.")
@rules_option
@click.option(
    "--threshold", type=ShareType(), default=f"{THRESHOLD:.0%}", show_default=True, help="The least change that counts."
)
@click.option("--margin", type=ShareType(), help="What both runs may differ by without a cause: 3%.")
@click.option(
    "--aa",
    nargs=2,
    metavar="FILE FILE",
    callback=_both,
    help="Two runs of one and the same build, which show this machine's noise.",
)
@click.option("--clock", type=click.Choice((*CLOCKS, "both")), default="both", show_default=True)
@click.option("--pass", "pass_", type=click.Choice((*PASSES, "both")), default="both", show_default=True)
@click.option("--only-changed", is_flag=True, help="List what is faster or slower, and count the rest.")
@click.option("--format", "form", type=click.Choice(FORMATS), default="table", show_default=True)
@click.option("--output", metavar="FILE", callback=expanded, help="Write it here; a line with the sum is printed.")
@click.option("--keep", metavar="FILE", callback=expanded, help="Where the run files of both sides go: FILE-A, FILE-B.")
@click.pass_context
def compare(
    context: click.Context,
    base: Path | None,
    new: Path | None,
    libraries: tuple[str, ...],
    environments: tuple[dict[str, str], dict[str, str]],
    selection: Selection,
    recipe: Recipe,
    settings: Settings,
    cases: Path | None,
    rules: tuple[Path, ...],
    threshold: float,
    margin: float | None,
    aa: tuple[Path, Path] | None,
    clock: str,
    pass_: str,
    only_changed: bool,
    form: str,
    output: Path | None,
    keep: Path | None,
) -> int:
    """Compare two run files case by case, or two builds or environments measured in turn.

    Each figure is faster, slower, the same or undecided. Exits with 1 if anything is slower, 0 if nothing is, 2 if
    there is nothing to compare.

    \b
    autoperf compare base.ndjson new.ndjson
    autoperf compare --mxnet 1.9.1 --mxnet 2.0.0b1 --category broadcast
    autoperf compare --env A:OMP_NUM_THREADS=1 --env B:OMP_NUM_THREADS=2 --operator dot
    """
    from autoperf.cli.compare_sides import check_sides, measure_sides
    from autoperf.pipeline.compare import compare_files
    from autoperf.pipeline.run_files import default_output
    from autoperf.pipeline.run_request import RunRequest
    from autoperf.results.runfile import check_output

    question = Question(
        threshold=threshold,
        margin=margin,
        passes=tuple(name for name in PASSES if pass_ in (name, "both")),
        clocks=tuple(name for name in CLOCKS if clock in (name, "both")),
    )
    if output:
        check_output(output)
    for path in aa or ():
        if not path.is_file():
            raise UsageError(f"--aa {path}: there is no such file")
    if base or new:
        _refuse_measuring(context)
    elif libraries or any(environments):
        request = RunRequest(selection, recipe, settings, cases, keep, libraries, rules, environments)
        check_sides(request)
        paths = measure_sides(replace(request, output=keep or default_output()))
        if paths is None:
            return INTERRUPTED
        base, new = paths
    if not (base and new):
        raise UsageError(
            "compare takes two run files, BASE.NDJSON NEW.NDJSON, or two sides to measure: --mxnet A --mxnet B, "
            "or --env A:NAME=VALUE"
        )
    found: Comparison = compare_files(base, new, question, aa)
    _show(found, form, only_changed, output)
    return SLOWER if found.summary.slower else 0


def _refuse_measuring(context: click.Context) -> None:
    """Raises UsageError for options that say how two sides are measured."""
    if any(parameter.name not in COMPARING for parameter in given_options(context)):
        raise UsageError("run files hold what was measured: leave out the options that measure, or leave out the files")
