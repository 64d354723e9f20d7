"""Makes the page of a large run, and opens it in Chromium: bytes, seconds to make, seconds to open.

    python benches/page.py [CASES]

The cases are the outcomes of a run file with samples (`--run FILE`), repeated under further names, or made up.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path

import msgspec
from selenium.webdriver import Chrome

from autoperf.core.case import Input
from autoperf.core.machine import Throughput
from autoperf.core.outcome import Memory, Outcome, Pass, PassMemory, Status
from autoperf.core.tensors import ArrayType, TensorSpec, Uniform
from autoperf.reports.formats import load
from autoperf.runs.run_reader import RunReader
from autoperf.stats.statistics import summarise
from autoperf.summary.runs import RunReport

CASES_PER_OPERATOR = 7


def made_up(number: int) -> Outcome:
    """A case with a hundred samples of both clocks in both passes."""
    size = 2 ** (4 + number % 16)

    def timed(factor: float) -> Pass:
        kernel, wall = (
            summarise([base * (0.9 + 0.002 * ((n * 37 + number) % 100)) for n in range(100)], processes=[20] * 5)
            for base in (factor * size / 512, 20 + factor * size / 512)
        )
        return Pass(
            kernel_us=kernel, wall_us=wall, kernels={"softmax": kernel.median}, helpers={"Reorder": 1.5},
            dispatch_us=18.0, throughput=Throughput(12.34, 2.34, 0.12),
        )  # fmt: skip

    usage = PassMemory(peak=4 * size, output=4 * size, workspace=0)
    return Outcome(
        case=f"operator_{number:04}/{number:08x}", operator="operator", category="activation", profile="drawn",
        status=Status.MEASURED, inputs=(Input("data", TensorSpec((size, 1), "float32", Uniform())),),
        params={"axis": -1, "temperature": 2.5}, outputs=(ArrayType((size, 1), "float32"),), forward=timed(1.0),
        backward=timed(2.0), memory=Memory(usage, usage), seconds=0.3,
    )  # fmt: skip


def outcomes(run: Path | None, count: int) -> Iterator[Outcome]:
    """So many outcomes, CASES_PER_OPERATOR of each operator."""
    made = list(RunReader(run)) if run else [made_up(number) for number in range(min(count, 200))]
    for number, outcome in enumerate(islice(cycle(made), count)):
        name = f"{outcome.operator}_{number // CASES_PER_OPERATOR}"
        yield msgspec.structs.replace(outcome, operator=name, case=f"{name}/{number:08x}")


def opened(browser: Chrome, page: Path) -> float:
    """The seconds from the start of the navigation until the page's script has ended."""
    begun = time.perf_counter()
    browser.get(page.as_uri())
    browser.execute_script("return document.querySelectorAll('#table-1 tbody tr').length")
    return time.perf_counter() - begun


def main(arguments: list[str]) -> None:
    """Prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", type=int, nargs="?", default=4000)
    parser.add_argument("--run", type=Path)
    options = parser.parse_args(arguments)
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from tests.browser import chromium  # noqa: PLC0415 - the tests' folder is not a package of autoperf

    run = RunReader(options.run) if options.run else None
    origin = (run.header, run.machines) if run else (None, ())
    report = RunReport(origin[0], list(outcomes(options.run, options.cases)), machines=origin[1])
    begun = time.perf_counter()
    text = "".join(map(str, load("run", "html").pieces(report, 100)))
    made = time.perf_counter() - begun
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        page = Path(folder) / "page.html"
        page.write_text(text)
        seconds = sorted(opened(browser, page) for _ in range(5))
        errors = browser.get_log("browser")  # type: ignore[no-untyped-call]
    print(f"{options.cases} cases: {len(text) / 1e6:.2f} MB, made in {made:.1f} s, opened in {seconds[2]:.2f} s")
    for error in errors:
        print(error["message"])


if __name__ == "__main__":
    main(sys.argv[1:])
