"""relu, backward: 3.38 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       358 us a call, where 105 us were expected
fast       105 us a call
step       the same input on MXNet 1.9.1
ratio      3.38 times, 95% interval 3.27 to 3.49, with 1 thread
family     a dtype other than float16
side       3.38 times: the same input on MXNet 1.9.1
roofline   16.2 times: this machine can move and compute as much in that time
forward    5.47 times: the forward pass of the same input

Measure it again: python relu-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.84 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="relu",
    category="activation",
    mxnet="2.0.0b1",
    seed=0,
)


@case("relu/c7a8c50f", profile="finding")
def both():
    return dict(
        data=tensor((65536,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="backward", above=1.84, threads=1, sides=sides))
