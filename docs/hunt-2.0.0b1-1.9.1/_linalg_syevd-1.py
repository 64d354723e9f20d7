"""_linalg_syevd, backward: 3.36 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       165 us a call, where 49.2 us were expected
fast       49.2 us a call
step       the same input on MXNet 1.9.1
ratio      3.36 times, 95% interval 3.11 to 3.59, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       3.36 times: the same input on MXNet 1.9.1
roofline   14.0 times: this machine can move and compute as much in that time
forward    4.16 times: the forward pass of the same input

Measure it again: python _linalg_syevd-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.83 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, matrices, tensor

SUITE = Suite(
    format=1,
    operator="_linalg_syevd",
    category="linalg",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_linalg_syevd/46ce8306", profile="finding")
def both():
    return dict(
        A=tensor((4, 1, 1), "float32", matrices("symmetric")),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="backward", above=1.83, threads=1, sides=sides))
