"""The section of an operator: for each case its parts, kernels, samples, and the command that measures it again."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

import msgspec

from autoperf.cases.build import Recipe
from autoperf.cases.handwritten import OwnInputs
from autoperf.core.clocks import CLOCKS
from autoperf.core.errors import AutoperfError
from autoperf.core.outcome import Outcome, Series, Status
from autoperf.core.probe import Reference
from autoperf.reports.html.page import Detail, Distribution
from autoperf.reports.runs import RunReport
from autoperf.reports.summary import details, verdict
from autoperf.reports.units import duration, one_line
from autoperf.results.runfile import RunHeader
from autoperf.results.statistics import reference_samples


def case_detail(report: RunReport, outcome: Outcome) -> Detail:
    """The details of an outcome of the run."""
    return Detail(
        notes=tuple(_notes(outcome)),
        distributions=tuple(_distributions(outcome, report.reference(outcome))),
        command=repeat_command(report.header, outcome) if isinstance(report.header, RunHeader) else "",
    )


def _notes(outcome: Outcome) -> Iterator[str]:
    if outcome.status is not Status.MEASURED:
        yield verdict(outcome)
    elif outcome.reason:
        yield f"no backward figure: {one_line(outcome.reason)}"
    yield from map(one_line, details(outcome))
    for name, run in outcome.passes.items():
        yield from (f"{name}: {one_line(note)}" for note in run.notes)


def _distributions(outcome: Outcome, reference: Reference | None) -> Iterator[Distribution]:
    for name, run in outcome.passes.items():
        for clock in CLOCKS:
            series = run.series(clock)
            made = distribution(f"{name} {clock.name}", series, reference) if series else None
            if made:
                yield made


BINS = 24
MIN_SAMPLES = 5
TAIL_SHARE = 0.99
"""The range ends at this percentile; the last bin has the samples above too."""
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def distribution(label: str, series: Series, reference: Reference | None) -> Distribution | None:
    """The histogram of a series at the reference speed, in microseconds; None for too few samples."""
    samples = sorted(reference_samples(series, reference))
    if len(samples) < MIN_SAMPLES:
        return None
    low, high = samples[0], samples[int(TAIL_SHARE * (len(samples) - 1))]
    more = "" if samples[-1] == high else " and more"
    return Distribution(label, _bins(samples, low, high), (duration(low), f"{duration(high)}{more}"))


def _bins(samples: Sequence[float], low: float, high: float) -> str:
    """The counts as digits to base 36: the fullest bin has the largest digit, and only an empty one has 0."""
    counts = [0] * BINS
    for sample in samples:
        counts[min(BINS - 1, int(BINS * (sample - low) / (high - low))) if high > low else BINS // 2] += 1
    fullest = max(counts)
    return "".join(_DIGITS[-(-count * (len(_DIGITS) - 1) // fullest)] for count in counts)


_DRAWING = {"seed": "--seed", "draws": "--draws", "elements": "--max-elements"}
"""The fields of a recipe that decide the drawn inputs, with their options; defaults are left out."""


class _StoredOptions(msgspec.Struct, frozen=True):
    """The options in a header that decide a case."""

    recipe: Recipe
    mxnet: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    label: str = ""
    rules: tuple[str, ...] = ()
    cases: tuple[str, ...] = ()
    own: OwnInputs = OwnInputs()


def repeat_command(header: RunHeader, outcome: Outcome) -> str:
    """The command line, quoted for a shell; empty if the header lacks the options of the run."""
    try:
        options = msgspec.convert(header.options, _StoredOptions)
    except (msgspec.ValidationError, AutoperfError):
        return ""
    return shlex.join(["autoperf", "run", *_release(options), *_source(options), *_case(options, outcome)])


def _release(options: _StoredOptions) -> Iterator[str]:
    """The release of this file, where the run named one."""
    for release, label in zip(options.mxnet, options.labels, strict=False):
        if label == options.label:
            yield from ("--mxnet", release)


def _source(options: _StoredOptions) -> Iterator[str]:
    """The options for the source of the inputs: the user's rules, files or words, or a seed."""
    for path in options.rules:
        yield from ("--rules", path)
    for path in options.cases:
        yield from ("--cases", path)
    for text in options.own.inputs:
        yield from ("--input", text)
    for text in options.own.params:
        yield from ("--param", text)
    if not options.cases:
        yield from _recipe(options.recipe, drawn=not options.own)


def _recipe(recipe: Recipe, *, drawn: bool) -> Iterator[str]:
    usual = Recipe()
    for name, option in _DRAWING.items() if drawn else ():
        if getattr(recipe, name) != getattr(usual, name):
            yield from (option, str(getattr(recipe, name)))
    if recipe.dtypes:
        yield from ("--dtype", ",".join(recipe.dtypes))


def _case(options: _StoredOptions, outcome: Outcome) -> Iterator[str]:
    yield from ("--operator", outcome.operator)
    if not options.own:
        yield from ("--input-profile", outcome.profile)
