"""broadcast_mul, forward: 3.80 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       94.1 us a call, where 24.9 us were expected
fast       24.9 us a call
step       the same input on MXNet 1.9.1
ratio      3.80 times, 95% interval 3.44 to 4.23, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       3.80 times: the same input on MXNet 1.9.1
roofline   7.92 times: this machine can move and compute as much in that time

Measure it again: python broadcast_mul-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.95 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="broadcast_mul",
    category="broadcast",
    mxnet="2.0.0b1",
    seed=0,
)


@case("broadcast_mul/9abd86f1", profile="finding")
def both():
    return dict(
        lhs=tensor((1, 1), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((96, 10), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=1.95, threads=1, sides=sides))
