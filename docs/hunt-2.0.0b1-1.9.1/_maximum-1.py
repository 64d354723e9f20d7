"""_maximum, backward: 3.16 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       419 us a call, where 135 us were expected
fast       135 us a call
step       the same input on MXNet 1.9.1
ratio      3.16 times, 95% interval 3.02 to 3.31, with 1 thread
family     a dtype other than float16
side       3.16 times: the same input on MXNet 1.9.1
roofline   25.1 times: this machine can move and compute as much in that time
forward    4.42 times: the forward pass of the same input

Measure it again: python _maximum-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.78 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_maximum",
    category="elementwise",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_maximum/c09c8724", profile="finding")
def both():
    return dict(
        lhs=tensor((32768,), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((32768,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="backward", above=1.78, threads=1, sides=sides))
