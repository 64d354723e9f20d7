"""_npi_less_equal, forward, on MXNet 2.0.0b1: 3.69 times as slow as a neighbour that does equal work.

slow       109 us a call, where 30.3 us were expected
fast       30.3 us a call
step       float64: as many elements, 4 times the bytes
ratio      3.69 times, 95% interval 3.36 to 3.97, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  3.69 times: float64: as many elements, 4 times the bytes
roofline   8.90 times: this machine can move and compute as much in that time

Measure it again: python _npi_less_equal-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.92 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_npi_less_equal",
    category="comparison",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_less_equal/b25f65b8", profile="finding")
def slow():
    return dict(
        lhs=tensor((64, 1), "float16", integers(0, 4)),
        rhs=tensor((1, 256), "float16", integers(0, 4)),
    )


@case("_npi_less_equal/3099ba26", profile="contrast")
def fast():
    return dict(
        lhs=tensor((64, 1), "float64", integers(0, 4)),
        rhs=tensor((1, 256), "float64", integers(0, 4)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.92, threads=1))
