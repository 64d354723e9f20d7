"""Measures the files of examples/ anew: a run, a comparison, a network, a hunt, a history and an upgrade.

python -m tools.example_files                # all of them, in ten minutes on an idle machine
python -m tools.example_files run history

The history is planted: NIGHTS runs of one build, dated one night each, of which those from SLOW_FROM on run without
oneDNN, as a build would that lacks it. `python -m tools.example_pages` makes the pages.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tools.page_blocks import ROOT, require_quiet

EXAMPLES = ROOT / "examples"
PROGRAM = ".venv/bin/autoperf"
FIRST_NIGHT = dt.date(2026, 9, 25)
NIGHTS = 46
SLOW_FROM = 34
"""The number of the night, from 0, that is the first one of the slow build; a step needs thirty nights before it."""
SHORT = "--samples 5 --processes 3"
RUN = "run --operator softmax,topk,sum,LayerNorm,FullyConnected,broadcast_add,relu --input-profile large --draws 0"
COMPARE = "compare --mxnet 1.9.1 --mxnet 2.0.0b1 --operator softmax,LayerNorm,relu --input-profile large --draws 0"
UPGRADE = "upgrade examples/networks/ranker.py:scores --batch 32 --to 2.0.0b1 --time-budget 100s"
NIGHTLY = f"run --operator softmax,LayerNorm,FullyConnected --input-profile common --draws 0 {SHORT}"
KEPT = frozenset({"hunt", "finding", "searched", "end"})
"""The records of a hunt's log that its report reads."""


def autoperf(command: str, *words: str, settings: Mapping[str, str] | None = None) -> None:
    """Runs a command in the root of the repository. Ends the script where it fails; a finding is no failure."""
    done = subprocess.run(
        [PROGRAM, *shlex.split(command), *words], cwd=ROOT, check=False, capture_output=True, text=True,
        env={**os.environ, "AUTOPERF_RELEASES": ".venv/releases", **(settings or {})},
    )  # fmt: skip
    if done.returncode not in (0, 1):
        raise SystemExit(done.stderr)


def stored(made: Path, path: Path, edit: Callable[[dict[str, Any]], None]) -> Path:
    """Writes a file without the names of this machine, each record edited."""
    lines = made.read_text(encoding="utf-8").splitlines()
    records = [json.loads(anonymous(line), parse_float=short) for line in lines]
    for record in records:
        edit(record)
    path.write_text("".join(f"{json.dumps(record, separators=(',', ':'))}\n" for record in records), encoding="utf-8")
    return path


def short(number: str) -> float:
    """A number to six digits, which are enough for a page."""
    return float(f"{float(number):.6g}")


def anonymous(line: str) -> str:
    """A line of a file without the folder of this repository, and without the machine's name and system."""
    record = json.loads(line.replace(f"{ROOT}/", ""))
    environment = record.get("environment") or {}
    environment |= {name: text for name, text in (("machine", "example"), ("system", "Linux x86_64")) if environment}
    return json.dumps(record)


def measure_run(folder: Path) -> None:
    """A run of seven operators in two dtypes."""
    made = folder / "run.ndjson"
    autoperf(f"{RUN} --dtype float32,float16 --max-time 100ms", "--run-file", str(made))
    stored(made, EXAMPLES / "run.ndjson", of_one_run(folder))


def measure_comparison(folder: Path) -> None:
    """Two releases measured in turn."""
    autoperf(COMPARE, "--run-file", str(folder / "comparison.ndjson"))
    for side, made in zip(("base", "new"), sorted(folder.glob("*.ndjson")), strict=True):
        stored(made, EXAMPLES / f"comparison-{side}.ndjson", placed(folder))


def measure_network(folder: Path) -> None:
    """The calls of an encoder as in BERT."""
    cases, made = folder / "encoder.ndjson", folder / "network.ndjson"
    autoperf("capture examples/networks/transformer.py:encoder --cases-file", str(cases))
    autoperf(f"run {SHORT} --cases", str(cases), "--run-file", str(made))
    stored(made, EXAMPLES / "network.ndjson", of_one_run(folder))


def measure_hunt(folder: Path) -> None:
    """The findings of a hunt of topk, without its inputs that aren't slow."""
    autoperf("hunt --operator topk --time-budget 80s --seed 1 --folder", str(folder / "hunt"))
    log = folder / "hunt" / "log.ndjson"
    lines = log.read_text(encoding="utf-8").splitlines(keepends=True)
    log.write_text("".join(line for line in lines if json.loads(line)["type"] in KEPT), encoding="utf-8")
    stored(log, EXAMPLES / "hunt.ndjson", placed(folder))


def measure_history(folder: Path) -> None:
    """Short runs, dated one night each, of which the last ones are of a slow build."""
    database = EXAMPLES / "history.duckdb"
    runs = [night(folder, number) for number in range(NIGHTS)]
    database.unlink(missing_ok=True)
    autoperf("history add", *map(str, runs), "--history", str(database))


def night(folder: Path, number: int) -> Path:
    """The run of a night, with the build that it stands for."""
    day, is_slow = FIRST_NIGHT + dt.timedelta(days=number), number >= SLOW_FROM
    build = FIRST_NIGHT + dt.timedelta(days=SLOW_FROM if is_slow else 0)
    made = folder / f"{day}.ndjson"
    autoperf(NIGHTLY, "--run-file", str(made), settings={"MXNET_MKLDNN_ENABLED": "0" if is_slow else "1"})

    def dated(record: dict[str, Any]) -> None:
        placed(folder)(record)
        if record["type"] == "run":
            record["started"] = f"{day}T03:00:00+00:00"
        if record["type"] == "machine":
            record["environment"]["mxnet"]["library"] = f"builds/{build}/libmxnet.so"

    return stored(made, made, dated)


def placed(folder: Path) -> Callable[[dict[str, Any]], None]:
    """Names the files of a folder by their names alone in the command and the options of a record."""

    def edit(record: dict[str, Any]) -> None:
        for name in ("command", "options"):
            if name in record:
                record[name] = json.loads(json.dumps(record[name]).replace(f"{folder}/", ""))

    return edit


def of_one_run(folder: Path) -> Callable[[dict[str, Any]], None]:
    """As `placed`, without what the page of one run doesn't show: fingerprints of results, page faults of samples."""

    def edit(record: dict[str, Any]) -> None:
        placed(folder)(record)
        record.pop("results", None)
        for run in (record.get("forward"), record.get("backward")):
            for series in (run or {}).values():
                if isinstance(series, dict):
                    series.pop("faults", None)

    return edit


def measure_upgrade(folder: Path) -> None:
    """A network of mx.np on the next release: its page, and the same as JSON."""
    reports = [EXAMPLES / f"upgrade.{suffix}" for suffix in ("html", "json")]
    for report in reports:
        report.unlink(missing_ok=True)
    words = [word for report in reports for word in ("--report", str(report))]
    autoperf(UPGRADE, *words, "--run-file", str(folder / "upgrade.ndjson"))


MEASURED = {
    "run": measure_run, "comparison": measure_comparison, "network": measure_network, "hunt": measure_hunt,
    "history": measure_history, "upgrade": measure_upgrade,
}  # fmt: skip


def main(names: list[str]) -> None:
    """Measures the named files, or all. Ends on a busy machine."""
    for name in names or list(MEASURED):
        require_quiet()
        with tempfile.TemporaryDirectory() as folder:
            MEASURED[name](Path(folder))


if __name__ == "__main__":
    main(sys.argv[1:])
