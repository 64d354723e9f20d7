"""Fills docs/reference/networks.md: the example, the networks, and the patterns that oneDNN fuses.

python tools/networks.py     # captures with the installed MXNet and measures: some ten minutes of an idle machine
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from autoperf.analysis.network_times import NetworkTimes, network_times
from autoperf.core.outcome import PASSES, Outcome, PassName
from autoperf.reports.layout import cells, heading
from autoperf.reports.provenance import load, speed_line
from autoperf.reports.units import NONE, duration, factor
from tools.page_blocks import DOCS, ROOT, fill
from tools.stored_run import StoredRun, read_run

PAGE = DOCS / "reference" / "networks.md"
NETWORKS = (
    ("resnet50_v1", "--batch", "1"),
    ("mobilenet_v2_1_0", "--batch", "1"),
    ("examples/networks/language_model.py:small", "--batch", "32"),
    ("examples/networks/detector.py:heads", "--batch", "1"),
    ("examples/networks/transformer.py:encoder", "--batch", "8"),
    ("resnet18_v1", "--batch", "4", "--train"),
    ("examples/networks/segmentation.py:unet", "--batch", "1", "--train"),
)
"""The networks, as `capture` takes them; those in training mode have a backward pass."""
PATTERNS = ROOT / "examples" / "networks" / "fusions.py"
RELEASES = ("1.9.1", "2.0.0b1")
"""The releases whose fused kernels are shown; the networks are those of the first."""
MEASUREMENT = ("--max-time", "100ms", "--processes", "2")
WAYS = ("imperative", "hybridized", "static", "fused")
MAX_OPERATORS = 2
HEAD = (
    ("network", False), ("pass", False), ("parts", True), *((way, True) for way in WAYS),
    ("most of the parts", False),
)  # fmt: skip


def networks(runs: Sequence[StoredRun]) -> str:
    """A row for each pass of a network: the sum of its parts, the whole, and the operators with most of the time."""
    outcomes = [outcome for run in runs for outcome in run.outcomes]
    rows = (row for network in network_times(outcomes) for row in _rows(network))
    return f"{_note(runs[0].header.mxnet, outcomes)}\n\n{heading(HEAD)}{''.join(map(cells, rows))}"


def _rows(network: NetworkTimes) -> Iterator[list[str]]:
    for pass_ in PASSES:
        if _walls(network, pass_):
            parts = duration(network.sum_us(pass_))
            yield [network.name, pass_, parts, *_durations(network, pass_), ", ".join(_operators(network, pass_))]


def _operators(network: NetworkTimes, pass_: PassName) -> Iterator[str]:
    """The operators with the largest shares of the parts."""
    total = network.parts_us(pass_)
    groups = sorted(network.by_operator, key=lambda group: -group.total_us(pass_))
    for group in groups[:MAX_OPERATORS]:
        yield f"{group.name} {group.total_us(pass_) / total:.0%}"


def fusions(runs: Sequence[StoredRun]) -> str:
    """A row for each pattern, with the times and the kernels of each release. Ends with a message without a pattern."""
    measured = [{network.name: network for network in network_times(run.outcomes)} for run in runs]
    missing = {name for names in measured for name in patterns().keys() - names.keys()}
    if missing:
        raise SystemExit(f"the run has no {', '.join(sorted(missing))}")
    notes = "".join(f"{_note(run.header.mxnet, run.outcomes)}\n" for run in runs)
    rows = (
        [title, *(cell for found in measured for cell in _fused(found[name]))] for name, title in patterns().items()
    )
    return f"{notes}\n{heading(fusion_head([run.header.mxnet for run in runs]))}{''.join(map(cells, rows))}"


def fusion_head(releases: Sequence[str]) -> list[tuple[str, bool]]:
    """The columns of the fused patterns, and whether they are numbers."""
    columns = (("separate", True), ("fused", True), ("speed-up", True), ("kernels", False))
    return [("pattern", False), *((f"{release} {title}", right) for release in releases for title, right in columns)]


def patterns() -> dict[str, str]:
    """The title of each pattern, the first words of its docstring, by the name of its network."""
    functions = ast.parse(PATTERNS.read_text(encoding="utf-8")).body
    named = (node for node in functions if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"))
    texts = {f"{PATTERNS.stem}.{node.name}": ast.get_docstring(node) or "" for node in named}
    return {name: text.partition(",")[0].rstrip(".") for name, text in texts.items()}


def _fused(network: NetworkTimes) -> list[str]:
    """The separate and the fused time, the speed-up, and the fused graph's kernels; the patterns run forward only."""
    separate, *_, fused = _durations(network, "forward")
    speedup = next((time.speedup for time in network.whole if time.way == "fused"), None)
    kernels = ", ".join(name for name, _ in network.kernels("fused", "forward"))
    return [separate, fused, NONE if speedup is None else factor(speedup), kernels or NONE]


def _durations(network: NetworkTimes, pass_: PassName) -> list[str]:
    walls = _walls(network, pass_)
    return [duration(walls.get(way)) for way in WAYS]


def _walls(network: NetworkTimes, pass_: PassName) -> dict[str, float]:
    return {time.way: time.wall for time in network.whole if time.pass_ == pass_}


def _note(release: str, outcomes: Sequence[Outcome]) -> str:
    notes = filter(None, (load(outcomes), speed_line(outcomes)))
    return f"MXNet {release}{''.join(f'; {note}' for note in notes)}."


def example(run: Path) -> str:
    """The tables of a run on a terminal, without the notes below them."""
    lines = [line.rstrip() for line in _autoperf("report", str(run), "--limit", "1").splitlines()]
    notes = next(number for number, line in enumerate(lines) if " further calls with " in line)
    return "\n".join(["```text", "$ autoperf report resnet-run.ndjson --limit 1", *lines[:notes], "...", "```"])


def measured(folder: Path, name: str, release: str, *captured: str) -> Path:
    """The run file of networks under a release."""
    cases, run = folder / f"{name}-cases.ndjson", folder / f"{name}.ndjson"
    _autoperf("capture", *captured, "--cases-file", str(cases))
    _autoperf("run", "--mxnet", release, "--cases", str(cases), *MEASUREMENT, "--run-file", str(run))
    return run


def _autoperf(*words: str) -> str:
    command = [sys.executable, "-m", "autoperf", *words]
    environment = {**os.environ, "COLUMNS": "100"}
    return subprocess.run(command, check=True, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True).stdout


def main() -> None:
    """Writes the blocks of the page."""
    fused = [f"{PATTERNS}:{name.partition('.')[2]}" for name in patterns()]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _autoperf("doctor")
        whole = [measured(folder, str(number), RELEASES[0], *words) for number, words in enumerate(NETWORKS)]
        runs = [read_run(measured(folder, f"fused-{release}", release, *fused)) for release in RELEASES]
        blocks = {"example": example(whole[0]), "networks": networks(list(map(read_run, whole)))}
        fill(PAGE, {**blocks, "fusions": fusions(runs)})


if __name__ == "__main__":
    main()
