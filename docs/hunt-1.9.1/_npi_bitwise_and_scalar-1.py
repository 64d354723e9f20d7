"""_npi_bitwise_and_scalar, forward, on MXNet 1.9.1: 3.39 times as slow as a neighbour that does equal work.

slow       19,670 us a call, where 4,657 us were expected
fast       2,328 us a call
step       int32: as many elements, half the bytes
ratio      3.39 times, 95% interval 3.08 to 4.80, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  3.39 times: int32: as many elements, half the bytes
model      8.46 times: half of 16 other inputs lie within a factor of 1.07 of it
roofline   3.19 times: this machine can move and compute as much in that time

Measure it again: python _npi_bitwise_and_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 3.68 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_npi_bitwise_and_scalar",
    category="bitwise",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_bitwise_and_scalar/8da1b799", profile="finding")
def slow():
    return dict(
        data=tensor((12337, 5, 17, 4), "int64", integers(1, 100)),
    )


@case("_npi_bitwise_and_scalar/1c86c9e8", profile="contrast")
def fast():
    return dict(
        data=tensor((12337, 5, 17, 4), "int32", integers(1, 100)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.68, threads=1))
