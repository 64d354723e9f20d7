"""_linalg_inverse, backward: 2.53 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       110 us a call, where 41.2 us were expected
fast       41.2 us a call
step       the same input on MXNet 1.9.1
ratio      2.53 times, 95% interval 2.31 to 2.74, with 1 thread
family     every input
side       2.53 times: the same input on MXNet 1.9.1
roofline   7.37 times: this machine can move and compute as much in that time
forward    3.26 times: the forward pass of the same input

Measure it again: python _linalg_inverse-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.59 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, matrices, tensor

SUITE = Suite(
    format=1,
    operator="_linalg_inverse",
    category="linalg",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_linalg_inverse/6cfa8d13", profile="finding")
def both():
    return dict(
        A=tensor((2, 1, 1), "float32", matrices("dominant")),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="backward", above=1.59, threads=1, sides=sides))
