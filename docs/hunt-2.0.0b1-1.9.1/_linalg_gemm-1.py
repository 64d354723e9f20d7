"""_linalg_gemm, forward: 2.57 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       169 us a call, where 66.1 us were expected
fast       66.1 us a call
step       the same input on MXNet 1.9.1
ratio      2.57 times, 95% interval 2.48 to 2.66, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
also       backward, 2.13 times
side       2.57 times: the same input on MXNet 1.9.1
roofline   3.83 times: this machine can move and compute as much in that time

Measure it again: python _linalg_gemm-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.6 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_linalg_gemm",
    category="linalg",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_linalg_gemm/4ec5cbe4", profile="finding")
def both():
    return dict(
        A=tensor((4, 64, 64), "float32", uniform(-1.0, 1.0)),
        B=tensor((4, 64, 64), "float32", uniform(-1.0, 1.0)),
        C=tensor((4, 64, 64), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=1.6, threads=1, sides=sides))
