"""_npx_relu, backward: 2.38 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       341 us a call, where 152 us were expected
fast       152 us a call
step       the same input on MXNet 1.9.1
ratio      2.38 times, 95% interval 2.23 to 2.54, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       2.38 times: the same input on MXNet 1.9.1
roofline   19.6 times: this machine can move and compute as much in that time
forward    4.91 times: the forward pass of the same input

Measure it again: python _npx_relu-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.54 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npx_relu",
    category="activation",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npx_relu/eb1e56e9", profile="finding")
def both():
    return dict(
        data=tensor((56554,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="backward", above=1.54, threads=1, sides=sides))
