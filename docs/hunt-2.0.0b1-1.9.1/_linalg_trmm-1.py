"""_linalg_trmm, forward: 1.94 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       494 us a call, where 252 us were expected
fast       252 us a call
step       the same input on MXNet 1.9.1
ratio      1.94 times, 95% interval 1.72 to 2.11, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       1.94 times: the same input on MXNet 1.9.1
roofline   1.99 times: this machine can move and compute as much in that time

Measure it again: python _linalg_trmm-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.39 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, matrices, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_linalg_trmm",
    category="linalg",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_linalg_trmm/86364f4d", profile="finding")
def both():
    return dict(
        A=tensor((256, 256), "float32", matrices("lower")),
        B=tensor((256, 256), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=1.39, threads=1, sides=sides))
