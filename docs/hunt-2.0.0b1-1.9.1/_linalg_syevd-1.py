"""_linalg_syevd, backward: 1.94 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       85.5 us a call, where 44.0 us were expected
fast       44.0 us a call
step       the same input on MXNet 1.9.1
ratio      1.94 times, 95% interval 1.89 to 1.99, with 1 thread
family     every input
side       1.94 times: the same input on MXNet 1.9.1
roofline   5.73 times: this machine can move and compute as much in that time
forward    2.23 times: the forward pass of the same input

Measure it again: python _linalg_syevd-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.39 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, matrices, tensor

SUITE = Suite(
    format=1,
    operator="_linalg_syevd",
    category="linalg",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_linalg_syevd/0877fe40", profile="finding")
def both():
    return dict(
        A=tensor((1, 1, 1), "float32", matrices("symmetric")),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="backward", above=1.39, threads=1, sides=sides))
