"""Fills docs/networks.md with the table of fused patterns: runs of examples/networks/fusions.py, one for each release.

python tools/fusion_table.py                           # measures 1.9.1 and 2.0.0b1: some two minutes of an idle machine
python tools/fusion_table.py run.ndjson other.ndjson   # from runs of the same cases
"""

from __future__ import annotations

import ast
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from page_blocks import DOCS, ROOT, fill

from autoperf.analysis.network_times import NetworkTimes, network_times
from autoperf.reports.markdown import cells, heading
from autoperf.reports.speed import speed_line
from autoperf.reports.units import NONE, duration, factor
from autoperf.reports.warnings import load
from autoperf.results.runfile import Run, read_run

PAGE = DOCS / "networks.md"
PATTERNS = ROOT / "examples" / "networks" / "fusions.py"
RELEASES = ("1.9.1", "2.0.0b1")
MEASUREMENT = ("--max-time", "100ms", "--processes", "3")
WAYS = ("imperative", "hybridized", "static", "fused")
HEAD = (
    ("pattern", False), ("separate", True), ("hybridized", True), ("static", True), ("fused by oneDNN", True),
    ("speed-up", True), ("kernels of the separate calls", False), ("kernels of the fused graph", False),
)  # fmt: skip


def patterns() -> dict[str, str]:
    """What each pattern is called, by the name of its network."""
    functions = ast.parse(PATTERNS.read_text(encoding="utf-8")).body
    named = (node for node in functions if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"))
    return {f"{PATTERNS.stem}.{node.name}": _title(node) for node in named}


def _title(function: ast.FunctionDef) -> str:
    """The first words of its docstring."""
    return (ast.get_docstring(function) or "").partition(",")[0].rstrip(".")


def measured(releases: Sequence[str] = RELEASES) -> Iterator[Run]:
    """A run of all patterns under each release, captured with the installed one."""
    with tempfile.TemporaryDirectory() as folder:
        cases, run = Path(folder) / "cases.ndjson", Path(folder) / "run.ndjson"
        networks = (f"{PATTERNS}:{name.partition('.')[2]}" for name in patterns())
        _autoperf("capture", *networks, "--cases-file", str(cases))
        for release in releases:
            run.unlink(missing_ok=True)
            _autoperf("run", "--mxnet", release, "--cases", str(cases), *MEASUREMENT, "--run-file", str(run))
            yield read_run(run)


def _autoperf(*words: str) -> None:
    subprocess.run([sys.executable, "-m", "autoperf", *words], check=True, stdout=subprocess.DEVNULL)


def table(runs: Sequence[Run]) -> str:
    """A table for each run. Ends with a message if a pattern wasn't measured."""
    return "\n".join("".join(_release(run)) for run in runs).rstrip()


def _release(run: Run) -> Iterator[str]:
    networks = {network.name: network for network in network_times(run.outcomes)}
    missing = patterns().keys() - networks.keys()
    if missing:
        raise SystemExit(f"the run has no {', '.join(sorted(missing))}")
    notes = filter(None, (load(run.outcomes), speed_line(run.outcomes)))
    yield f"MXNet {run.header.mxnet}{''.join(f'; {note}' for note in notes)}:\n\n"
    yield heading(HEAD)
    for name, title in patterns().items():
        yield cells(_row(title, networks[name]))


def _row(title: str, network: NetworkTimes) -> list[str]:
    # The networks run in inference mode, forward only.
    walls = {time.way: time.wall for time in network.whole}
    fused = next((time.speedup for time in network.whole if time.way == "fused"), None)
    return [
        title,
        *(_duration(walls, way) for way in WAYS),
        NONE if fused is None else factor(fused),
        _kernels(network, "imperative"),
        _kernels(network, "fused"),
    ]


def _duration(walls: Mapping[str, float], way: str) -> str:
    return duration(walls[way]) if way in walls else NONE


def _kernels(network: NetworkTimes, way: str) -> str:
    return ", ".join(name for name, _ in network.kernels(way, "forward")) or NONE


def main(paths: Sequence[str]) -> int:
    """Writes the block of the page, from these runs or from new ones."""
    content = table([read_run(Path(path)) for path in paths] or list(measured()))
    fill(PAGE, {"fusions": content})
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
