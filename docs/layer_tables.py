"""Fills docs/layers.md with the times of every layer in each way to run it.

python docs/layer_tables.py                           # measures: some four minutes of an idle machine
python docs/layer_tables.py --run run.ndjson          # from a run of the same cases
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from autoperf.analysis.layer_times import LayerTimes, layer_times
from autoperf.core.layers import CATEGORY, IMPERATIVE, WAYS
from autoperf.core.outcome import Outcome, PassName, Status
from autoperf.reports.markdown import cells, heading
from autoperf.reports.speed import speed_line
from autoperf.reports.units import NONE, case_words, duration, quantity, size
from autoperf.reports.warnings import load
from autoperf.results.runfile import Run, read_run

PAGE = Path(__file__).with_name("layers.md")
ROOT = Path(__file__).parents[1]
MEASUREMENT = ("--samples", "0", "--max-time", "30ms", "--processes", "1")
MAX_KERNELS = 3
"""So many kernels of a layer are named."""
HEAD = (
    ("layer", False), *((f"forward {way}", True) for way in WAYS), *((f"backward {way}", True) for way in WAYS),
    ("GFLOP/s", True), ("memory", True), ("kernels", False),
)  # fmt: skip


def measured() -> Run:
    """A run of every layer's common configuration."""
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run.ndjson"
        profiles = (word for way in WAYS for word in ("--profile", way))
        words = ("run", "--category", CATEGORY, *profiles, *MEASUREMENT, "--output", str(run))
        subprocess.run([sys.executable, "-m", "autoperf", *words], check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
        return read_run(run)


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
    """The cells of a layer; rate and memory are of its last way, a graph with static memory where there is one."""
    last = list(layer.ways)[-1]
    rate, memory = layer.throughput("forward").get(last), layer.memory("forward").get(last)
    return [
        " ".join([layer.outcome.operator, *case_words(layer.outcome)]),
        *(_wall(layer, "forward", way) for way in WAYS),
        *(_wall(layer, "backward", way) for way in WAYS),
        NONE if rate is None else quantity(rate.gflop_per_s, ""),
        size(None if memory is None else int(memory)),
        ", ".join(list(layer.kernels("forward"))[:MAX_KERNELS]) or NONE,
    ]


def _wall(layer: LayerTimes, pass_: PassName, way: str) -> str:
    return duration(layer.wall(pass_).get(way))


def main(arguments: Sequence[str]) -> int:
    """Writes the block."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path)
    options = parser.parse_args(arguments)
    content = block(read_run(options.run) if options.run else measured())
    text, count = re.subn(
        r"(<!-- times -->\n).*?(\n<!-- /times -->)",
        lambda match: match[1] + content + match[2],
        PAGE.read_text(encoding="utf-8"),
        flags=re.DOTALL,
    )
    if not count:
        raise SystemExit(f"invalid {PAGE}: expected a block 'times'")
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
