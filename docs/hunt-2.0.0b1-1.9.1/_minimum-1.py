"""_minimum, backward: 1.91 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       120 us a call, where 61.7 us were expected
fast       61.7 us a call
step       the same input on MXNet 1.9.1
ratio      1.91 times, 95% interval 1.69 to 2.12, with 1 thread
family     a dtype other than float16
side       1.91 times: the same input on MXNet 1.9.1
roofline   8.44 times: this machine can move and compute as much in that time
forward    1.93 times: the forward pass of the same input

Measure it again: python _minimum-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.38 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_minimum",
    category="elementwise",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_minimum/d3bc9e42", profile="finding")
def both():
    return dict(
        lhs=tensor((16384,), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((16384,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="backward", above=1.38, threads=1, sides=sides))
