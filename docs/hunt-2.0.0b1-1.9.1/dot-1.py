"""dot, forward: 2.10 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       84.6 us a call, where 41.4 us were expected
fast       41.4 us a call
step       the same input on MXNet 1.9.1
ratio      2.10 times, 95% interval 1.88 to 2.30, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       2.10 times: the same input on MXNet 1.9.1
roofline   3.83 times: this machine can move and compute as much in that time

Measure it again: python dot-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.45 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="dot",
    category="gemm",
    mxnet="2.0.0b1",
    seed=0,
)


@case("dot/ffe73dc1", profile="finding")
def both():
    return dict(
        lhs=tensor((64, 128), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((128, 64), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=1.45, threads=1, sides=sides))
