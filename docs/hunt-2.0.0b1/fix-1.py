"""fix, forward, on MXNet 2.0.0b1: 37.3 times as slow as a neighbour that does equal work.

slow       755 us a call, where 20.1 us were expected
fast       20.1 us a call
step       int32: as many elements, as many bytes
ratio      37.3 times, 95% interval 36.4 to 38.0, with 1 thread
family     float32 or float64 or float16
neighbour  37.3 times: int32: as many elements, as many bytes
roofline   40.6 times: this machine can move and compute as much in that time

Measure it again: python fix-1.py
It times both interleaved, and exits with 1 if slow takes more than 6.11 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="fix",
    category="rounding",
    mxnet="2.0.0b1",
    seed=0,
)


@case("fix/05cdaa53", profile="finding")
def slow():
    return dict(
        data=tensor((65536,), "float32", uniform(-8.0, 8.0)),
    )


@case("fix/8caf131b", profile="contrast")
def fast():
    return dict(
        data=tensor((65536,), "int32", uniform(-8.0, 8.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=6.11, threads=1))
