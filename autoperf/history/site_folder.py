"""A history's site in a folder."""

from __future__ import annotations

from pathlib import Path

from autoperf.comparison.expectations import Expectations
from autoperf.core.errors import OutputError, UsageError
from autoperf.core.files import write_atomic
from autoperf.history.accepted import accepted_steps
from autoperf.history.report import changes_notices
from autoperf.history.results import result_changes, without_fingerprints
from autoperf.history.series import changes, series_sets
from autoperf.history.site import FOLDER, Site
from autoperf.history.site_pages import site_files
from autoperf.history.store import History

_MARK = '<meta name="generator" content="autoperf">'


def write_site(
    folder: Path, history: History, expectations: Expectations, url: str = ""
) -> tuple[int, tuple[str, ...]]:
    """Writes the site of a history; the number of its pages, and the answer of the last night.

    Raises UsageError for a history without series, or a folder with another site, and OutputError.
    """
    _check(folder)
    site = _site(history, expectations, url)
    if not site.sets:
        raise UsageError(f"{history.path} has no measurements: `autoperf history add` adds runs")
    written = 0
    try:
        (folder / FOLDER).mkdir(parents=True, exist_ok=True)
        for path, text in site_files(site):
            write_atomic(folder / path, text)
            written += path.endswith(".html")
    except OSError as error:
        raise OutputError(f"can't write {error.filename or folder}: {error.strerror}") from error
    return written, site.answer


def _check(folder: Path) -> None:
    """Raises UsageError for a folder whose first page is of something else, which would be lost."""
    index = folder / "index.html"
    if index.exists() and _MARK not in index.read_text(encoding="utf-8", errors="replace")[:2000]:
        raise UsageError(f"{index} isn't of a site that autoperf made: name another folder")


def _site(history: History, expectations: Expectations, url: str) -> Site:
    sets = list(series_sets(history))
    listed, results = changes(history, sets=sets), result_changes(history)
    accepted = accepted_steps(listed.found, expectations)
    return Site(
        sets=sets,
        changes=listed.without([each.change for each in accepted]),
        accepted=accepted,
        results=[change for change in results if not expectations.allows(change.case.operator)],
        notices=tuple(filter(None, (*changes_notices(listed), without_fingerprints(history)))),
        url=f"{url.rstrip('/')}/" if url else "",
    )
