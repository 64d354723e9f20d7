"""Compares a build with itself, measured in turn: what is judged faster or slower is judged falsely.

    python benches/against_itself.py [KEEP] [-- OPTIONS OF compare]
    python benches/against_itself.py -- --frameworks torch,torch --category unary --draws 0

Measures 315 cases of MXNet in twenty minutes, or what the options say, and prints a Markdown table. The run files are
kept as KEEP-A and KEEP-B. Ends with 1 if more than 1% of the cases are judged.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

MAX_JUDGED_SHARE = 0.01
CATEGORIES = ("activation", "gemm", "nn_basic", "normalization", "pooling", "unary")
DEFAULT = [word for name in CATEGORIES for word in ("--category", name)]


def main(arguments: list[str]) -> int:
    """Compare, count, print; the exit code."""
    keep_path, _, options = " ".join(arguments).partition("--")
    keep = Path(keep_path.strip() or Path(tempfile.mkdtemp()) / "itself.ndjson")
    chosen = options.split() or [*DEFAULT, "--draws", "0"]
    sides = [] if "--frameworks" in chosen else ["--mxnet", "installed", "--mxnet", "installed"]
    words = ["compare", *sides, *chosen]
    command = [sys.executable, "-m", "autoperf", *words, "--run-file", str(keep), "--format", "json"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode not in (0, 1):
        return done.returncode
    report = json.loads(done.stdout)
    cases = {figure["case"] for figure in report["cases"]}
    judged = {figure["case"] for figure in report["cases"] if figure["verdict"] in ("faster", "slower")}
    share = len(judged) / len(cases)
    print(f"`autoperf {' '.join(words)}`\n")
    print("| pass | clock | figures | same | undecided | faster | slower | outside their interval |")
    print("|---|---|---:|---:|---:|---:|---:|---:|")
    for name in ("forward", "backward"):
        for clock in dict.fromkeys(figure["clock"] for figure in report["cases"]):
            figures = [figure for figure in report["cases"] if (figure["pass"], figure["clock"]) == (name, clock)]
            counts = Counter(figure["verdict"] for figure in figures)
            outside = sum(not figure["low"] <= 1 <= figure["high"] for figure in figures)
            verdicts = " | ".join(str(counts[verdict]) for verdict in ("same", "undecided", "faster", "slower"))
            print(f"| {name} | {clock} | {len(figures)} | {verdicts} | {outside} |")
    print(f"\n{len(judged)} of {len(cases)} cases were judged faster or slower: {share:.1%}")
    for figure in report["cases"]:
        if figure["verdict"] in ("faster", "slower"):
            interval = f"[{figure['low']:.3f}, {figure['high']:.3f}]"
            print(f"- {figure['case']} {figure['pass']} {figure['clock']}: {figure['ratio']:.3f} {interval}")
    return int(share > MAX_JUDGED_SHARE)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
