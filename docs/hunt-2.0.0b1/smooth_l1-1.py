"""smooth_l1, forward, on MXNet 2.0.0b1: 3.95 times as slow as a neighbour that does equal work.

slow       74.9 us a call, where 18.9 us were expected
fast       18.9 us a call
step       int64: as many elements, 4 times the bytes
ratio      3.95 times, 95% interval 3.76 to 4.02, with 1 thread
family     float16
neighbour  3.95 times: int64: as many elements, 4 times the bytes
roofline   6.04 times: this machine can move and compute as much in that time

Measure it again: python smooth_l1-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.99 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="smooth_l1",
    category="activation",
    mxnet="2.0.0b1",
    seed=0,
)


@case("smooth_l1/445693a9", profile="finding")
def slow():
    return dict(
        data=tensor((8192,), "float16", uniform(-1.0, 1.0)),
    )


@case("smooth_l1/6d83f5b4", profile="contrast")
def fast():
    return dict(
        data=tensor((8192,), "int64", integers(0, 10)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.99, threads=1))
