"""_npi_not_equal_scalar, forward, on MXNet 2.0.0b1: 2.82 times as slow as a neighbour that does equal work.

slow       110 us a call, where 38.4 us were expected
fast       38.4 us a call
step       float32: as many elements, 4 times the bytes
ratio      2.82 times, 95% interval 2.70 to 2.92, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.82 times: float32: as many elements, 4 times the bytes
roofline   8.07 times: this machine can move and compute as much in that time
kin        3.93 times: _not_equal_scalar of the same input

Measure it again: python _npi_not_equal_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.68 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_npi_not_equal_scalar",
    category="comparison",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_not_equal_scalar/dab95c56", profile="finding")
def slow():
    return dict(
        data=tensor((65536,), "int8", integers(0, 4)),
    )


@case("_npi_not_equal_scalar/1efbaf36", profile="contrast")
def fast():
    return dict(
        data=tensor((65536,), "float32", integers(0, 4)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.68, threads=1))
