"""Fills docs/layers.md with the times of every layer in each way to run it, and with the example.

python tools/layer_tables.py                           # measures: some four minutes of an idle machine
python tools/layer_tables.py run.ndjson example.ndjson # from runs of the same cases
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from page_blocks import DOCS, ROOT, fill

from autoperf.analysis.layer_times import LayerTimes, layer_times
from autoperf.core.layers import CATEGORY, IMPERATIVE, WAYS
from autoperf.core.outcome import PASSES, Outcome, PassName, Status
from autoperf.reports.markdown import cells, heading
from autoperf.reports.speed import speed_line
from autoperf.reports.units import NONE, case_words, duration, quantity, size
from autoperf.reports.warnings import load
from autoperf.results.runfile import Run, read_run

PAGE = DOCS / "layers.md"
MEASUREMENT = ("--draws", "0", "--max-time", "30ms", "--processes", "1")
EXAMPLE = (
    "run", "--operator", "gluon.nn.Conv2D", "--operator", "gluon.rnn.LSTMCell", "--input-profile", "imperative",
    "--input-profile", "hybridized", "--input-profile", "static", "--max-time", "100ms", "--processes", "3",
)  # fmt: skip
MAX_KERNELS = 3
"""So many kernels of a layer are named."""
HEAD = (
    ("layer", False), *((f"forward {way}", True) for way in WAYS), *((f"backward {way}", True) for way in WAYS),
    *((f"{name} GFLOP/s", True) for name in PASSES), ("memory", True), ("kernels", False),
)  # fmt: skip


def measured(folder: Path) -> tuple[Path, Path]:
    """A run of every layer's common configuration, and one of the layers of the example."""
    everything, example_run = folder / "run.ndjson", folder / "example.ndjson"
    autoperf("doctor")
    profiles = [word for way in WAYS for word in ("--input-profile", way)]
    autoperf("run", "--category", CATEGORY, *profiles, *MEASUREMENT, "--run-file", str(everything))
    autoperf(*EXAMPLE, "--run-file", str(example_run))
    return everything, example_run


def autoperf(*words: str) -> str:
    """What a command prints."""
    command = [sys.executable, "-m", "autoperf", *words]
    environment = {**os.environ, "COLUMNS": "100"}
    return subprocess.run(command, check=True, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True).stdout


def example(run: Path) -> str:
    """The table of a run on a terminal, without the last lines, which name the build's path and the command."""
    lines = [line.rstrip() for line in autoperf("report", str(run)).splitlines()]
    totals = next(number for number, line in enumerate(lines) if " measured + " in line)
    return "\n".join(["```text", "$ autoperf report layers-run.ndjson", *lines[: totals + 1], "...", "```"])


def block(run: Run) -> str:
    """A row for each layer."""
    notes = filter(None, (load(run.outcomes), speed_line(run.outcomes)))
    head = f"MXNet {run.header.mxnet}{''.join(f'; {note}' for note in notes)}:\n\n"
    return "".join([head, heading(HEAD), *(cells(row_of(layer)) for layer in layers_of(run.outcomes))]).rstrip()


def layers_of(outcomes: Sequence[Outcome]) -> Iterator[LayerTimes]:
    """The layers in several ways, then those that can't be hybridized."""
    beside = layer_times(outcomes)
    yield from beside
    cases = {outcome.case for layer in beside for outcome in layer.ways.values()}
    for outcome in outcomes:
        if outcome.status is Status.MEASURED and outcome.case not in cases:
            yield LayerTimes({IMPERATIVE: outcome})


def row_of(layer: LayerTimes) -> list[str]:
    """The cells of a layer; rates and memory are of its last way, a graph with static memory where there is one."""
    last = list(layer.ways)[-1]
    rates = [layer.throughput(name).get(last) for name in PASSES]
    memory = layer.memory("forward").get(last)
    return [
        " ".join([layer.outcome.operator, *case_words(layer.outcome)]),
        *(_wall(layer, "forward", way) for way in WAYS),
        *(_wall(layer, "backward", way) for way in WAYS),
        *(NONE if rate is None else quantity(rate.gflop_per_s, "") for rate in rates),
        size(None if memory is None else int(memory)),
        ", ".join(list(layer.kernels("forward"))[:MAX_KERNELS]) or NONE,
    ]


def _wall(layer: LayerTimes, pass_: PassName, way: str) -> str:
    return duration(layer.wall(pass_).get(way))


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
