"""_linalg_inverse, backward: 4.14 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       212 us a call, where 50.1 us were expected
fast       50.1 us a call
step       the same input on MXNet 1.9.1
ratio      4.14 times, 95% interval 3.83 to 4.47, with 1 thread
family     every input
side       4.14 times: the same input on MXNet 1.9.1
roofline   18.0 times: this machine can move and compute as much in that time
forward    6.38 times: the forward pass of the same input

Measure it again: python _linalg_inverse-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 2.03 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, matrices, tensor

SUITE = Suite(
    format=1,
    operator="_linalg_inverse",
    category="linalg",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_linalg_inverse/ab567fac", profile="finding")
def both():
    return dict(
        A=tensor((8, 1, 1), "float32", matrices("dominant")),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="backward", above=2.03, threads=1, sides=sides))
