"""LayerNorm, forward: 1.95 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       60.6 us a call, where 30.6 us were expected
fast       30.6 us a call
step       the same input on MXNet 1.9.1
ratio      1.95 times, 95% interval 1.85 to 2.01, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       1.95 times: the same input on MXNet 1.9.1
roofline   4.03 times: this machine can move and compute as much in that time

Measure it again: python LayerNorm-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.39 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="LayerNorm",
    category="normalization",
    mxnet="2.0.0b1",
    seed=0,
)


@case("LayerNorm/84cb80b8", profile="finding")
def both():
    return dict(
        data=tensor((1148, 1), "float32", uniform(-1.0, 1.0)),
        gamma=tensor((1,), "float32", uniform(-1.0, 1.0)),
        beta=tensor((1,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=1.39, threads=1, sides=sides))
