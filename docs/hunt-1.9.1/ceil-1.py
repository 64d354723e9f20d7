"""ceil, forward, on MXNet 1.9.1: 2.48 times as slow as a neighbour that does equal work.

slow       94.5 us a call, where 35.2 us were expected
fast       35.2 us a call
step       negative: both read each element, do little with it, and write one
ratio      2.48 times, 95% interval 2.15 to 2.87, with 1 thread
family     a dtype other than float16
neighbour  2.48 times: negative: both read each element, do little with it, and write one
roofline   4.95 times: this machine can move and compute as much in that time
kin        3.24 times: negative of the same input

Measure it again: python ceil-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.58 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="ceil",
    category="rounding",
    mxnet="1.9.1",
    seed=0,
)


@case("ceil/0046d720", profile="finding")
def slow():
    return dict(
        data=tensor((41984,), "float32", uniform(-8.0, 8.0)),
    )


@case("negative/d78a0406", profile="contrast", operator="negative")
def fast():
    return dict(
        data=tensor((41984,), "float32", uniform(-8.0, 8.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.58, threads=1))
