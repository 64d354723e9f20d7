"""sign, forward: 3.23 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       255 us a call, where 75.9 us were expected
fast       75.9 us a call
step       the same input on MXNet 1.9.1
ratio      3.23 times, 95% interval 2.69 to 3.43, with 1 thread
family     int64, and the last dimension is 2 or more, and 32,768 elements or more
side       3.23 times: the same input on MXNet 1.9.1
roofline   10.3 times: this machine can move and compute as much in that time

Measure it again: python sign-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.8 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="sign",
    category="unary",
    mxnet="2.0.0b1",
    seed=0,
)


@case("sign/9c2b0d21", profile="finding")
def both():
    return dict(
        data=tensor((65536,), "int64", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=1.8, threads=1, sides=sides))
