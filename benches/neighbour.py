"""A neighbour that disturbs a measurement: it works and rests in phases, on the same processor or on another one.

    python benches/neighbour.py CPU [SEED]

runs until it is ended. Phases last 0.1 to 5 s (log-uniform, drawn with the seed); a working phase computes products and
copies, as a build or another benchmark would.
"""

from __future__ import annotations

import contextlib
import math
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator

import numpy as np

SHORTEST, LONGEST = 0.1, 5.0


def main(arguments: list[str]) -> None:
    os.sched_setaffinity(0, {int(arguments[0])})
    draw = random.Random(int(arguments[1]) if len(arguments) > 1 else 1)
    matrix, data = np.full((160, 160), 0.5, "float32"), np.zeros(1 << 20, "float32")
    target = np.empty_like(data)
    while True:
        end = time.monotonic() + _phase(draw)
        while time.monotonic() < end:
            matrix @ matrix
            np.copyto(target, data)
        time.sleep(_phase(draw))


def _phase(draw: random.Random) -> float:
    return SHORTEST * math.pow(LONGEST / SHORTEST, draw.random())


@contextlib.contextmanager
def neighbour(load: str, cpu: int, seed: int = 1) -> Iterator[None]:
    """Runs a neighbour inside the context, on this processor (`same`) or the next (`other`); none for `none`."""
    if load == "none":
        yield
        return
    usable = sorted(os.sched_getaffinity(os.getppid()) | {cpu})
    place = cpu if load == "same" else next(other for other in usable if other != cpu)
    process = subprocess.Popen([sys.executable, __file__, str(place), str(seed)])
    try:
        yield
    finally:
        process.kill()
        process.wait()


if __name__ == "__main__":
    main(sys.argv[1:])
