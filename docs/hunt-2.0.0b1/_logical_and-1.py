"""_logical_and, forward, on MXNet 2.0.0b1: 16.0 times as slow as a neighbour that does equal work.

slow       302 us a call, where 19.0 us were expected
fast       19.0 us a call
step       int32: as many elements, 2 times the bytes
ratio      16.0 times, 95% interval 13.2 to 20.1, with 1 thread
family     float16
neighbour  16.0 times: int32: as many elements, 2 times the bytes
roofline   20.9 times: this machine can move and compute as much in that time
kin        8.01 times: _npi_logical_and of the same input

Measure it again: python _logical_and-1.py
It times both interleaved, and exits with 1 if slow takes more than 4.0 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, mask, tensor

SUITE = Suite(
    format=1,
    operator="_logical_and",
    category="logical",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_logical_and/c77246b2", profile="finding")
def slow():
    return dict(
        lhs=tensor((32768,), "float16", mask(0.5)),
        rhs=tensor((32768,), "float16", mask(0.5)),
    )


@case("_logical_and/34a0383a", profile="contrast")
def fast():
    return dict(
        lhs=tensor((32768,), "int32", mask(0.5)),
        rhs=tensor((32768,), "int32", mask(0.5)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=4.0, threads=1))
