"""What preparing a case costs: drawing, asking inference, and rendering, over every covered operator.

    python benches/preparation.py [--samples 5]

Prints the milliseconds a case, as the median over operators and as the total over all cases.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from pathlib import Path

from autoperf.cases.build import Recipe
from autoperf.cases.release import open_release
from autoperf.cases.render import prepared_suite, write
from autoperf.cases.selection import Selection, targets


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=5)
    arguments = parser.parse_args()
    costs: list[float] = []
    cases = 0
    seconds = 0.0
    with open_release() as release, tempfile.TemporaryDirectory() as folder:
        chosen = [target for target in targets(release.registry, release.catalog, Selection()) if target.rule]
        list(prepared_suite(release, chosen[:1], Recipe(draws=1)))  # starts the inference service
        for target in chosen:
            start = time.perf_counter()
            (prepared,) = prepared_suite(release, [target], Recipe(seed=1, draws=arguments.samples))
            if prepared.rendered is None:
                continue
            write(prepared.rendered, Path(folder))
            spent = time.perf_counter() - start
            made = len(prepared.built.cases)
            costs.append(1000 * spent / made)
            cases, seconds = cases + made, seconds + spent
    print(f"operators          {len(costs)}")
    print(f"cases              {cases}")
    print(f"median             {statistics.median(costs):.2f} ms a case")
    print(f"90th percentile    {statistics.quantiles(costs, n=10)[-1]:.2f} ms a case")
    print(f"all                {1000 * seconds / cases:.2f} ms a case")


if __name__ == "__main__":
    main()
