"""_npi_equal, forward, on MXNet 2.0.0b1: 2.93 times as slow as a neighbour that does equal work.

slow       177 us a call, where 59.9 us were expected
fast       59.9 us a call
step       float64: as many elements, 4 times the bytes
ratio      2.93 times, 95% interval 2.84 to 2.99, with 1 thread
family     float16 or int8
neighbour  2.93 times: float64: as many elements, 4 times the bytes
roofline   14.5 times: this machine can move and compute as much in that time

Measure it again: python _npi_equal-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.71 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_npi_equal",
    category="comparison",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_equal/6947a891", profile="finding")
def slow():
    return dict(
        lhs=tensor((64, 1), "float16", integers(0, 4)),
        rhs=tensor((1, 256), "float16", integers(0, 4)),
    )


@case("_npi_equal/0362d7c4", profile="contrast")
def fast():
    return dict(
        lhs=tensor((64, 1), "float64", integers(0, 4)),
        rhs=tensor((1, 256), "float64", integers(0, 4)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.71, threads=1))
