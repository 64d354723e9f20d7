"""Fills docs/hunt.md with what hunts found, and keeps the scripts of their strongest findings.

    python docs/hunt_found.py FOLDER FOLDER ...        # folders that `autoperf hunt --output FOLDER` wrote

Of each hunt: the command, the release, what was searched, and its strongest findings, each with a script in docs/hunt/.
"""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from pathlib import Path

from autoperf.core.finding import Finding, Searched
from autoperf.reports.hunt import ranked, to_markdown
from autoperf.results.huntfile import LOG, SCRIPTS
from autoperf.results.huntlog import Ended, Found, HuntHeader, read_log

DOCS = Path(__file__).parent
PAGE = DOCS / "hunt.md"
KEPT = DOCS / "hunt"
STRONGEST = 8


def read(folder: Path) -> tuple[HuntHeader, dict[str, Finding], list[Searched]]:
    """A hunt's header, its findings by their scripts, and what was done of each operator."""
    header, events = read_log(folder / LOG)
    findings: dict[tuple[str, str], Finding] = {}
    searched: dict[str, Searched] = {}
    for event in events:
        if isinstance(event, Found):
            findings[event.finding.case.id, event.finding.pass_] = event.finding
        elif isinstance(event, Ended):
            searched[event.searched.operator] = event.searched
    numbers: dict[str, int] = {}
    scripts: dict[str, Finding] = {}
    for finding in findings.values():
        number = numbers[finding.operator] = numbers.get(finding.operator, 0) + 1
        scripts[f"{SCRIPTS}/{finding.operator}-{number}.py"] = finding
    return header, scripts, list(searched.values())


def section(folder: Path) -> str:
    """What one hunt found, its strongest findings first; their scripts are copied."""
    header, scripts, searched = read(folder)
    strongest = ranked(scripts)[:STRONGEST]
    kept: dict[str, Finding] = {}
    for script, finding in strongest:
        place = KEPT / header.mxnet / Path(script).name
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(folder / script, place)
        kept[str(place.relative_to(DOCS))] = finding
    command = shlex.join(["autoperf", *_public(header.command)])
    more = len(scripts) - len(strongest)
    rest = f"\n{more} weaker findings are left out here.\n" if more else ""
    return f"### MXNet {header.mxnet}: `{command}`\n\n{to_markdown(kept, searched)}{rest}"


def _public(command: tuple[str, ...]) -> list[str]:
    """The options without the places of one machine."""
    words = [word for word in command if not word.endswith("/autoperf") and word != "autoperf"]
    places = {"--output", "--mxnet"}
    return [word for at, word in enumerate(words) if word not in places and (at == 0 or words[at - 1] not in places)]


def main(folders: list[str]) -> None:
    """Fill the block `found`."""
    shutil.rmtree(KEPT, ignore_errors=True)
    body = "\n".join(section(Path(folder)) for folder in folders)
    block = f"<!-- found -->\n{body}<!-- /found -->"
    PAGE.write_text(re.sub(r"<!-- found -->.*?<!-- /found -->", lambda _: block, PAGE.read_text(), flags=re.DOTALL))


if __name__ == "__main__":
    main(sys.argv[1:])
