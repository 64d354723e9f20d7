"""floor, forward, on MXNet 2.0.0b1: 12.8 times as slow as a neighbour that does equal work.

slow       212 us a call, where 17.3 us were expected
fast       17.3 us a call
step       int32: as many elements, 2 times the bytes
ratio      12.8 times, 95% interval 12.3 to 13.4, with 1 thread
family     float16
neighbour  12.8 times: int32: as many elements, 2 times the bytes
roofline   15.6 times: this machine can move and compute as much in that time

Measure it again: python floor-1.py
It times both interleaved, and exits with 1 if slow takes more than 3.58 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="floor",
    category="rounding",
    mxnet="2.0.0b1",
    seed=0,
)


@case("floor/87c0894f", profile="finding")
def slow():
    return dict(
        data=tensor((32768,), "float16", uniform(-8.0, 8.0)),
    )


@case("floor/a0a8c991", profile="contrast")
def fast():
    return dict(
        data=tensor((32768,), "int32", uniform(-8.0, 8.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.58, threads=1))
