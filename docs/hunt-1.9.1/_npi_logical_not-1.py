"""_npi_logical_not, forward, on MXNet 1.9.1: 3.21 times as slow as a neighbour that does equal work.

slow       106 us a call, where 36.2 us were expected
fast       36.2 us a call
step       int64: as many elements, 4 times the bytes
ratio      3.21 times, 95% interval 2.95 to 3.45, with 1 thread
family     float16
neighbour  3.21 times: int64: as many elements, 4 times the bytes
roofline   6.65 times: this machine can move and compute as much in that time

Measure it again: python _npi_logical_not-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.79 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, mask, tensor

SUITE = Suite(
    format=1,
    operator="_npi_logical_not",
    category="logical",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_logical_not/4e3626df", profile="finding")
def slow():
    return dict(
        x=tensor((16384,), "float16", mask(0.5)),
    )


@case("_npi_logical_not/11e09a4b", profile="contrast")
def fast():
    return dict(
        x=tensor((16384,), "int64", mask(0.5)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.79, threads=1))
