"""_linalg_trsm, backward: 11.0 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       549 us a call, where 50.0 us were expected
fast       50.0 us a call
step       the same input on MXNet 1.9.1
ratio      11.0 times, 95% interval 10.2 to 11.4, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       11.0 times: the same input on MXNet 1.9.1
roofline   36.8 times: this machine can move and compute as much in that time
forward    16.3 times: the forward pass of the same input

Measure it again: python _linalg_trsm-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 3.32 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, matrices, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_linalg_trsm",
    category="linalg",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_linalg_trsm/dfa2ee40", profile="finding")
def both():
    return dict(
        A=tensor((64, 1, 1), "float32", matrices("lower")),
        B=tensor((64, 1, 1), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="backward", above=3.32, threads=1, sides=sides))
