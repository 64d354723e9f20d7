"""relu, backward: 3.33 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       361 us a call, where 104 us were expected
fast       104 us a call
step       the same input on MXNet 1.9.1
ratio      3.33 times, 95% interval 3.03 to 3.53, with 1 thread
family     a dtype other than float16
side       3.33 times: the same input on MXNet 1.9.1
roofline   19.7 times: this machine can move and compute as much in that time
forward    5.35 times: the forward pass of the same input

Measure it again: python relu-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.83 times as long as the second, else with 0.
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
    raise SystemExit(contrast(__file__, both, both, pass_="backward", above=1.83, threads=1, sides=sides))
