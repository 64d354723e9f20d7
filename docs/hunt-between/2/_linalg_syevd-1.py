"""_linalg_syevd, backward: 54.4 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       32,523 us a call, where 607 us were expected
fast       607 us a call
step       the same input on MXNet 1.9.1
ratio      54.4 times, 95% interval 46.1 to 62.6, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       54.4 times: the same input on MXNet 1.9.1
roofline   1,323 times: this machine can move and compute as much in that time
forward    16.9 times: the forward pass of the same input

Measure it again: python _linalg_syevd-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 7.37 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, matrices, tensor

SUITE = Suite(
    format=1,
    operator="_linalg_syevd",
    category="linalg",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_linalg_syevd/fdb2ce1b", profile="finding")
def both():
    return dict(
        A=tensor((1000, 4, 4), "float32", matrices("symmetric")),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="backward", above=7.37, threads=1, sides=sides))
