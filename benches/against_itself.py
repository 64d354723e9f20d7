"""Compares a build with itself, measured in turn: what is judged faster or slower is judged falsely.

    python benches/against_itself.py [KEEP] [-- OPTIONS OF compare]

Measures 315 cases in twenty minutes, or what the options say, and prints a Markdown table. The run files are kept as
KEEP-A and KEEP-B, for `python benches/planted_slowdown.py`. Ends with 1 if more than 1% of the cases are judged.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

MOST = 0.01
CATEGORIES = ("activation", "gemm", "nn_basic", "normalization", "pooling", "unary")
DEFAULT = [word for name in CATEGORIES for word in ("--category", name)]


def main(arguments: list[str]) -> int:
    """Compare, count, print; the exit code."""
    own, _, options = " ".join(arguments).partition("--")
    keep = Path(own.strip() or Path(tempfile.mkdtemp()) / "itself.ndjson")
    chosen = options.split() or [*DEFAULT, "--samples", "0"]
    command = [sys.executable, "-m", "autoperf", "compare", "--mxnet", "installed", "--mxnet", "installed"]
    command += [*chosen, "--keep", str(keep), "--format", "json"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    found = json.loads(done.stdout)
    cases = {one["case"] for one in found["cases"]}
    judged = {one["case"] for one in found["cases"] if one["verdict"] in ("faster", "slower")}
    share = len(judged) / len(cases)
    print(f"`autoperf compare --mxnet installed --mxnet installed {' '.join(chosen)}`\n")
    print("| pass | clock | figures | same | undecided | faster | slower | outside their interval |")
    print("|---|---|---:|---:|---:|---:|---:|---:|")
    for name in ("forward", "backward"):
        for clock in ("kernel", "wall"):
            some = [one for one in found["cases"] if (one["pass"], one["clock"]) == (name, clock)]
            counts = Counter(one["verdict"] for one in some)
            outside = sum(not one["low"] <= 1 <= one["high"] for one in some)
            verdicts = " | ".join(str(counts[verdict]) for verdict in ("same", "undecided", "faster", "slower"))
            print(f"| {name} | {clock} | {len(some)} | {verdicts} | {outside} |")
    print(f"\n{len(judged)} of {len(cases)} cases were judged faster or slower: {share:.1%}")
    for one in found["cases"]:
        if one["verdict"] in ("faster", "slower"):
            interval = f"[{one['low']:.3f}, {one['high']:.3f}]"
            print(f"- {one['case']} {one['pass']} {one['clock']}: {one['ratio']:.3f} {interval}")
    return int(share > MOST)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
