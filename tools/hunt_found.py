"""Fills docs/hunt.md with the findings of hunts, and keeps the scripts of the strongest ones.

    python tools/hunt_found.py FOLDER FOLDER ...        # folders that `autoperf hunt --output FOLDER` wrote
    python tools/hunt_found.py --between FOLDER         # of a hunt between two builds, after tools/hunt_league.py
    python tools/hunt_found.py --planted FILE           # what `python benches/hunt_planted.py` printed
    python tools/hunt_found.py --seeds FILE             # what `python benches/hunt_seeds.py` printed
    python tools/hunt_found.py --forms                  # the same figures, in the form that reports have now

For each hunt: the command, the release, the summary, and its strongest findings, each with a script in docs/hunt/;
between two builds in the folder that tools/hunt_league.py makes.
After a change of the report's wording, `--forms` rewrites the table heads and the notes, without measuring.
"""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from collections import Counter
from pathlib import Path

from hunt_league import page_name
from page_blocks import DOCS, block_of, fill

from autoperf.capi.releases import is_version
from autoperf.core.finding import Finding, Fit, Searched
from autoperf.reports.hunt import COLUMNS, notes, ranked, sentence, to_markdown
from autoperf.reports.markdown import heading
from autoperf.reports.units import count
from autoperf.results.huntfile import read_hunt
from autoperf.results.huntlog import HuntHeader

PAGE = DOCS / "hunt.md"
KEPT = DOCS / "hunt"
STRONGEST = 8
ALIKE = 2


def section(folder: Path) -> str:
    """The findings of one hunt, the strongest first; their scripts are copied, but those between two builds."""
    hunt = read_hunt(folder)
    is_between = bool(hunt.header.sides)
    home = DOCS / page_name(hunt.header) if is_between else KEPT / hunt.header.mxnet
    strongest = varied(ranked(hunt.findings))
    kept: dict[str, Finding] = {}
    for script, finding in strongest:
        place = home / Path(script).name
        if not is_between:
            home.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(folder / script, place)
        kept[str(place.relative_to(DOCS if is_between else home.parents[1]))] = finding
    command = shlex.join(["autoperf", *_public(hunt.header)])
    _, _, table = to_markdown(kept, hunt.searched).partition("\n")
    rest = more(len(hunt.findings) - len(strongest))
    summary = sentence(hunt.findings, hunt.searched)
    title = f"`{command}`" if is_between else f"MXNet {hunt.header.mxnet}: `{command}`"
    return f"### {title}\n\n{summary}\n{table}{rest}"


def more(number: int) -> str:
    """How many findings of a hunt the page leaves out."""
    return (
        f"\nLeft out: {count(number, 'finding')} that {'is' if number == 1 else 'are'} weaker or similar.\n"
        if number
        else ""
    )


def restated(body: str) -> str:
    """The block `found` in the form that reports have now: heads of tables, notes, details of neighbours."""
    body = re.sub(r"^\| operator \|.*\n\|[-:|]+\|$", heading(COLUMNS).strip(), body, flags=re.MULTILINE)
    body = re.sub(r"^(\d+) more findings? .*$", lambda line: more(int(line[1])).strip(), body, flags=re.MULTILINE)
    body = re.sub(r" takes \d+% of the time(?=;|$)", "", body, flags=re.MULTILINE)
    return re.sub(r"^- note: .*?(\S+ (?:forward|backward) \(errs by .*)$", _poor, body, flags=re.MULTILINE)


def _poor(note: re.Match[str]) -> str:
    """A note of poor cost models: the words before the list are those of the report, the list stays."""
    example = Searched(
        operator="X", tried=1, refused=0, suspects=0, dropped=0, seconds=1, fits={"forward": Fit(2.0, 9, poor=True)}
    )
    words, _, _ = next(notes([example])).partition("X forward (")
    return f"- note: {words}{note[1]}"


def varied(findings: list[tuple[str, Finding]]) -> list[tuple[str, Finding]]:
    """The strongest findings, at most two of each family; one that stands for itself is alike to none."""
    kept: list[tuple[str, Finding]] = []
    seen: Counter[str] = Counter()
    for script, finding in findings:
        seen[finding.family] += not (finding.check and finding.check.single)
        if seen[finding.family] <= ALIKE and len(kept) < STRONGEST:
            kept.append((script, finding))
    return kept


def _public(header: HuntHeader) -> list[str]:
    """The options without this machine's paths: the release replaces the path to it."""
    words = [word for word in header.command if not word.endswith("/autoperf") and word != "autoperf"]
    public: list[str] = []
    for at, word in enumerate(words):
        before = words[at - 1] if at else ""
        if before == "--mxnet":
            public.append(word if is_version(word) else header.mxnet)
        elif "--output" not in (word, before):
            public.append(word)
    return public


def main(arguments: list[str]) -> None:
    """Fill the blocks `planted` and `seeds` from files, `between` from a folder, `found` from some or from itself."""
    if arguments == ["--forms"]:
        fill(PAGE, {"found": restated(block_of(PAGE.read_text(), "found"))})
        return
    if arguments[:1] == ["--between"]:
        fill(PAGE, {"between": section(Path(arguments[1]))})
        return
    if arguments[:1] in (["--planted"], ["--seeds"]):
        fill(PAGE, {arguments[0].removeprefix("--"): Path(arguments[1]).read_text()})
        return
    shutil.rmtree(KEPT, ignore_errors=True)
    fill(PAGE, {"found": "\n".join(section(Path(folder)) for folder in arguments)})


if __name__ == "__main__":
    main(sys.argv[1:])
