"""_linalg_gemm2, backward: 3.02 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       1,375 us a call, where 442 us were expected
fast       442 us a call
step       the same input on MXNet 1.9.1
ratio      3.02 times, 95% interval 2.86 to 3.17, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       3.02 times: the same input on MXNet 1.9.1
roofline   10.4 times: this machine can move and compute as much in that time
forward    5.55 times: the forward pass of the same input

Measure it again: python _linalg_gemm2-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.74 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_linalg_gemm2",
    category="linalg",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_linalg_gemm2/e2027a4d", profile="finding")
def both():
    return dict(
        A=tensor((64, 16, 64), "float32", uniform(-1.0, 1.0)),
        B=tensor((64, 16, 64), "float32", uniform(-1.0, 1.0)),
        axis=0,
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="backward", above=1.74, threads=1, sides=sides))
