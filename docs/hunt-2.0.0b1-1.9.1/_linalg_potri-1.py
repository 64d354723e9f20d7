"""_linalg_potri, backward: 4.35 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       248 us a call, where 62.2 us were expected
fast       62.2 us a call
step       the same input on MXNet 1.9.1
ratio      4.35 times, 95% interval 3.88 to 4.78, with 1 thread
family     every input
side       4.35 times: the same input on MXNet 1.9.1
roofline   21.1 times: this machine can move and compute as much in that time
forward    7.32 times: the forward pass of the same input

Measure it again: python _linalg_potri-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 2.08 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, matrices, tensor

SUITE = Suite(
    format=1,
    operator="_linalg_potri",
    category="linalg",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_linalg_potri/75402b68", profile="finding")
def both():
    return dict(
        A=tensor((8, 1, 1), "float32", matrices("lower")),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="backward", above=2.08, threads=1, sides=sides))
