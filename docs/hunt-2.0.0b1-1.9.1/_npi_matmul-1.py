"""_npi_matmul, forward: 2.26 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       65.6 us a call, where 26.3 us were expected
fast       26.3 us a call
step       the same input on MXNet 1.9.1
ratio      2.26 times, 95% interval 1.99 to 2.45, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       2.26 times: the same input on MXNet 1.9.1
roofline   4.57 times: this machine can move and compute as much in that time

Measure it again: python _npi_matmul-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.5 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_matmul",
    category="gemm",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_matmul/63381d48", profile="finding")
def both():
    return dict(
        a=tensor((16, 128), "float32", uniform(-1.0, 1.0)),
        b=tensor((128, 64), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=1.5, threads=1, sides=sides))
