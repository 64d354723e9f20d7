"""_npi_logical_xor, forward, on MXNet 2.0.0b1: 3.24 times as slow as a neighbour that does equal work.

slow       201 us a call, where 62.0 us were expected
fast       62.0 us a call
step       int32: as many elements, 2 times the bytes
ratio      3.24 times, 95% interval 3.12 to 3.30, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  3.24 times: int32: as many elements, 2 times the bytes
roofline   16.5 times: this machine can move and compute as much in that time

Measure it again: python _npi_logical_xor-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.8 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, mask, tensor

SUITE = Suite(
    format=1,
    operator="_npi_logical_xor",
    category="logical",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_logical_xor/15af2f62", profile="finding")
def slow():
    return dict(
        lhs=tensor((64, 1), "float16", mask(0.5)),
        rhs=tensor((1, 256), "float16", mask(0.5)),
    )


@case("_npi_logical_xor/bdcdee6e", profile="contrast")
def fast():
    return dict(
        lhs=tensor((64, 1), "int32", mask(0.5)),
        rhs=tensor((1, 256), "int32", mask(0.5)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.8, threads=1))
