"""BatchNorm, forward: 2.48 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       96.8 us a call, where 38.6 us were expected
fast       38.6 us a call
step       the same input on MXNet 1.9.1
ratio      2.48 times, 95% interval 2.40 to 2.54, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       2.48 times: the same input on MXNet 1.9.1
roofline   8.01 times: this machine can move and compute as much in that time

Measure it again: python BatchNorm-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.57 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="BatchNorm",
    category="normalization",
    mxnet="2.0.0b1",
    seed=0,
)


@case("BatchNorm/ecb028ec", profile="finding")
def both():
    return dict(
        data=tensor((1024, 3), "float32", uniform(-1.0, 1.0)),
        gamma=tensor((3,), "float32", uniform(0.5, 1.5)),
        beta=tensor((3,), "float32", uniform(-1.0, 1.0)),
        moving_mean=tensor((3,), "float32", uniform(-0.5, 0.5)),
        moving_var=tensor((3,), "float32", uniform(0.5, 1.5)),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=1.57, threads=1, sides=sides))
