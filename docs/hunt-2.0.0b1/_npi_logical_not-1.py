"""_npi_logical_not, forward, on MXNet 2.0.0b1: 2.05 times as slow as a neighbour that does equal work.

slow       161 us a call, where 79.6 us were expected
fast       44.2 us a call
step       int32: as many elements, half the bytes
ratio      2.05 times, 95% interval 1.98 to 2.13, with 1 thread
family     float64 or float16
neighbour  2.05 times: int32: as many elements, half the bytes
roofline   3.86 times: this machine can move and compute as much in that time
kin        2.42 times: logical_not of the same input

Measure it again: python _npi_logical_not-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.58 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, mask, tensor

SUITE = Suite(
    format=1,
    operator="_npi_logical_not",
    category="logical",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_logical_not/e2f4d039", profile="finding")
def slow():
    return dict(
        x=tensor((262144,), "float64", mask(0.5)),
    )


@case("_npi_logical_not/6362e341", profile="contrast")
def fast():
    return dict(
        x=tensor((262144,), "int32", mask(0.5)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.58, threads=1))
