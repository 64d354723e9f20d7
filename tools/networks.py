"""Fills docs/reference/networks.md: the example, the networks, and the patterns that oneDNN fuses; the guide's answer.

python tools/networks.py     # captures with the installed MXNet and measures: some ten minutes of an idle machine
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from autoperf.core.graph import FUSED, NETWORK_MODES
from autoperf.core.outcome import Outcome
from autoperf.networks.times import NetworkPass, NetworkTimes, network_times
from autoperf.reports.layout import cells, heading
from autoperf.reports.provenance import load, speed_line
from autoperf.reports.units import NONE, duration, factor
from tools.page_blocks import DOCS, ROOT, fill, require_quiet
from tools.stored_run import StoredRun, read_run

PAGE, GUIDE = DOCS / "reference" / "networks.md", DOCS / "guides" / "slow-network.md"
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
MAX_OPERATORS = 2
HEAD = (
    ("network", False), ("pass", False), ("calls alone", True), *((mode, True) for mode in NETWORK_MODES),
    ("most of the calls alone", False),
)  # fmt: skip


def networks(runs: Sequence[StoredRun]) -> str:
    """A row for each pass of a network: its calls alone, each mode, and the operators with most of the former."""
    outcomes = [outcome for run in runs for outcome in run.outcomes]
    rows = (row for network in network_times(outcomes) for row in _rows(network))
    return f"{_note(runs[0].header.mxnet, outcomes)}\n\n{heading(HEAD)}{''.join(map(cells, rows))}"


def _rows(network: NetworkTimes) -> Iterator[list[str]]:
    for times in network.passes:
        if times.modes:
            alone = duration(times.alone_us)
            yield [network.name, times.pass_, alone, *_durations(times), ", ".join(_operators(times))]


def _operators(times: NetworkPass) -> Iterator[str]:
    """The operators with the largest shares of the calls alone."""
    totals = {group.name: group.total_us for group in times.by_operator if group.total_us}
    for name in sorted(totals, key=lambda name: -totals[name])[:MAX_OPERATORS]:
        yield f"{name} {totals[name] / sum(totals.values()):.0%}"


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
    times = network.passes[0]
    separate, *_, fused = _durations(times)
    time = times.modes.get(FUSED)
    kernels = sorted(time.kernels, key=lambda name: -time.kernels[name]) if time else []
    return [separate, fused, factor(time.speedup) if time and time.speedup else NONE, ", ".join(kernels) or NONE]


def _durations(times: NetworkPass) -> list[str]:
    return [duration(times.modes[mode].wall_us if mode in times.modes else None) for mode in NETWORK_MODES]


def _note(release: str, outcomes: Sequence[Outcome]) -> str:
    notes = filter(None, (load(outcomes), speed_line(outcomes)))
    return f"MXNet {release}{''.join(f'; {note}' for note in notes)}."


def example(run: Path) -> str:
    """The tables of a run on a terminal without the notes below them, the commands that continue, and the answer."""
    lines = _report(run, "--limit", "1")
    calls = next(number for number, line in enumerate(lines) if line.startswith("forward by call"))
    notes = lines.index("", calls) + 1
    return "\n".join(["```text", "$ autoperf report resnet-run.ndjson --limit 1", *lines[:notes], *_ending(lines)])


def answer(run: Path) -> str:
    """The end of a run on a terminal: the commands that continue, and the answer."""
    return "\n".join(["```text", "$ autoperf report resnet-run.ndjson", *_ending(_report(run))])


def _ending(lines: Sequence[str]) -> list[str]:
    last = len(lines) - lines[::-1].index("")
    return ["...", *(line for line in lines if ": autoperf " in line), "", *lines[last:], "```"]


def _report(run: Path, *words: str) -> list[str]:
    """The lines of a report, with the page's name of the cases."""
    text = re.sub(r"--cases \S+", "--cases resnet.ndjson", _autoperf("report", str(run), *words))
    return [line.rstrip() for line in text.splitlines()]


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
    """Writes the blocks of the pages."""
    require_quiet()
    fused = [f"{PATTERNS}:{name.partition('.')[2]}" for name in patterns()]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _autoperf("doctor")
        whole = [measured(folder, str(number), RELEASES[0], *words) for number, words in enumerate(NETWORKS)]
        runs = [read_run(measured(folder, f"fused-{release}", release, *fused)) for release in RELEASES]
        fill(GUIDE, {"answer": answer(whole[0])})
        blocks = {"example": example(whole[0]), "networks": networks(list(map(read_run, whole)))}
        fill(PAGE, {**blocks, "fusions": fusions(runs)})


if __name__ == "__main__":
    main()
