"""Findings as reports for an issue tracker, each with a script that needs no autoperf."""

from __future__ import annotations

from collections.abc import Iterator

from autoperf.core.errors import UsageError
from autoperf.core.finding import Finding
from autoperf.core.releases import release_title
from autoperf.hunt.code import code_line
from autoperf.hunt.findings import family, finding_inputs, finding_sentence, held, kernels
from autoperf.hunt.plain_script import plain_script
from autoperf.hunt.report import HuntReport
from autoperf.reports.units import count, factor, one_line
from autoperf.runs.huntlog import HuntHeader

_PACKAGES = ("numpy", "mxnet")
"""The packages that a maintainer asks for."""


def issue_lines(report: HuntReport) -> Iterator[str]:
    """A report for each finding, the costliest first, in Markdown."""
    if not report.findings:
        yield "No input is unexpectedly slow: there is nothing to report.\n"
    for number, (replay, finding) in enumerate(report.ranked):
        yield "\n---\n\n" if number else ""
        yield from (f"{line}\n" for line in _issue(report, replay, finding))


def _issue(report: HuntReport, replay: str, finding: Finding) -> Iterator[str]:
    slow, _ = finding_inputs(finding)
    yield f"# {one_line(f'{finding.operator} ({finding.pass_}) is slow: {slow}')}"
    yield from ("", "## Description", "", f"{finding_sentence(finding)}")
    code = code_line(finding.code) if finding.code else ""
    facts = {"Kernels": kernels(finding), "Code": code, "Other inputs": family(finding), "Checked": held(finding)}
    yield from ("", *(f"- {label}: {one_line(text)}" for label, text in facts.items() if text))
    yield from ("", "## To reproduce", "")
    yield from _script(report, replay, finding)
    if report.header:
        yield from ("", "## Environment", "", *(f"- {line}" for line in _environment(report.header)))


def _script(report: HuntReport, replay: str, finding: Finding) -> Iterator[str]:
    mxnet = report.header.mxnet if report.header else ""
    try:
        script = plain_script(finding.case, None if finding.sides else finding.contrast, finding.pass_, mxnet)
    except UsageError as error:
        yield f"`{replay}`, with autoperf: {error}."
        return
    if finding.sides:
        yield f"The script times the input; run it on {' and on '.join(finding.sides)}."
    else:
        ratio = factor(finding.actual_us / finding.contrast_us)
        yield f"The script times both inputs; the slow one took {ratio} times as long."
    yield from ("", "```python", script.rstrip(), "```")


def _environment(header: HuntHeader) -> Iterator[str]:
    environment = header.environment
    threads = "" if header.threads is None else f", {count(header.threads, 'thread')}"
    yield f"{release_title(header.mxnet)}{threads}"
    packages = ", ".join(f"{name} {environment.packages[name]}" for name in _PACKAGES if name in environment.packages)
    yield ", ".join(filter(None, (f"Python {environment.python}", packages, environment.system)))
    yield f"{environment.processor.model}; {header.started}"
    variables = {name: value for name, value in environment.settings.items() if not name.startswith("AUTOPERF_")}
    yield from ([" ".join(f"{name}={value}" for name, value in sorted(variables.items()))] if variables else [])
    yield f"found by autoperf {header.autoperf} (seed {header.seed})"
