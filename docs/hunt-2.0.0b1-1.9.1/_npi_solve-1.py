"""_npi_solve, backward: 1.95 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       108 us a call, where 58.4 us were expected
fast       58.4 us a call
step       the same input on MXNet 1.9.1
ratio      1.95 times, 95% interval 1.81 to 2.09, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       1.95 times: the same input on MXNet 1.9.1
roofline   7.25 times: this machine can move and compute as much in that time
forward    2.37 times: the forward pass of the same input

Measure it again: python _npi_solve-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.4 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, matrices, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_solve",
    category="linalg",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_solve/d08e3df6", profile="finding")
def both():
    return dict(
        A=tensor((2, 2, 2), "float32", matrices("dominant")),
        B=tensor((2, 2, 1), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="backward", above=1.4, threads=1, sides=sides))
