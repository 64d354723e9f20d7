"""_linalg_gemm2, forward, on MXNet 2.0.0b1: 2.31 times as slow as a neighbour that does equal work.

slow       148 us a call, where 65.2 us were expected
fast       64.7 us a call
step       B.shape[1] of 128
ratio      2.31 times, 95% interval 2.25 to 2.44, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.31 times: B.shape[1] of 128
roofline   2.75 times: this machine can move and compute as much in that time

Measure it again: python _linalg_gemm2-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.53 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_linalg_gemm2",
    category="linalg",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_linalg_gemm2/3affa211", profile="finding")
def slow():
    return dict(
        A=tensor((128, 129), "float32", uniform(-1.0, 1.0)),
        B=tensor((129, 129), "float32", uniform(-1.0, 1.0)),
    )


@case("_linalg_gemm2/2c9613d1", profile="contrast")
def fast():
    return dict(
        A=tensor((128, 129), "float32", uniform(-1.0, 1.0)),
        B=tensor((129, 128), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.53, threads=1))
