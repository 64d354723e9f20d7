"""_npi_bitwise_or, forward, on MXNet 1.9.1: 2.04 times as slow as a neighbour that does equal work.

slow       107 us a call, where 52.4 us were expected
fast       52.4 us a call
step       lhs.shape[1] of 10
ratio      2.04 times, 95% interval 2.01 to 2.05, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.04 times: lhs.shape[1] of 10
roofline   4.67 times: this machine can move and compute as much in that time

Measure it again: python _npi_bitwise_or-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.43 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_npi_bitwise_or",
    category="bitwise",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_bitwise_or/9b86b691", profile="finding")
def slow():
    return dict(
        lhs=tensor((8192, 1), "int32", integers(1, 100)),
        rhs=tensor((8192, 10), "int32", integers(1, 100)),
    )


@case("_npi_bitwise_or/3254e0c0", profile="contrast")
def fast():
    return dict(
        lhs=tensor((8192, 10), "int32", integers(1, 100)),
        rhs=tensor((8192, 10), "int32", integers(1, 100)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.43, threads=1))
