"""_npi_bitwise_xor, forward, on MXNet 2.0.0b1: 2.47 times as slow as a neighbour that does equal work.

slow       134 us a call, where 56.1 us were expected
fast       56.1 us a call
step       rhs.shape[0] of 256
ratio      2.47 times, 95% interval 2.35 to 2.63, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.47 times: rhs.shape[0] of 256
roofline   7.19 times: this machine can move and compute as much in that time

Measure it again: python _npi_bitwise_xor-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.57 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_npi_bitwise_xor",
    category="bitwise",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_bitwise_xor/af74171b", profile="finding")
def slow():
    return dict(
        lhs=tensor((256, 256), "int32", integers(1, 100)),
        rhs=tensor((1, 256), "int32", integers(1, 100)),
    )


@case("_npi_bitwise_xor/bd9f23f2", profile="contrast")
def fast():
    return dict(
        lhs=tensor((256, 256), "int32", integers(1, 100)),
        rhs=tensor((256, 256), "int32", integers(1, 100)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.57, threads=1))
