"""Runs the examples of docs/guides/python.md and from-opperf.md, and writes their output below them.

    python tools/python_examples.py                  # both pages; they are measurements, so use an idle machine
    python tools/python_examples.py docs/guides/python.md
    python tools/python_examples.py --forms          # write only outputs whose form has changed

An example is a block of Python or of shell commands (`$ autoperf ...`) with a block `text` right after it. All Python
blocks of a page run in one process, in order, in a folder of their own.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tools.page_blocks import DOCS, require_quiet

PAGES = (DOCS / "guides" / "python.md", DOCS / "guides" / "from-opperf.md")
FORMS = "--forms"
_EXAMPLE = re.compile(r"(```python\n(?P<code>.*?)```\n\n```text\n)(?P<output>.*?)(?=```)", re.DOTALL)
_SESSION = re.compile(r"(?P<head>```text\n)(?P<session>\$ autoperf .*?)(?=```)", re.DOTALL)
_FOLDER = re.compile(r"(?<=\()/\S+/(?=mxnet/libmxnet\.so)")
"""Where MXNet is installed, which differs from machine to machine."""
_END = "--- end of example ---"


class DocumentPage(NamedTuple):
    """A page, and the outputs of its examples."""

    text: str

    @property
    def codes(self) -> list[str]:
        """The Python blocks that have an output."""
        return [match["code"] for match in _EXAMPLE.finditer(self.text)]

    @property
    def sessions(self) -> list[str]:
        """The blocks with commands."""
        return [match["session"] for match in _SESSION.finditer(self.text)]

    def outputs(self, folder: Path) -> Iterator[str]:
        """What each Python block prints, in order."""
        program = "".join(f"{code}\nprint({_END!r})\n" for code in self.codes)
        command = [sys.executable, "-c", program]
        ended = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
        if ended.returncode:
            raise SystemExit(f"an example failed:\n{ended.stderr}")
        yield from (part.lstrip("\n") for part in ended.stdout.split(_END)[:-1])

    def filled(self, folder: Path, *, forms: bool = False) -> str:
        """The page with the outputs of now; with `forms`, an output of the same form stays as it is."""
        outputs = self.outputs(folder) if self.codes else iter(())

        def example(match: re.Match[str]) -> str:
            output = tidy(next(outputs))
            kept = forms and form(output) == form(match["output"])
            return match[1] + (match["output"] if kept else output)

        def session(match: re.Match[str]) -> str:
            output = run_session(match["session"], folder)
            kept = forms and form(output) == form(match["session"])
            return match["head"] + (match["session"] if kept else output)

        return _SESSION.sub(session, _EXAMPLE.sub(example, self.text))


def run_session(session: str, folder: Path) -> str:
    """The commands of a block, each with what it prints: standard output, and `cat FILE` as such."""
    parts: list[str] = []
    for line in session.splitlines():
        if line.startswith("$ "):
            words = line[2:].replace("autoperf ", f"{sys.executable} -m autoperf ", 1)
            ended = subprocess.run(["bash", "-c", words], capture_output=True, text=True, check=False, cwd=folder)
            parts.append(f"{line}\n{tidy(ended.stdout)}")
    return "".join(parts)


def tidy(text: str) -> str:
    """The text without spaces at the ends of lines and the folder of MXNet's library, with a line feed at its end."""
    return "".join(f"{line.rstrip()}\n" for line in _FOLDER.sub("", text).splitlines())


def form(text: str) -> str:
    """The text without its figures, spaces and warnings, which differ from run to run."""
    plain = re.sub(r"\d+(?:\.\d+)?(?:e-?\d+)?", "0", text)
    plain = re.sub(r"0x[0-9a-f]+|\b(?:us|ms|s|B|KiB|MiB)\b", "", plain)
    return re.sub(r"[\s|+-]+", " ", plain)


def main(words: list[str]) -> None:
    """Refreshes the pages."""
    require_quiet()
    forms = FORMS in words
    for path in [Path(word) for word in words if word != FORMS] or PAGES:
        with tempfile.TemporaryDirectory() as folder:
            path.write_text(DocumentPage(path.read_text()).filled(Path(folder), forms=forms))


if __name__ == "__main__":
    main(sys.argv[1:])
