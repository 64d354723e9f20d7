"""_npi_solve, backward: 2.41 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       140 us a call, where 56.2 us were expected
fast       56.2 us a call
step       the same input on MXNet 1.9.1
ratio      2.41 times, 95% interval 2.18 to 2.59, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       2.41 times: the same input on MXNet 1.9.1
roofline   11.9 times: this machine can move and compute as much in that time
forward    3.10 times: the forward pass of the same input

Measure it again: python _npi_solve-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.55 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, matrices, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_solve",
    category="linalg",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_solve/5941d112", profile="finding")
def both():
    return dict(
        A=tensor((3, 1, 1), "float32", matrices("dominant")),
        B=tensor((3, 1, 1), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="backward", above=1.55, threads=1, sides=sides))
