"""_ones, forward, on MXNet 1.9.1: 2.34 times as slow as a neighbour that does equal work.

slow       8,148 us a call, where 3,877 us were expected
fast       1,939 us a call
step       no dtype
ratio      2.34 times, 95% interval 1.92 to 3.51, with 1 thread
family     this input; no family of it holds on fresh draws
neighbour  2.34 times: no dtype
model      11.9 times: half of 158 other inputs lie within a factor of 1.05 of it
roofline   41.0 times: this machine can move and compute as much in that time

Measure it again: python _ones-1.py
It times both interleaved, and exits with 1 if slow takes more than 3.06 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast

SUITE = Suite(
    format=1,
    operator="_ones",
    category="creation",
    mxnet="1.9.1",
    seed=0,
)


@case("_ones/b0525d7b", profile="finding")
def slow():
    return dict(
        dtype="int64",
        shape=(14, 149795),
    )


@case("_ones/78163386", profile="contrast")
def fast():
    return dict(
        shape=(14, 149795),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.06, threads=1))
