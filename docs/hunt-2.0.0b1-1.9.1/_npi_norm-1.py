"""_npi_norm, backward: 2.49 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       555 us a call, where 221 us were expected
fast       221 us a call
step       the same input on MXNet 1.9.1
ratio      2.49 times, 95% interval 2.42 to 2.63, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       2.49 times: the same input on MXNet 1.9.1
roofline   46.9 times: this machine can move and compute as much in that time
forward    2.46 times: the forward pass of the same input

Measure it again: python _npi_norm-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.58 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_norm",
    category="reduction",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_norm/6c4d70ce", profile="finding")
def both():
    return dict(
        data=tensor((5, 13, 21), "float32", uniform(-1.0, 1.0)),
        axis=(1, 2),
        flag=2,
        keepdims=False,
        ord=2,
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="backward", above=1.58, threads=1, sides=sides))
