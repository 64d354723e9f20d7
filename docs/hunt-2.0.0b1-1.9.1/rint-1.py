"""rint, forward: 2.23 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       476 us a call, where 204 us were expected
fast       204 us a call
step       the same input on MXNet 1.9.1
ratio      2.23 times, 95% interval 2.08 to 2.34, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       2.23 times: the same input on MXNet 1.9.1
roofline   28.1 times: this machine can move and compute as much in that time

Measure it again: python rint-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.49 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="rint",
    category="rounding",
    mxnet="2.0.0b1",
    seed=0,
)


@case("rint/50865c01", profile="finding")
def both():
    return dict(
        data=tensor((51545,), "float32", uniform(-8.0, 8.0)),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=1.49, threads=1, sides=sides))
