"""_npi_matmul, forward: 2.04 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       97.1 us a call, where 49.3 us were expected
fast       49.3 us a call
step       the same input on MXNet 1.9.1
ratio      2.04 times, 95% interval 1.87 to 2.21, with 1 thread
family     every input
side       2.04 times: the same input on MXNet 1.9.1
roofline   2.20 times: this machine can move and compute as much in that time

Measure it again: python _npi_matmul-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.43 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_matmul",
    category="gemm",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_matmul/b8134ea0", profile="finding")
def both():
    return dict(
        a=tensor((64, 128), "float32", uniform(-1.0, 1.0)),
        b=tensor((128, 128), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=1.43, threads=1, sides=sides))
