"""Corrupts every kind of file that autoperf reads and every message between its processes, and kills its children.

    python benches/fuzz.py --seed 1 --mutants 5000 --kills 300 --messages 300

Checked each time: autoperf ends in time, by a code that it documents, without a traceback; what was measured, skipped,
failed, crashed or timed out adds up to what was asked for; and no outcome stands under another case's id. It goes by
the command line and by files alone. Progress goes to stderr, the counts to stdout, after Ctrl-C and --seconds too.
Exits with 1 if something was found; all that was found can be had again by its seed, except for kills, whose moments
depend on the machine.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import random
import shutil
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fuzz_calls import kill_descendant, preload, problems_of, run_in_fork, run_to_end
from mutation import mutant

PROGRESS_SECONDS = 10.0
STATUSES = ("measured", "skipped", "failed", "crashed", "timeout")
# Two small operators and one with a gradient of its own, so that cases differ in outputs and memory.
OPERATORS = ("exp", "sum", "softmax", "transpose")
QUICK = ("--processes", "1", "--warmup", "0", "--samples", "1", "--timeout", "10")
RULES = """from autoperf.rules.rule import inputs, rule, tensor

@rule("exp", category="unary", canonical={"small": inputs(data=tensor(4, 4))})
def exp(draw, spec):
    return inputs(data=tensor(3, 3))
"""
RELAYED = "import sys; sys.executable = {relay!r}; from autoperf.__main__ import main; main()"


@dataclass(frozen=True)
class Kind:
    """A kind of file: a good one, how often it is drawn, and the command that reads a bad one."""

    good: Path
    weight: int
    command: Callable[[Path], Sequence[str]]


@dataclass
class Tally:
    """The number of attempts of each kind, and the problems with what reproduces each."""

    tried: dict[str, int] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    told_at: float = 0.0

    def add(self, kind: str, label: str, problems: Sequence[str]) -> None:
        """One attempt."""
        self.tried[kind] = self.tried.get(kind, 0) + 1
        for problem in problems:
            self.problems.append(f"{kind} {label}: {problem}")
            sys.stderr.write(f"{self.problems[-1]}\n")
        if time.monotonic() - self.told_at >= PROGRESS_SECONDS:
            self.told_at = time.monotonic()
            sys.stderr.write(f"{sum(self.tried.values())} attempts, now {kind}; {len(self.problems)} problems\n")

    def lines(self) -> Iterator[str]:
        """The counts."""
        for kind, count in sorted(self.tried.items()):
            yield f"{count:6} {kind}"
        yield f"{len(self.problems)} problems in {sum(self.tried.values())} attempts"


class Bench:
    """Good files of every kind, made by autoperf itself, and a cache of its own."""

    def __init__(self, folder: Path, seed: int, budget: str) -> None:
        self.folder, self.seed = folder, seed
        self.cache = folder / "cache"
        self.environment = {**os.environ, "AUTOPERF_CACHE": str(self.cache), "TMPDIR": str(folder), "COLUMNS": "100"}
        operators = [word for name in OPERATORS for word in ("--operator", name)]
        self._run("generate", *operators, "--input-profile", "small", "--draws", "1", "--folder", str(folder / "suite"))
        self.cases = folder / "suite" / "cases.ndjson"
        self.known = {line["id"]: line["case"] for line in lines(self.cases) if "id" in line}
        self._run("run", "--cases", str(self.cases), *QUICK, "--run-file", str(folder / "run.ndjson"))
        expected = self._run("report", str(folder / "run.ndjson"), "--format", "baseline")
        (folder / "baseline.ndjson").write_text(expected)
        self._run("discover", "--write-ledger", str(folder / "ledger.json"))
        self._run("hunt", "--operator", "exp", "--time-budget", budget, "--folder", str(folder / "hunt"))
        (folder / "rules.py").write_text(RULES)
        self.baseline = {line["case"]: fingerprint(line) for line in lines(folder / "run.ndjson") if "case" in line}

    def _run(self, *words: str) -> str:
        """The standard output of a call that must succeed."""
        command = [sys.executable, "-m", "autoperf", *words]
        result = subprocess.run(command, env=self.environment, capture_output=True, text=True, check=False)
        # 3: the gate of a comparison is inconclusive.
        if result.returncode not in {0, 1, 3}:
            raise SystemExit(f"autoperf {' '.join(words)}: {result.stderr}")
        return result.stdout

    def kinds(self) -> dict[str, Kind]:
        """By name; readers that measure are slow, and drawn less often."""
        run = self.folder / "run.ndjson"
        registry = next(self.cache.glob("registry-*.json"))
        log = self.folder / "hunt" / "log.ndjson"
        output = str(self.folder / "out.ndjson")

        def measured(path: Path) -> Sequence[str]:
            return ("run", "--cases", str(path), *QUICK, "--run-file", output)

        return {
            "run file": Kind(run, 20, lambda path: ("report", str(path), "--format", "json")),
            "run file in a table": Kind(run, 10, lambda path: ("report", str(path))),
            "run file to compare": Kind(run, 20, lambda path: ("compare", str(run), str(path))),
            "run file to go on with": Kind(run, 2, lambda path: ("run", "--resume", str(path))),
            "expected": Kind(self.folder / "baseline.ndjson", 20, lambda path: ("compare", str(path), str(run))),
            "ledger": Kind(self.folder / "ledger.json", 10, lambda path: ("discover", "--check", str(path))),
            "registry cache": Kind(registry, 5, lambda _path: ("discover", "--operator", "exp")),
            "hunt log": Kind(log, 10, lambda path: ("hunt", "--resume", str(path.parent))),
            "hunt log in a table": Kind(log, 5, lambda path: ("report", str(path))),
            "cases": Kind(self.cases, 6, measured),
            "suite": Kind(next(self.cases.parent.rglob("exp.py")), 4, measured),
            "rules": Kind(
                self.folder / "rules.py", 4, lambda path: ("discover", "--operator", "exp", "--rules", str(path))
            ),
        }

    def read_mutant(self, number: int, tally: Tally) -> None:
        """One mutant of a file, handed to what reads it."""
        draw = random.Random(f"{self.seed}-mutant-{number}")
        kinds = self.kinds()
        name = draw.choices(list(kinds), [kind.weight for kind in kinds.values()])[0]
        kind = kinds[name]
        data = kind.good.read_bytes()
        bad = self.folder / "bad" / kind.good.name
        shutil.rmtree(bad.parent, ignore_errors=True)
        shutil.copytree(kind.good.parent, bad.parent) if name == "hunt log" else bad.parent.mkdir()
        output = self.folder / "out.ndjson"
        output.unlink(missing_ok=True)
        written = kind.good if name == "registry cache" else bad
        written.write_bytes(mutant(data, draw))
        try:
            result = run_in_fork(kind.command(bad), self.environment, self.folder / "output")
        finally:
            if name == "registry cache":
                written.write_bytes(data)
        problems = problems_of(result)
        if name in {"cases", "suite"} and output.exists():
            problems += self.check_outcomes(output, known=name == "cases", whole=False)
        tally.add(name, f"--seed {self.seed}, mutant {number}", problems)

    def kill(self, number: int, tally: Tally) -> None:
        """Ends one process below autoperf at a drawn moment."""
        draw = random.Random(f"{self.seed}-kill-{number}")
        output = self.folder / "out.ndjson"
        output.unlink(missing_ok=True)
        shutil.rmtree(self.folder / "killed", ignore_errors=True)
        words: Sequence[str]
        if draw.random() < 0.8:
            kind, words = "killed run", ("run", "--cases", str(self.cases), *QUICK, "--run-file", str(output))
        else:
            hunt = ("hunt", "--operator", "exp", "--time-budget", "6s", "--folder", str(self.folder / "killed"))
            kind, words = "killed hunt", hunt
        cold = draw.random() < 0.3
        environment = {**self.environment, "AUTOPERF_CACHE": str(self.folder / "cold")} if cold else self.environment
        result, killed = kill_descendant(
            [sys.executable, "-m", "autoperf", *words], environment, self.folder / "output", draw
        )
        shutil.rmtree(self.folder / "cold", ignore_errors=True)
        problems = problems_of(result)
        if kind == "killed run" and output.exists():
            problems += self.check_outcomes(output, known=True, same=True)
        tally.add(kind, f"--seed {self.seed}, kill {number} of {killed}", problems)

    def relay_messages(self, number: int, tally: Tally) -> None:
        """One run whose messages pass through a relay that corrupts some."""
        draw = random.Random(f"{self.seed}-message-{number}")
        relay, output, counted = self.folder / "relay", self.folder / "out.ndjson", self.folder / "children"
        output.unlink(missing_ok=True)
        counted.write_text("")
        source = Path(__file__).with_name("fuzz_relay.py")
        relay.write_text(f"#!{sys.executable}\n{source.read_text()}")
        relay.chmod(relay.stat().st_mode | stat.S_IXUSR)
        cache = self.folder / "relayed"
        shutil.rmtree(cache, ignore_errors=True)
        if draw.random() < 0.7:
            shutil.copytree(self.cache, cache)
        extra = {"FUZZ_SEED": f"{self.seed}-{number}", "FUZZ_FOLDER": str(self.folder), "AUTOPERF_CACHE": str(cache)}
        words = ("run", "--cases", str(self.cases), *QUICK, "--run-file", str(output))
        command = [sys.executable, "-c", RELAYED.format(relay=str(relay)), *words]
        result = run_to_end(command, {**self.environment, **extra}, self.folder / "output")
        problems = problems_of(result)
        if output.exists():
            problems += self.check_outcomes(output, known=True)
        tally.add("messages", f"--seed {self.seed}, message {number}", problems)

    def check_outcomes(self, output: Path, *, known: bool, same: bool = False, whole: bool = True) -> list[str]:
        """What is wrong with a run file: sums, ids, and (`same`) the fingerprint of the same case in the baseline.

        `whole`: the run had all known cases, each once.
        """
        written = list(lines(output))
        outcomes = [line for line in written if "case" in line]
        problems = []
        for end in (line for line in written if line.get("type") == "end"):
            counts = {status: sum(outcome["status"] == status for outcome in outcomes) for status in STATUSES}
            if {status: end[status] for status in STATUSES} != counts or end["asked"] != len(outcomes):
                problems.append(f"the sums don't hold: {end} over {counts}")
            if (
                known
                and whole
                and end["complete"]
                and sorted(outcome["case"] for outcome in outcomes) != sorted(self.known)
            ):
                problems.append(f"outcomes of {len(outcomes)} of {len(self.known)} cases")
        for outcome in outcomes if known else ():
            case = self.known.get(outcome["case"])
            if case is None or case["operator"] != outcome["operator"]:
                problems.append(f"{outcome['case']} is not one of the requested cases")
            elif same and outcome["status"] == "measured" and fingerprint(outcome) != self.baseline[outcome["case"]]:
                problems.append(f"{outcome['case']} has another case's answer: {fingerprint(outcome)}")
        return problems


def fingerprint(outcome: Mapping[str, Any]) -> object:
    """What is the same each time a case runs, and differs from case to case."""
    kernels = [sorted((outcome.get(name) or {}).get("kernels", {})) for name in ("forward", "backward")]
    return [outcome.get("outputs"), outcome.get("memory"), kernels]


def lines(path: Path) -> Iterator[dict[str, Any]]:
    """The objects in a file of lines; a truncated last line is left out."""
    for line in path.read_text(errors="replace").splitlines():
        with contextlib.suppress(ValueError):
            record = json.loads(line)
            if isinstance(record, dict):
                yield record


def fuzz(options: argparse.Namespace, tally: Tally) -> None:
    """Run every kind of attempt in a temporary folder, for so many seconds at the most."""
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        bench = Bench(Path(folder), options.seed, options.budget)
        preload()
        deadline = time.monotonic() + options.seconds
        counts = (options.mutants, options.kills, options.messages)
        for attempt, count in zip((bench.read_mutant, bench.kill, bench.relay_messages), counts, strict=True):
            for number in range(options.first, options.first + count):
                if time.monotonic() >= deadline:
                    return
                attempt(number, tally)


def main(words: Sequence[str] | None = None) -> int:
    """Print how many attempts there were of each kind, and the problems."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--mutants", type=int, default=5000)
    parser.add_argument("--kills", type=int, default=300)
    parser.add_argument("--messages", type=int, default=300)
    parser.add_argument("--first", type=int, default=0, help="number of the first attempt of each kind")
    parser.add_argument("--seconds", type=float, default=math.inf, help="end after so many seconds of attempts")
    parser.add_argument("--budget", default="10s", help="of the hunt whose log is mutated")
    options = parser.parse_args(words)
    tally, interrupted = Tally(), False
    try:
        fuzz(options, tally)
    except KeyboardInterrupt:
        interrupted = True
    for line in (f"seed {options.seed}{', interrupted' if interrupted else ''}", *tally.lines()):
        print(line)
    return 130 if interrupted else 1 if tally.problems else 0


if __name__ == "__main__":
    sys.exit(main())
