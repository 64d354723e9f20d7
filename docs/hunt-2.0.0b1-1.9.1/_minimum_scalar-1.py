"""_minimum_scalar, backward: 4.01 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       329 us a call, where 80.5 us were expected
fast       80.5 us a call
step       the same input on MXNet 1.9.1
ratio      4.01 times, 95% interval 3.85 to 4.17, with 1 thread
family     a dtype other than float16, and scalar is 1
side       4.01 times: the same input on MXNet 1.9.1
roofline   18.0 times: this machine can move and compute as much in that time
forward    4.70 times: the forward pass of the same input

Measure it again: python _minimum_scalar-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 2.0 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_minimum_scalar",
    category="scalar",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_minimum_scalar/6580c8ec", profile="finding")
def both():
    return dict(
        data=tensor((65536,), "float32", uniform(-1.0, 1.0)),
        scalar=0.0,
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="backward", above=2.0, threads=1, sides=sides))
