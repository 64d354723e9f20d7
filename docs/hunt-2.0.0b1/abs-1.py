"""abs, forward, on MXNet 2.0.0b1: 4.05 times as slow as a neighbour that does equal work.

slow       144 us a call, where 36.7 us were expected
fast       36.7 us a call
step       int32: as many elements, 2 times the bytes
ratio      4.05 times, 95% interval 3.92 to 4.19, with 1 thread
family     float16
neighbour  4.05 times: int32: as many elements, 2 times the bytes
roofline   11.2 times: this machine can move and compute as much in that time

Measure it again: python abs-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.01 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="abs",
    category="unary",
    mxnet="2.0.0b1",
    seed=0,
)


@case("abs/7ebb59ca", profile="finding")
def slow():
    return dict(
        data=tensor((16384,), "float16", uniform(-1.0, 1.0)),
    )


@case("abs/cc4264cc", profile="contrast")
def fast():
    return dict(
        data=tensor((16384,), "int32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.01, threads=1))
