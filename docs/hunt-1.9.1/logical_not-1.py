"""logical_not, forward, on MXNet 1.9.1: 5.19 times as slow as a neighbour that does equal work.

slow       288 us a call, where 54.0 us were expected
fast       54.0 us a call
step       int64: as many elements, 2 times the bytes
ratio      5.19 times, 95% interval 4.89 to 5.47, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  5.19 times: int64: as many elements, 2 times the bytes
model      3.37 times: half of 20 other inputs lie within a factor of 1.22 of it
roofline   13.6 times: this machine can move and compute as much in that time
kin        6.59 times: _npi_logical_not of the same input

Measure it again: python logical_not-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.28 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, mask, tensor

SUITE = Suite(
    format=1,
    operator="logical_not",
    category="logical",
    mxnet="1.9.1",
    seed=0,
)


@case("logical_not/26c7ead8", profile="finding")
def slow():
    return dict(
        data=tensor((64, 1024), "float32", mask(0.5)),
    )


@case("logical_not/b0879e24", profile="contrast")
def fast():
    return dict(
        data=tensor((64, 1024), "int64", mask(0.5)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.28, threads=1))
