"""_linalg_gemm, forward: 10.3 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       139 us a call, where 13.8 us were expected
fast       13.8 us a call
step       the same input on MXNet 1.9.1
ratio      10.3 times, 95% interval 10.1 to 10.5, with 1 thread
family     every input
also       backward, 6.34 times
side       10.3 times: the same input on MXNet 1.9.1
roofline   11.8 times: this machine can move and compute as much in that time

Measure it again: python _linalg_gemm-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 3.21 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_linalg_gemm",
    category="linalg",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_linalg_gemm/576b8746", profile="finding")
def both():
    return dict(
        A=tensor((16, 1, 1), "float32", uniform(-1.0, 1.0)),
        B=tensor((16, 1, 1), "float32", uniform(-1.0, 1.0)),
        C=tensor((16, 1, 1), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=3.21, threads=1, sides=sides))
