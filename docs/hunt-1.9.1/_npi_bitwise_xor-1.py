"""_npi_bitwise_xor, forward, on MXNet 1.9.1: 2.22 times as slow as a neighbour that does equal work.

slow       112 us a call, where 50.0 us were expected
fast       50.0 us a call
step       rhs.shape[0] of 65,536
ratio      2.22 times, 95% interval 2.10 to 2.30, with 1 thread
family     the last dimension of rhs is 1, and 1 or 2 dimensions
neighbour  2.22 times: rhs.shape[0] of 65,536
roofline   6.67 times: this machine can move and compute as much in that time

Measure it again: python _npi_bitwise_xor-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.49 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_npi_bitwise_xor",
    category="bitwise",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_bitwise_xor/0e72dac8", profile="finding")
def slow():
    return dict(
        lhs=tensor((65536,), "int8", integers(1, 100)),
        rhs=tensor((1,), "int8", integers(1, 100)),
    )


@case("_npi_bitwise_xor/4355f13e", profile="contrast")
def fast():
    return dict(
        lhs=tensor((65536,), "int8", integers(1, 100)),
        rhs=tensor((65536,), "int8", integers(1, 100)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.49, threads=1))
