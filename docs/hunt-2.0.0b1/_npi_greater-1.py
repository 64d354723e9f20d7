"""_npi_greater, forward, on MXNet 2.0.0b1: 4.03 times as slow as a neighbour that does equal work.

slow       116 us a call, where 27.6 us were expected
fast       27.6 us a call
step       float64: as many elements, 4 times the bytes
ratio      4.03 times, 95% interval 3.64 to 4.36, with 1 thread
family     float16
neighbour  4.03 times: float64: as many elements, 4 times the bytes
roofline   9.50 times: this machine can move and compute as much in that time

Measure it again: python _npi_greater-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.01 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_npi_greater",
    category="comparison",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_greater/89f12edb", profile="finding")
def slow():
    return dict(
        lhs=tensor((64, 1), "float16", integers(0, 4)),
        rhs=tensor((1, 256), "float16", integers(0, 4)),
    )


@case("_npi_greater/a2d01129", profile="contrast")
def fast():
    return dict(
        lhs=tensor((64, 1), "float64", integers(0, 4)),
        rhs=tensor((1, 256), "float64", integers(0, 4)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.01, threads=1))
