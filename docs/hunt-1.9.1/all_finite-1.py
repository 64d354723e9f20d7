"""all_finite, forward, on MXNet 1.9.1: 3.83 times as slow as a neighbour that does equal work.

slow       119 us a call, where 31.1 us were expected
fast       31.1 us a call
step       float64: as many elements, 4 times the bytes
ratio      3.83 times, 95% interval 3.74 to 4.00, with 1 thread
family     float16
neighbour  3.83 times: float64: as many elements, 4 times the bytes
roofline   7.37 times: this machine can move and compute as much in that time

Measure it again: python all_finite-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.96 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="all_finite",
    category="reduction",
    mxnet="1.9.1",
    seed=0,
)


@case("all_finite/cce2cedc", profile="finding")
def slow():
    return dict(
        data=tensor((32768,), "float16", uniform(-1.0, 1.0)),
    )


@case("all_finite/fac5908c", profile="contrast")
def fast():
    return dict(
        data=tensor((32768,), "float64", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.96, threads=1))
