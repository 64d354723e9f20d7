"""_linalg_potri, backward: 2.23 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       89.3 us a call, where 39.8 us were expected
fast       39.8 us a call
step       the same input on MXNet 1.9.1
ratio      2.23 times, 95% interval 2.11 to 2.34, with 1 thread
family     every input
side       2.23 times: the same input on MXNet 1.9.1
roofline   5.99 times: this machine can move and compute as much in that time
forward    2.63 times: the forward pass of the same input

Measure it again: python _linalg_potri-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.49 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, matrices, tensor

SUITE = Suite(
    format=1,
    operator="_linalg_potri",
    category="linalg",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_linalg_potri/89d24320", profile="finding")
def both():
    return dict(
        A=tensor((2, 2, 2), "float32", matrices("lower")),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="backward", above=1.49, threads=1, sides=sides))
