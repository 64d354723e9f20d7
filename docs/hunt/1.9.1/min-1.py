"""min, forward, on MXNet 1.9.1: 4.37 times as slow as a neighbour that asks for as much work.

slow       142 us a call, where 32.8 us were expected
fast       32.8 us a call
step       int64
ratio      4.37 times, 95% interval 4.31 to 4.44, with 1 thread
family     dtype is float16
neighbour  4.34 times: int64 takes 23% of the time
model      2.56 times: half of 40 other inputs lie within a factor of 1.10 of it
roofline   8.19 times: this machine can move and compute as much in that time

Is it still so? python min-1.py
It times both in turn, and exits with 1 while slow takes more than 2.09 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="min",
    category="reduction",
    mxnet="1.9.1",
    seed=1,
)


@case("min/f64b8e15", profile="finding")
def slow():
    return dict(
        data=tensor((2048,), "float16", uniform(-1.0, 1.0)),
    )


@case("min/883d0361", profile="contrast")
def fast():
    return dict(
        data=tensor((2048,), "int64", integers(0, 10)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.09, threads=1))
