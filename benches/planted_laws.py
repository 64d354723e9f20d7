"""Do the planted operators take what their laws say?

    python benches/planted_laws.py [--samples 20] [--seed 1]

Runs all of them by `autoperf run`: the canonical inputs, drawn ones, and the simplest inputs of the cliffs. Prints for
each pass how many inputs lay in the cliff, and the ratios of the quickest kernel time to the law: a machine that does
other things makes calls longer, never shorter. Exits with 1 if one of them is further off than 15% and 25 us.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec
from planted.build import build
from planted.cliffs import ALL, CLIFFS
from planted.laws import Call

from autoperf import __version__
from autoperf.backends.mxnet.backend import find_library
from autoperf.cases.store import VERSION, CasesHeader, write_cases
from autoperf.core.case import Case, Input
from autoperf.core.files import EXTENSIONS_VARIABLE
from autoperf.core.outcome import Outcome, Status
from autoperf.core.tensors import Patterned, TensorSpec, Uniform
from autoperf.runs.run_reader import RunReader

SHARE, US = 0.15, 25.0
RULES = Path(__file__).with_name("planted") / "rules.py"
QUICK = ("--processes", "1", "--max-time", "40ms", "--precision", "5%")


class Row(NamedTuple):
    """One pass of one case: what the law says of it, and the quickest call."""

    operator: str
    pass_: str
    in_cliff: bool
    law_us: float
    quickest_us: float

    @property
    def ratio(self) -> float:
        return self.quickest_us / self.law_us

    @property
    def agrees(self) -> bool:
        return abs(self.quickest_us - self.law_us) <= SHARE * self.law_us + US


def simplest_cases() -> list[Case]:
    """The simplest inputs of all cliffs."""
    cases = []
    for planted in CLIFFS:
        for cliff in planted.cliffs:
            call = cliff.simplest
            content = Patterned(Uniform(), call.pattern) if call.pattern else Uniform()
            tensors = [TensorSpec(shape, call.dtype, content) for shape in call.shapes]
            inputs = tuple(Input(f"data[{index}]", tensor) for index, tensor in enumerate(tensors))
            mine = Case(operator=planted.name, category="unary", profile="simplest", inputs=inputs)
            cases.append(msgspec.structs.replace(mine, params=dict(call.params)))
    return cases


def run(file: Path, *options: str) -> list[Outcome]:
    """What a run gives; a case that can't be measured ends the script."""
    extensions = {EXTENSIONS_VARIABLE: str(build(find_library()))}
    command = [sys.executable, "-m", "autoperf", "run", *options, "--run-file", str(file), *QUICK]
    subprocess.run(command, env={**os.environ, **extensions}, stdout=subprocess.DEVNULL, check=True)
    with RunReader(file) as reader:
        outcomes = list(reader)
    if lost := [f"{outcome.case}: {outcome.reason}" for outcome in outcomes if outcome.status is not Status.MEASURED]:
        raise SystemExit("\n".join(lost))
    return outcomes


def rows(outcome: Outcome) -> Iterator[Row]:
    planted = ALL[outcome.operator]
    shapes = tuple(item.tensor.shape for item in outcome.inputs)
    first = outcome.inputs[0].tensor
    pattern = first.content.pattern if isinstance(first.content, Patterned) else ""
    call = Call(shapes, first.dtype, outcome.params, pattern)
    for name, passed in (("forward", outcome.forward), ("backward", outcome.backward)):
        if passed is None or passed.kernel_us is None:
            raise SystemExit(f"{outcome.case} has no {name} pass")
        inside = any(name in cliff.passes and cliff.holds(call) for cliff in planted.cliffs)
        yield Row(planted.name, name, inside, planted.us(call, name), passed.kernel_us.min)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--samples", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        cases = folder / "simplest.ndjson"
        write_cases(cases, CasesHeader(VERSION, __version__, "", options.seed), simplest_cases())
        drawn = ("--draws", str(options.samples), "--seed", str(options.seed))
        outcomes = run(folder / "drawn.ndjson", "--operator", "planted_*", "--rules", str(RULES), *drawn)
        outcomes += run(folder / "simplest-run.ndjson", "--cases", str(cases))
    measured = [row for outcome in outcomes for row in rows(outcome)]
    print("| operator | pass | inputs | in the cliff | ratio to the law | least | most |")
    print("|---|---|---:|---:|---:|---:|---:|")
    for operator in ALL:
        for pass_ in ("forward", "backward"):
            chosen = [row for row in measured if (row.operator, row.pass_) == (operator, pass_)]
            ratios = [row.ratio for row in chosen]
            figures = f"{statistics.median(ratios):.2f} | {min(ratios):.2f} | {max(ratios):.2f}"
            print(f"| {operator} | {pass_} | {len(chosen)} | {sum(row.in_cliff for row in chosen)} | {figures} |")
    wrong = [row for row in measured if not row.agrees]
    print(f"\n{len(measured) - len(wrong)} of {len(measured)} passes take what their law says")
    for row in wrong:
        print(f"- {row.operator} {row.pass_}: {row.quickest_us:.0f} us, {row.law_us:.0f} us by its law")
    return int(bool(wrong))


if __name__ == "__main__":
    raise SystemExit(main())
