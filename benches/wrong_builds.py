"""Whether `autoperf compare` catches builds and operators that compute something else, and names the right result.

    python benches/wrong_builds.py FOLDER [--against-itself RUNS] [--category CATEGORY]

compares MXNet with itself where operators in C++ (planted/wrong.cc) are wrong on one side, each in its own way, and
with a copy of its library in which functions return at once. A kind is caught if one of its cases differs, and the
first result that does is the one that shows it. With `--against-itself`, all operators (or a category's) are also
compared on equal sides, so many times: no case may differ. Exits with 1 if a kind isn't caught, or a right case
differs.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from patched_library import RETURN, patched
from planted.build import build
from planted.wrong_rules import KINDS, RIGHT

from autoperf.backends.mxnet.backend import find_library

RULES = Path(__file__).parent / "planted" / "wrong_rules.py"
SOURCE = RULES.with_name("wrong.cc")
_COMPUTE, _GRADIENT = "ComputeIN7mshadow3cpuE", "ENS0_8mxnet_op19backward_grad_tunedINS0_10mshadow_op"
RETURNING: Mapping[str, tuple[str, str]] = {
    "relu": (f"7UnaryOp7{_COMPUTE}NS0_10mshadow_op4reluE", "output"),
    "broadcast_add": (f"22BinaryBroadcast{_COMPUTE}NS0_10mshadow_op4plusE", "output"),
    "sum": ("17ReduceAxesComputeIN7mshadow3cpuENS2_3red3sumELb0E", "output"),
    "dot": ("11DotForward_IN7mshadow3cpuE", "output"),
    "pick": ("13PickOpForwardIN7mshadow3cpuE", "output"),
    "Embedding": ("18EmbeddingOpForwardIN7mshadow3cpuE", "output"),
    "FullyConnected": ("26FullyConnectedComputeExCPU", "output"),
    "sgd_update": ("9SGDUpdateIN7mshadow3cpuE", "output"),
    "sgd_mom_update": ("12SGDMomUpdateIN7mshadow3cpuE", "output"),
    "_random_normal": ("7Sample_IN7mshadow3cpuENS0_17SampleNormalParamE", "output"),
    "sigmoid": (f"16ElemwiseBinaryOp7{_COMPUTE[:-1]}{_GRADIENT}12sigmoid_gradE", "gradient of data"),
    "tanh": (f"16ElemwiseBinaryOp7{_COMPUTE[:-1]}{_GRADIENT}9tanh_gradE", "gradient of data"),
}
"""The function that returns at once, by the operator that calls it, and the result that shows it."""
ADDING = {"focal_loss": ("26ElementWiseSumComputeExCPU", "gradient of logits")}
"""A composite whose gradient adds up contributions by this function."""
QUICK = ("--warmup", "10", "--samples", "2", "--processes", "1", "--clock", "wall")


class Comparisons:
    """Comparisons by the command line, with their files in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def run(self, name: str, words: Sequence[str], variables: Mapping[str, str] | None = None) -> dict[str, Any]:
        """The comparison as JSON. Ends the script if there is none."""
        report = self._folder / f"{name}.json"
        for file in self._folder.glob(f"{name}*.*"):
            file.unlink()
        files = ("--run-file", str(self._folder / f"{name}.ndjson"), "--format", "json", "--report", str(report))
        command = [sys.executable, "-m", "autoperf", "compare", *words, *QUICK, *files]
        done = subprocess.run(
            command, env={**os.environ, **(variables or {})}, capture_output=True, text=True, check=False
        )
        if not report.exists():
            raise SystemExit(f"`{' '.join(command)}` gave no report:\n{done.stderr[-2000:]}")
        read: dict[str, Any] = json.loads(report.read_text())
        return read


def first_results(comparison: Mapping[str, Any]) -> dict[str, set[str]]:
    """The results that differ first, by operator."""
    found: dict[str, set[str]] = {}
    for entry in comparison["different"]:
        found.setdefault(entry["operator"], set()).add(entry["difference"]["result"])
    return found


def misses(expected: Iterable[tuple[str, str]], comparison: Mapping[str, Any]) -> Iterator[str]:
    """A line for each kind, an operator and the result that shows it; yields those that aren't caught there."""
    found = first_results(comparison)
    for operator, result in expected:
        results = found.get(operator, set())
        words = ", ".join(sorted(results)) or "nothing"
        is_caught = result in results
        sys.stdout.write(f"{'caught' if is_caught else 'MISSED':8}{operator:36}{words}\n")
        if not is_caught:
            yield operator


def planted(comparisons: Comparisons, library: Path) -> Iterator[str]:
    """The planted operators that aren't caught, and the right one if it differs."""
    kinds = [(f"wrong_{kind}", result) for result, kinds in KINDS.items() for kind in kinds]
    words = ("--mxnet", str(library), "--mxnet", str(library), "--env", "B:WRONG=1", "--rules", str(RULES))
    variables = {"AUTOPERF_EXTENSIONS": str(build(library, SOURCE))}
    comparison = comparisons.run("planted", (*words, "--operator", "wrong_*", "--draws", "0"), variables)
    yield from misses(kinds, comparison)
    yield from (name for name in first_results(comparison) if name == f"wrong_{RIGHT}")


def returning(
    comparisons: Comparisons, library: Path, folder: Path, kinds: Mapping[str, tuple[str, str]]
) -> Iterator[str]:
    """The operators of a patched library that aren't caught, and any other that differs."""
    copy = patched(library, folder, {part: RETURN for part, _ in kinds.values()})
    words = ("--mxnet", str(library), "--mxnet", str(copy), "--input-profile", "small,common", "--draws", "0")
    try:
        # sin calls none of the functions.
        comparison = comparisons.run(folder.name, (*words, "--operator", ",".join((*kinds, "sin"))))
    finally:
        shutil.rmtree(copy.parent)
    yield from misses(((name, result) for name, (_, result) in kinds.items()), comparison)
    yield from (name for name in first_results(comparison) if name not in kinds)


def against_itself(comparisons: Comparisons, library: Path, runs: int, category: str) -> Iterator[str]:
    """The cases of one build that differ from themselves."""
    words = ("--mxnet", str(library), "--mxnet", str(library), "--input-profile", "small,common", "--draws", "2")
    for number in range(runs):
        seed = ("--seed", str(number), *(("--category", category) if category else ()))
        comparison = comparisons.run(f"itself-{number}", (*words, *seed))
        cases = len({entry["case"] for entry in comparison["cases"]})
        sys.stdout.write(f"run {number}: {cases} cases timed, {len(comparison['different'])} differ from themselves\n")
        for entry in comparison["different"]:
            sys.stdout.write(f"  {entry['case']} {entry['inputs']}: {json.dumps(entry['difference'])}\n")
            yield str(entry["case"])


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs all parts. Returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--against-itself", type=int, default=0, metavar="RUNS")
    parser.add_argument("--category", default="")
    options = parser.parse_args(arguments)
    options.folder.mkdir(parents=True, exist_ok=True)
    library, comparisons = find_library(), Comparisons(options.folder)
    wrong = [
        *planted(comparisons, library),
        *returning(comparisons, library, options.folder / "returning", RETURNING),
        *returning(comparisons, library, options.folder / "adding", ADDING),
        *against_itself(comparisons, library, options.against_itself, options.category),
    ]
    kinds = sum(map(len, KINDS.values())) + len(RETURNING) + len(ADDING)
    sys.stdout.write(f"{kinds} kinds, {len(wrong)} missed or wrongly told: {', '.join(wrong) or 'none'}\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
