"""abs, forward, on MXNet 1.9.1: 6.57 times as slow as a neighbour that does equal work.

slow       123 us a call, where 18.5 us were expected
fast       18.5 us a call
step       float32: as many elements, 2 times the bytes
ratio      6.57 times, 95% interval 6.12 to 6.91, with 1 thread
family     float16
also       backward, 3.71 times
neighbour  6.57 times: float32: as many elements, 2 times the bytes
roofline   7.61 times: this machine can move and compute as much in that time

Measure it again: python abs-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.56 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="abs",
    category="unary",
    mxnet="1.9.1",
    seed=0,
)


@case("abs/7ebb59ca", profile="finding")
def slow():
    return dict(
        data=tensor((16384,), "float16", uniform(-1.0, 1.0)),
    )


@case("abs/a07d2182", profile="contrast")
def fast():
    return dict(
        data=tensor((16384,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.56, threads=1))
