"""Fills docs/networks.md with where the time of its networks goes, under one release.

python tools/network_tables.py 1.9.1                   # captures and measures: some four minutes of an idle machine
python tools/network_tables.py 2.0.0b1                 # a release of `autoperf releases`, or the path of a build

The networks are captured with the installed MXNet, which has the Python package. Its own figures are the example too.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from page_blocks import DOCS, ROOT, fill

from autoperf.analysis.network_times import NetworkTimes, network_times
from autoperf.core.outcome import Outcome
from autoperf.reports.markdown import cells, escape, heading
from autoperf.reports.networks import WHOLE_COLUMNS, NetworkTable, network_tables
from autoperf.reports.speed import speed_line
from autoperf.reports.warnings import load
from autoperf.results.runfile import read_run

PAGE = DOCS / "networks.md"
NETWORKS = {
    "resnet50_v1": "1",
    "mobilenet_v2_1_0": "1",
    "examples/networks/language_model.py:small": "32",
    "examples/networks/detector.py:heads": "1",
    "examples/networks/transformer.py:encoder": "8",
}
"""The networks, and the batch size of each."""
TRAINED = {"resnet18_v1": "4", "examples/networks/segmentation.py:unet": "1"}
"""Those that are captured in training mode, so that their calls have a backward pass."""
INSTALLED = "1.9.1"
MEASUREMENT = ("--max-time", "100ms", "--processes", "2")
MAX_ROWS = {"by operator": 6, "by call": 3}
"""How many rows of a network's tables the page has."""


def measured(folder: Path, release: str) -> list[Path]:
    """The run files of the networks under a release, in a folder."""
    _autoperf("doctor", "--mxnet", release)
    plain = ((network, "--batch", batch) for network, batch in NETWORKS.items())
    trained = ((network, "--batch", batch, "--train") for network, batch in TRAINED.items())
    return [_run(folder, number, release, words) for number, words in enumerate((*plain, *trained))]


def _run(folder: Path, number: int, release: str, words: Sequence[str]) -> Path:
    cases, run = folder / f"cases-{number}.ndjson", folder / f"run-{number}.ndjson"
    _autoperf("capture", *words, "--cases-file", str(cases))
    _autoperf("run", "--mxnet", release, "--cases", str(cases), *MEASUREMENT, "--run-file", str(run))
    return run


def _autoperf(*words: str) -> str:
    command = [sys.executable, "-m", "autoperf", *words]
    environment = {**os.environ, "COLUMNS": "100"}
    return subprocess.run(command, check=True, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True).stdout


def example(run: Path) -> str:
    """The tables of a run on a terminal, without the last lines, which name the build's path and the command."""
    lines = [line.rstrip() for line in _autoperf("report", str(run), "--limit", "3").splitlines()]
    totals = next(number for number, line in enumerate(lines) if " measured + " in line)
    return "\n".join(["```text", "$ autoperf report resnet-run.ndjson --limit 3", *lines[: totals + 1], "...", "```"])


def block(release: str, outcomes: Sequence[Outcome]) -> str:
    """The whole networks beside the sums of their parts, then the ranked operators and calls of each."""
    networks = network_times(outcomes)
    notes = filter(None, (load(outcomes), speed_line(outcomes)))
    head = f"MXNet {release}{''.join(f'; {note}' for note in notes)}:\n\n"
    return "".join([head, *_wholes(networks), *(line for network in networks for line in _ranked(network))]).rstrip()


def _wholes(networks: Sequence[NetworkTimes]) -> Iterator[str]:
    yield heading([("network", False), ("pass", False), *((column.title, True) for column in WHOLE_COLUMNS)])
    for network in networks:
        for time in network.whole:
            figures = (column.spell(time) for column in WHOLE_COLUMNS)
            yield cells([network.name, f"{time.pass_} {time.way}", *figures])


def _ranked(network: NetworkTimes) -> Iterator[str]:
    tables: Iterator[NetworkTable[object]] = network_tables(network, max(MAX_ROWS.values()))
    for table in tables:
        if table.title in MAX_ROWS:
            yield f"\n{escape(network.name)}, {table.title} ({table.note}):\n\n"
            yield heading([("", False), *((column.title, True) for column in table.filled)])
            for row in table.rows[: MAX_ROWS[table.title]]:
                yield cells([" ".join(table.words(row)), *(column.spell(row) for column in table.filled)])


def main(arguments: Sequence[str]) -> int:
    """Writes the block of the release, and the example if it is the installed one."""
    if len(arguments) != 1:
        raise SystemExit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        paths = measured(Path(folder), arguments[0])
        runs = [read_run(path) for path in paths]
        release = runs[0].header.mxnet
        outcomes = [outcome for run in runs for outcome in run.outcomes]
        fill(PAGE, {f"networks-{release}": block(release, outcomes)})
        if release == INSTALLED:
            fill(PAGE, {"example": example(paths[0])})
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
