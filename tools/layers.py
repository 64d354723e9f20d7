"""Fills docs/reference/layers.md: the example, and the layers that gain most as a graph.

python tools/layers.py                           # measures: some four minutes of an idle machine
python tools/layers.py run.ndjson example.ndjson # from runs of the same cases
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from autoperf.core.graph import LAYERS, MODES
from autoperf.networks.report import ModeTimes, input_modes
from autoperf.reports.layout import cells, heading
from autoperf.reports.provenance import load, speed_line
from autoperf.reports.units import duration, factor
from autoperf.summary.documents import median_speedups
from tools.page_blocks import DOCS, ROOT, fill, require_quiet
from tools.stored_run import StoredRun, read_run

PAGE = DOCS / "reference" / "layers.md"
MEASUREMENT = ("--draws", "0", "--max-time", "30ms", "--processes", "1")
LAYER = "gluon.rnn.LSTMCell"
PROFILES = tuple(word for way in MODES for word in ("--input-profile", way))
EXAMPLE = ("--operator", LAYER, "--max-time", "100ms", "--processes", "3")
MAX_LAYERS = 10
HEAD = (
    ("layer", False), *((f"forward {way}", True) for way in MODES), ("speed-up", True),
    *((f"backward {way}", True) for way in MODES), ("speed-up", True),
)  # fmt: skip


def measured(folder: Path) -> tuple[Path, Path]:
    """A run of every layer's common configuration, and one of the layer of the example."""
    everything, example_run = folder / "run.ndjson", folder / "example.ndjson"
    require_quiet()
    autoperf("doctor")
    autoperf("run", "--category", LAYERS, *PROFILES, *MEASUREMENT, "--run-file", str(everything))
    autoperf("run", *EXAMPLE, *PROFILES, "--run-file", str(example_run))
    return everything, example_run


def autoperf(*words: str) -> str:
    """The output of a command."""
    command = [sys.executable, "-m", "autoperf", *words]
    environment = {**os.environ, "COLUMNS": "100"}
    return subprocess.run(command, check=True, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True).stdout


def example(run: Path, layer: str = LAYER) -> str:
    """The table of a layer on a terminal, without the answer before it and the notes below it."""
    words = ("--operator", layer)
    lines = [line.rstrip() for line in autoperf("report", str(run), *words).splitlines()]
    first = next(number for number, line in enumerate(lines) if line.startswith("layers ("))
    table = lines[first : lines.index("", first)]
    return "\n".join(["```text", f"$ autoperf report layers-run.ndjson {' '.join(words)}", *table, "...", "```"])


def block(run: StoredRun) -> str:
    """The layers whose static graph gains most in the forward pass, and the gain of all in the median."""
    notes = filter(None, (load(run.outcomes), speed_line(run.outcomes)))
    head = f"MXNet {run.header.mxnet}{''.join(f'; {note}' for note in notes)}."
    layers = input_modes(run.outcomes)
    fastest = sorted(layers, key=gain, reverse=True)[:MAX_LAYERS]
    medians = "".join(f"- {note}\n" for note in median_speedups(layers))
    return f"{head}\n\n{heading(HEAD)}{''.join(cells(row_of(layer)) for layer in fastest)}\n{medians}"


def gain(layer: ModeTimes) -> float:
    """The speed-up of the last way, a graph with static memory, in the forward pass; 0 without a time."""
    return layer.speedup("forward").get(list(MODES)[-1], 0.0)


def row_of(layer: ModeTimes) -> list[str]:
    """The cells of a layer; the speed-up is that of the static graph over the imperative layer."""
    row = [layer.outcome.operator]
    for pass_ in ("forward", "backward"):
        walls, speedup = layer.wall(pass_), layer.speedup(pass_).get(list(MODES)[-1])
        row += [*(duration(walls.get(way)) for way in MODES), factor(speedup) if speedup else "-"]
    return row


def main(arguments: Sequence[str]) -> int:
    """Writes both blocks."""
    if len(arguments) not in (0, 2):
        raise SystemExit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        everything, example_run = map(Path, arguments) if arguments else measured(Path(folder))
        fill(PAGE, {"times": block(read_run(everything)), "example": example(example_run)})
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
