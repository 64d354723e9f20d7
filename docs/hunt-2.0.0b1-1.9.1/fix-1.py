"""fix, forward: 2.28 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       6,596 us a call, where 2,857 us were expected
fast       2,857 us a call
step       the same input on MXNet 1.9.1
ratio      2.28 times, 95% interval 2.21 to 2.48, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       2.28 times: the same input on MXNet 1.9.1
roofline   103 times: this machine can move and compute as much in that time

Measure it again: python fix-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.51 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="fix",
    category="rounding",
    mxnet="2.0.0b1",
    seed=0,
)


@case("fix/3126651b", profile="finding")
def both():
    return dict(
        data=tensor((6, 15, 5826), "float32", uniform(-8.0, 8.0)),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=1.51, threads=1, sides=sides))
