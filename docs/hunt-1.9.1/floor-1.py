"""floor, forward, on MXNet 1.9.1: 2.82 times as slow as a neighbour that does equal work.

slow       114 us a call, where 40.5 us were expected
fast       40.5 us a call
step       int64: as many elements, 4 times the bytes
ratio      2.82 times, 95% interval 2.74 to 2.85, with 1 thread
family     float16
neighbour  2.82 times: int64: as many elements, 4 times the bytes
model      2.03 times: half of 19 other inputs lie within a factor of 1.12 of it
roofline   7.04 times: this machine can move and compute as much in that time

Measure it again: python floor-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.68 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="floor",
    category="rounding",
    mxnet="1.9.1",
    seed=0,
)


@case("floor/db33ba7b", profile="finding")
def slow():
    return dict(
        data=tensor((16384,), "float16", uniform(-8.0, 8.0)),
    )


@case("floor/de4754f2", profile="contrast")
def fast():
    return dict(
        data=tensor((16384,), "int64", uniform(-8.0, 8.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.68, threads=1))
