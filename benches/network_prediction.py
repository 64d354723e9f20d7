"""Is the time of a network the sum of its calls, each measured in the state that the network gives it?

    python benches/network_prediction.py run FOLDER [--mxnet 1.9.1 --mxnet 2.0.0b1] [--only NAME ...]
    python benches/network_prediction.py report FOLDER

`run` captures each network at two batch sizes, measures its calls and the whole under each release, and the whole of
two releases in turn: the files stay in FOLDER, and a second start goes on where the first one ended. `report` predicts
each network from the times of its calls: their sum, and for each call the dispatch of the mode, in the median of those
other networks (none of its batch sizes) whose calls take about as long. It prints the measured and the predicted time
in each mode, how many predictions are within 10 and 20%, and whether the sum of the calls changes between two releases
in the direction of the whole, where that is decided in turn.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from autoperf.core.graph import MODES
from autoperf.networks.times import ModeTime, NetworkPass, network_times
from autoperf.runs.run_reader import RunReader

ROOT = Path(__file__).resolve().parents[1]
OWN = ROOT / "examples" / "networks"
SMALL, MIDDLE, LARGE = (f"data=Nx3x{size}x{size}" for size in (64, 112, 224))
NETWORKS: tuple[tuple[str, str], ...] = (
    ("resnet18_v1", MIDDLE), ("resnet18_v2", MIDDLE), ("resnet34_v1", SMALL), ("resnet50_v1", MIDDLE),
    ("mobilenet1_0", MIDDLE), ("mobilenet_v2_1_0", MIDDLE), ("mobilenet_v2_0_5", SMALL), ("squeezenet1_1", LARGE),
    ("vgg11", SMALL), ("alexnet", LARGE), (f"{OWN / 'language_model.py'}:small", ""),
    (f"{OWN / 'detector.py'}:heads", ""), (f"{OWN / 'transformer.py'}:encoder", ""),
    (f"{OWN / 'segmentation.py'}:unet", ""), (f"{OWN / 'ranker.py'}:scores", ""),
)  # fmt: skip
"""Networks as `capture` takes them, and the shape of the input of those of the zoo."""
BATCHES = (1, 8)
MEASUREMENT = ("--max-time", "250ms", "--processes", "3", "--backward", "off")
IN_TURN = ("--input-profile", ",".join(MODES), "--clock", "wall", "--backward", "off")
ALIKE = 7
"""The number of other networks, by the mean time of a call, whose dispatch a network has."""
BOUNDS = (0.1, 0.2)


class Predicted(NamedTuple):
    """A network under a release in a mode, in microseconds: `calls` is their sum, `made` their number."""

    name: str
    release: str
    whole: ModeTime
    calls: float
    made: int
    coverage: float

    @property
    def dispatch_each(self) -> float:
        """The time of the whole beside its kernels, for each call."""
        return (self.whole.wall_us - (self.whole.kernels_us or 0.0)) / self.made

    def total(self, others: Sequence[Predicted]) -> float:
        """The predicted time: the calls, and for each the dispatch of the networks whose calls take about as long."""
        alike = sorted(others, key=lambda other: abs(math.log(other.call_us / self.call_us)))[:ALIKE]
        return self.calls + self.made * median(other.dispatch_each for other in alike)

    @property
    def call_us(self) -> float:
        """The mean time of a call."""
        return self.calls / self.made


def run(folder: Path, releases: Sequence[str], only: Sequence[str]) -> None:
    """Measures what FOLDER lacks."""
    folder.mkdir(parents=True, exist_ok=True)
    for source, shape in NETWORKS:
        name = source.rpartition("/")[2].replace(".py:", ".")
        for batch in BATCHES if not only or name in only else ():
            cases = folder / f"{name}-{batch}.cases.ndjson"
            given = ("--input", shape) if shape else ()
            if _made(cases, "capture", source, *given, "--batch", str(batch), "--cases-file"):
                for release in releases:
                    output = folder / f"{name}-{batch}-{release}.run.ndjson"
                    _made(output, "run", "--mxnet", release, "--cases", str(cases), *MEASUREMENT, "--run-file")
                if len(releases) > 1:
                    sides = [word for release in releases for word in ("--mxnet", release)]
                    output = folder / f"{name}-{batch}.turns.json"
                    _made(output, "compare", *sides, "--cases", str(cases), *IN_TURN, "--report")


def _made(output: Path, *words: str) -> bool:
    """Whether a file is there, made by a command that ends with its name if it wasn't."""
    if not output.exists():
        part = output.with_suffix(f".part{output.suffix}")
        part.unlink(missing_ok=True)
        command = [sys.executable, "-m", "autoperf", *words, str(part)]
        ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        # A call that a release refuses makes it end with 1, an undecided comparison with 3; the report states both.
        is_made = ended.returncode in (0, 1, 3) and part.exists()
        print(f"{output.name}: {'measured' if is_made else ended.stderr[-500:]}", flush=True)
        if is_made:
            part.rename(output)
    return output.exists()


def measured(folder: Path) -> Iterator[Predicted]:
    """Each network in each mode under each release, of those of which all parts have a time."""
    for path in sorted(folder.glob("*.run.ndjson")):
        with RunReader(path) as reader:
            networks, release = network_times(reader), reader.header.mxnet
        for network in networks:
            for times in network.passes:
                yield from _modes(network.name, release, times)


def _modes(name: str, release: str, times: NetworkPass) -> Iterator[Predicted]:
    made = times.made
    coverage = 1 - times.without_time / made
    for mode in MODES:
        whole = times.modes.get(mode)
        if whole and whole.kernels_us:
            yield Predicted(name, release, whole, times.whole.total_us or 0.0, made, coverage)


def report(folder: Path) -> None:
    """Prints the predictions, mode by mode, and the signs of the differences between releases."""
    groups: dict[tuple[str, str], list[Predicted]] = defaultdict(list)
    for each in measured(folder):
        groups[each.release, each.whole.mode].append(each)
    for key, members in groups.items():
        _group(*key, members)
    calls = {(each.name, each.release): each.calls for members in groups.values() for each in members}
    figures = [
        figure for path in sorted(folder.glob("*.turns.json")) for figure in json.loads(path.read_text())["cases"]
    ]
    _signs(figures, calls, sorted({release for release, _ in groups}))


def _group(release: str, mode: str, members: Sequence[Predicted]) -> None:
    print(f"\n{release}, {mode}: milliseconds measured, predicted, as the sum of calls and dispatch")
    errors: list[float] = []
    for each in members:
        others = [other for other in members if other.name.partition(",")[0] != each.name.partition(",")[0]]
        total = each.total(others) if others else each.calls
        errors.append(total / each.whole.wall_us - 1)
        parts = f"{each.calls / 1000:9.3f} + {(total - each.calls) / 1000:6.3f}"
        covered = "" if each.coverage == 1 else f"  {each.coverage:.0%} of the calls"
        print(f"{each.name:40}{each.whole.wall_us / 1000:9.3f}{total / 1000:9.3f} ={parts}{errors[-1]:+8.1%}{covered}")
    shares = ", ".join(f"{sum(abs(error) <= bound for error in errors)} within {bound:.0%}" for bound in BOUNDS)
    print(f"{len(errors)} networks: {shares}; median of errors {median(map(abs, errors)):.1%}")


def _signs(figures: Sequence[Mapping[str, Any]], calls: Mapping[tuple[str, str], float], releases: list[str]) -> None:
    print(f"\nchange between {' and '.join(releases)} where it is decided in turn, and that of the sum of calls")
    decided = [figure for figure in figures if figure["verdict"] in ("slower", "faster")]
    right = 0
    for figure in decided:
        base, new = (calls[figure["network"], release] for release in releases)
        change, predicted = figure["ratio"] - 1, new / base - 1
        right += change * predicted > 0
        title = f"{figure['network']}, {figure['profile']}"
        print(f"{title:52}{change:+8.1%}{predicted:+8.1%}{'' if change * predicted > 0 else '  wrong'}")
    print(f"{right} of {len(decided)} decided changes have the right sign ({len(figures)} measured)")


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=("run", "report"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--mxnet", action="append", default=[])
    parser.add_argument(
        "--only", nargs="*", default=[], help="names of networks, such as resnet18_v1 or detector.heads"
    )
    given = parser.parse_args()
    if given.action == "run":
        run(given.folder, given.mxnet or ["1.9.1", "2.0.0b1"], given.only)
    else:
        report(given.folder)


if __name__ == "__main__":
    main()
