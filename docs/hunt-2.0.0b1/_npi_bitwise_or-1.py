"""_npi_bitwise_or, forward, on MXNet 2.0.0b1: 3.99 times as slow as a neighbour that does equal work.

slow       169 us a call, where 42.4 us were expected
fast       42.4 us a call
step       rhs.shape[0] of 256
ratio      3.99 times, 95% interval 3.73 to 4.29, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  3.99 times: rhs.shape[0] of 256
roofline   9.05 times: this machine can move and compute as much in that time

Measure it again: python _npi_bitwise_or-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.0 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_npi_bitwise_or",
    category="bitwise",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_bitwise_or/ddf71aa1", profile="finding")
def slow():
    return dict(
        lhs=tensor((256, 256), "int32", integers(1, 100)),
        rhs=tensor((1, 256), "int32", integers(1, 100)),
    )


@case("_npi_bitwise_or/c0b2b157", profile="contrast")
def fast():
    return dict(
        lhs=tensor((256, 256), "int32", integers(1, 100)),
        rhs=tensor((256, 256), "int32", integers(1, 100)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.0, threads=1))
