"""ceil, forward, on MXNet 2.0.0b1: 4.51 times as slow as a neighbour that does equal work.

slow       89.9 us a call, where 19.9 us were expected
fast       19.9 us a call
step       negative: both read each element, do little with it, and write one
ratio      4.51 times, 95% interval 4.44 to 4.59, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  4.51 times: negative: both read each element, do little with it, and write one
roofline   4.83 times: this machine can move and compute as much in that time
kin        4.51 times: negative of the same input

Measure it again: python ceil-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.12 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="ceil",
    category="rounding",
    mxnet="2.0.0b1",
    seed=0,
)


@case("ceil/de6c9d65", profile="finding")
def slow():
    return dict(
        data=tensor((65536,), "float32", uniform(-8.0, 8.0)),
    )


@case("negative/978b3153", profile="contrast", operator="negative")
def fast():
    return dict(
        data=tensor((65536,), "float32", uniform(-8.0, 8.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.12, threads=1))
