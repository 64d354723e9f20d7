"""_not_equal_scalar, forward, on MXNet 1.9.1: 2.72 times as slow as a neighbour that does equal work.

slow       1,514 us a call, where 632 us were expected
fast       395 us a call
step       _npi_not_equal_scalar: the same operation in another namespace
ratio      2.72 times, 95% interval 2.29 to 3.24, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.72 times: _npi_not_equal_scalar: the same operation in another namespace
roofline   31.3 times: this machine can move and compute as much in that time
kin        3.77 times: _npi_not_equal_scalar of the same input

Measure it again: python _not_equal_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.64 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_not_equal_scalar",
    category="comparison",
    mxnet="1.9.1",
    seed=0,
)


@case("_not_equal_scalar/ce4c376d", profile="finding")
def slow():
    return dict(
        data=tensor((376832,), "float32", integers(0, 4)),
    )


@case("_npi_not_equal_scalar/907b3706", profile="contrast", operator="_npi_not_equal_scalar")
def fast():
    return dict(
        data=tensor((376832,), "float32", integers(0, 4)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.64, threads=1))
