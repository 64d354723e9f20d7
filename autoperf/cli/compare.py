"""`autoperf compare`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from autoperf.analysis.comparison import CLOCKS, PASSES, THRESHOLD, Question
from autoperf.cli.options import expanded
from autoperf.cli.types import ShareType
from autoperf.core.errors import OutputError

if TYPE_CHECKING:
    from autoperf.analysis.comparison import Comparison

FORMATS = ("table", "md", "json", "junit", "csv")
SLOWER = 1


def _show(found: Comparison, form: str, brief: bool, output: Path | None) -> None:
    """Prints the comparison, or writes it; notices go to standard error where the format has no place for them."""
    from autoperf.cli.output import notices, show
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
        notices().write(f"note: {notice}\n")
    if output:
        _write(output, text)
        click.echo(comparison.sentence(found))
    else:
        click.echo(text, nl=False)


def _write(output: Path, text: str) -> None:
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise OutputError(f"can't write {output}: {error.strerror}") from error


def _both(_context: click.Context, _parameter: click.Parameter, value: tuple[str, str] | None) -> object:
    return tuple(map(Path, value)) if value else None


@click.command()
@click.argument("base", metavar="BASE.NDJSON", callback=expanded)
@click.argument("new", metavar="NEW.NDJSON", callback=expanded)
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
def compare(
    base: Path,
    new: Path,
    threshold: float,
    margin: float | None,
    aa: tuple[Path, Path] | None,
    clock: str,
    pass_: str,
    only_changed: bool,
    form: str,
    output: Path | None,
) -> int:
    """Compare two run files, case by case: faster, slower, same or undecided.

    Exits with 1 if anything is slower, 0 if nothing is, 2 if there is nothing to compare.
    """
    from autoperf.pipeline.compare import compare_files
    from autoperf.results.runfile import check_output

    question = Question(
        threshold=threshold,
        margin=margin,
        passes=tuple(name for name in PASSES if pass_ in (name, "both")),
        clocks=tuple(name for name in CLOCKS if clock in (name, "both")),
    )
    if output:
        check_output(output)
    found: Comparison = compare_files(base, new, question, aa)
    _show(found, form, only_changed, output)
    return SLOWER if found.summary.slower else 0
