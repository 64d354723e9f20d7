"""fix, forward, on MXNet 1.9.1: 3.17 times as slow as a neighbour that does equal work.

slow       226 us a call, where 71.8 us were expected
fast       71.8 us a call
step       float64: as many elements, 4 times the bytes
ratio      3.17 times, 95% interval 3.08 to 3.40, with 1 thread
family     float16
neighbour  3.17 times: float64: as many elements, 4 times the bytes
roofline   14.0 times: this machine can move and compute as much in that time

Measure it again: python fix-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.78 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="fix",
    category="rounding",
    mxnet="1.9.1",
    seed=0,
)


@case("fix/216c0ce6", profile="finding")
def slow():
    return dict(
        data=tensor((16384,), "float16", uniform(-8.0, 8.0)),
    )


@case("fix/0bf961f8", profile="contrast")
def fast():
    return dict(
        data=tensor((16384,), "float64", uniform(-8.0, 8.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.78, threads=1))
