"""sum, forward, on MXNet 1.9.1: 9.04 times as slow as a neighbour that does equal work.

slow       195 us a call, where 21.3 us were expected
fast       21.3 us a call
step       int32: as many elements, 2 times the bytes
ratio      9.04 times, 95% interval 8.13 to 9.38, with 1 thread
family     float16
neighbour  9.04 times: int32: as many elements, 2 times the bytes
model      5.55 times: half of 71 other inputs lie within a factor of 1.52 of it
roofline   9.81 times: this machine can move and compute as much in that time
kin        7.20 times: _np_sum of the same input
kin        2.06 times: max of the same input

Measure it again: python sum-2.py
It times both interleaved, and exits with 1 if slow takes more than 3.01 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="sum",
    category="reduction",
    mxnet="1.9.1",
    seed=5,
)


@case("sum/1077cf79", profile="finding")
def slow():
    return dict(
        data=tensor((2048,), "float16", uniform(-1.0, 1.0)),
    )


@case("sum/e0da1da0", profile="contrast")
def fast():
    return dict(
        data=tensor((2048,), "int32", integers(0, 10)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.01, threads=1))
