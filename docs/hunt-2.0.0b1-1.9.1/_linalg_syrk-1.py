"""_linalg_syrk, backward: 3.53 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       133 us a call, where 37.3 us were expected
fast       37.3 us a call
step       the same input on MXNet 1.9.1
ratio      3.53 times, 95% interval 3.39 to 3.65, with 1 thread
family     every input
side       3.53 times: the same input on MXNet 1.9.1
roofline   11.3 times: this machine can move and compute as much in that time
forward    3.90 times: the forward pass of the same input

Measure it again: python _linalg_syrk-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.88 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_linalg_syrk",
    category="linalg",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_linalg_syrk/391837ed", profile="finding")
def both():
    return dict(
        A=tensor((4, 1, 1), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="backward", above=1.88, threads=1, sides=sides))
