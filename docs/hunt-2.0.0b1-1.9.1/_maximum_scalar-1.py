"""_maximum_scalar, backward: 4.28 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       387 us a call, where 83.6 us were expected
fast       83.6 us a call
step       the same input on MXNet 1.9.1
ratio      4.28 times, 95% interval 3.84 to 4.69, with 1 thread
family     scalar=0.0, and a dtype other than float16
side       4.28 times: the same input on MXNet 1.9.1
roofline   21.1 times: this machine can move and compute as much in that time
forward    5.00 times: the forward pass of the same input

Measure it again: python _maximum_scalar-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 2.07 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_maximum_scalar",
    category="scalar",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_maximum_scalar/a760353c", profile="finding")
def both():
    return dict(
        data=tensor((65536,), "float32", uniform(-1.0, 1.0)),
        scalar=0.0,
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="backward", above=2.07, threads=1, sides=sides))
