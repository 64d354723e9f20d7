"""_npi_matmul, forward, on MXNet 1.9.1: 2.24 times as slow as a neighbour that does equal work.

slow       235 us a call, where 104 us were expected
fast       104 us a call
step       axes 0 and 1 made one
ratio      2.24 times, 95% interval 2.17 to 2.36, with 1 thread
family     a.shape[0] < 512
neighbour  2.26 times: axes 0 and 1 made one takes 44% of the time
model      1.68 times: half of 38 other inputs lie within a factor of 1.14 of it
roofline   4.58 times: this machine can move and compute as much in that time

Measure it again: python _npi_matmul-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.5 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_matmul",
    category="gemm",
    mxnet="1.9.1",
    seed=1,
)


@case("_npi_matmul/19616a32", profile="finding")
def slow():
    return dict(
        a=tensor((8, 64, 64), "float32", uniform(-1.0, 1.0)),
        b=tensor((64, 64), "float32", uniform(-1.0, 1.0)),
    )


@case("_npi_matmul/e87f40cc", profile="contrast")
def fast():
    return dict(
        a=tensor((512, 64), "float32", uniform(-1.0, 1.0)),
        b=tensor((64, 64), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.5, threads=1))
