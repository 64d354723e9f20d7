"""_npi_greater, forward, on MXNet 1.9.1: 4.49 times as slow as a neighbour that does equal work.

slow       122 us a call, where 26.5 us were expected
fast       26.5 us a call
step       float64: as many elements, 4 times the bytes
ratio      4.49 times, 95% interval 4.39 to 4.62, with 1 thread
family     float16
neighbour  4.49 times: float64: as many elements, 4 times the bytes
model      3.96 times: half of 18 other inputs lie within a factor of 1.06 of it
roofline   7.82 times: this machine can move and compute as much in that time

Measure it again: python _npi_greater-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.12 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_npi_greater",
    category="comparison",
    mxnet="1.9.1",
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
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.12, threads=1))
