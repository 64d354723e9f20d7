"""_npi_not_equal, forward, on MXNet 2.0.0b1: 3.52 times as slow as a neighbour that does equal work.

slow       174 us a call, where 51.5 us were expected
fast       51.5 us a call
step       float32: as many elements, 2 times the bytes
ratio      3.52 times, 95% interval 3.40 to 3.76, with 1 thread
family     float16
neighbour  3.52 times: float32: as many elements, 2 times the bytes
roofline   14.2 times: this machine can move and compute as much in that time

Measure it again: python _npi_not_equal-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.88 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_npi_not_equal",
    category="comparison",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_not_equal/68ee5cf4", profile="finding")
def slow():
    return dict(
        lhs=tensor((64, 1), "float16", integers(0, 4)),
        rhs=tensor((1, 256), "float16", integers(0, 4)),
    )


@case("_npi_not_equal/d8a62b43", profile="contrast")
def fast():
    return dict(
        lhs=tensor((64, 1), "float32", integers(0, 4)),
        rhs=tensor((1, 256), "float32", integers(0, 4)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.88, threads=1))
