"""Fills docs/hunt.md with what hunts found, and keeps the scripts of their strongest findings.

    python docs/hunt_found.py FOLDER FOLDER ...        # folders that `autoperf hunt --output FOLDER` wrote
    python docs/hunt_found.py --planted FILE           # what `python benches/hunt_planted.py` printed

Of each hunt: the command, the release, what was searched, and its strongest findings, each with a script in docs/hunt/.
"""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from collections import Counter
from pathlib import Path

from autoperf.core.finding import Finding
from autoperf.reports.hunt import ranked, sentence, to_markdown
from autoperf.results.huntfile import read_folder
from autoperf.results.huntlog import HuntHeader

DOCS = Path(__file__).parent
PAGE = DOCS / "hunt.md"
KEPT = DOCS / "hunt"
STRONGEST = 8
ALIKE = 2


def section(folder: Path) -> str:
    """What one hunt found, its strongest findings first; their scripts are copied."""
    header, scripts, searched = read_folder(folder)
    strongest = varied(ranked(scripts))
    kept: dict[str, Finding] = {}
    for script, finding in strongest:
        place = KEPT / header.mxnet / Path(script).name
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(folder / script, place)
        kept[str(place.relative_to(DOCS))] = finding
    command = shlex.join(["autoperf", *_public(header)])
    _, _, table = to_markdown(kept, searched).partition("\n")
    more = len(scripts) - len(strongest)
    rest = f"\n{more} more findings are weaker, or like these.\n" if more else ""
    return f"### MXNet {header.mxnet}: `{command}`\n\n{sentence(scripts, searched)}\n{table}{rest}"


def varied(findings: list[tuple[str, Finding]]) -> list[tuple[str, Finding]]:
    """The strongest, but of those that have one family's words in common only two."""
    kept: list[tuple[str, Finding]] = []
    seen: Counter[str] = Counter()
    for script, finding in findings:
        seen[finding.family] += 1
        if seen[finding.family] <= ALIKE and len(kept) < STRONGEST:
            kept.append((script, finding))
    return kept


def _public(header: HuntHeader) -> list[str]:
    """The options without the places of one machine: the release in place of a path to it."""
    words = [word for word in header.command if not word.endswith("/autoperf") and word != "autoperf"]
    places = {"--output": [], "--mxnet": ["--mxnet", header.mxnet]}
    public: list[str] = []
    for at, word in enumerate(words):
        if word in places:
            public += places[word]
        elif not at or words[at - 1] not in places:
            public.append(word)
    return public


def fill(name: str, body: str) -> None:
    """A block of the page stands between `<!-- name -->` and `<!-- /name -->`."""
    block = f"<!-- {name} -->\n{body.strip()}\n<!-- /{name} -->"
    PAGE.write_text(re.sub(rf"<!-- {name} -->.*?<!-- /{name} -->", lambda _: block, PAGE.read_text(), flags=re.DOTALL))


def main(arguments: list[str]) -> None:
    """Fill the block `planted` from a file, or the block `found` from folders."""
    if arguments[:1] == ["--planted"]:
        fill("planted", Path(arguments[1]).read_text())
        return
    shutil.rmtree(KEPT, ignore_errors=True)
    fill("found", "\n".join(section(Path(folder)) for folder in arguments))


if __name__ == "__main__":
    main(sys.argv[1:])
