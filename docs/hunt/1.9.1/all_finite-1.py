"""all_finite, forward, on MXNet 1.9.1: 4.38 times as slow as a neighbour that asks for as much work.

slow       149 us a call, where 33.3 us were expected
fast       33.3 us a call
step       float64
ratio      4.38 times, 95% interval 4.29 to 4.47, with 1 thread
family     dtype is float16
neighbour  4.46 times: float64 takes 22% of the time
model      3.48 times: half of 25 other inputs lie within a factor of 1.12 of it
roofline   8.06 times: this machine can move and compute as much in that time

Is it still so? python all_finite-1.py
It times both in turn, and exits with 1 while slow takes more than 2.09 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="all_finite",
    category="reduction",
    mxnet="1.9.1",
    seed=1,
)


@case("all_finite/1d88caa3", profile="finding")
def slow():
    return dict(
        data=tensor((16384,), "float16", uniform(-1.0, 1.0)),
    )


@case("all_finite/31b40266", profile="contrast")
def fast():
    return dict(
        data=tensor((16384,), "float64", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.09, threads=1))
