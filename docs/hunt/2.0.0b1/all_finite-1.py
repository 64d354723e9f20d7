"""all_finite, forward, on MXNet 2.0.0b1: 3.12 times as slow as a neighbour that does equal work.

slow       104 us a call, where 33.4 us were expected
fast       33.4 us a call
step       float32
ratio      3.12 times, 95% interval 3.08 to 3.17, with 1 thread
family     dtype is float16
neighbour  3.11 times: float32 takes 32% of the time
model      2.15 times: half of 25 other inputs lie within a factor of 1.06 of it
roofline   5.42 times: this machine can move and compute as much in that time

Measure it again: python all_finite-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.77 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="all_finite",
    category="reduction",
    mxnet="2.0.0b1",
    seed=1,
)


@case("all_finite/1d88caa3", profile="finding")
def slow():
    return dict(
        data=tensor((16384,), "float16", uniform(-1.0, 1.0)),
    )


@case("all_finite/e28ba785", profile="contrast")
def fast():
    return dict(
        data=tensor((16384,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.77, threads=1))
