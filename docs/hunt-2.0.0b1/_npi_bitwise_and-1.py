"""_npi_bitwise_and, forward, on MXNet 2.0.0b1: 2.82 times as slow as a neighbour that does equal work.

slow       77.1 us a call, where 26.9 us were expected
fast       26.9 us a call
step       lhs.shape[1] of 8
ratio      2.82 times, 95% interval 2.74 to 3.25, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.82 times: lhs.shape[1] of 8
roofline   4.05 times: this machine can move and compute as much in that time

Measure it again: python _npi_bitwise_and-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.68 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_npi_bitwise_and",
    category="bitwise",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_bitwise_and/08c5e6ce", profile="finding")
def slow():
    return dict(
        lhs=tensor((8192, 1), "int32", integers(1, 100)),
        rhs=tensor((8192, 8), "int32", integers(1, 100)),
    )


@case("_npi_bitwise_and/506ea65e", profile="contrast")
def fast():
    return dict(
        lhs=tensor((8192, 8), "int32", integers(1, 100)),
        rhs=tensor((8192, 8), "int32", integers(1, 100)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.68, threads=1))
