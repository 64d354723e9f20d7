"""_linalg_gemm2, backward: 5.78 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       314 us a call, where 53.9 us were expected
fast       53.9 us a call
step       the same input on MXNet 1.9.1
ratio      5.78 times, 95% interval 5.45 to 6.22, with 1 thread
family     every input
also       forward, 10.3 times
side       5.78 times: the same input on MXNet 1.9.1
roofline   26.6 times: this machine can move and compute as much in that time
forward    1.44 times: the forward pass of the same input

Measure it again: python _linalg_gemm2-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 2.41 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_linalg_gemm2",
    category="linalg",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_linalg_gemm2/30ae5448", profile="finding")
def both():
    return dict(
        A=tensor((1, 16, 1), "float32", uniform(-1.0, 1.0)),
        B=tensor((1, 16, 1), "float32", uniform(-1.0, 1.0)),
        axis=0,
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="backward", above=2.41, threads=1, sides=sides))
