"""_not_equal, forward, on MXNet 1.9.1: 2.58 times as slow as a neighbour that does equal work.

slow       107 us a call, where 41.6 us were expected
fast       31.2 us a call
step       _npi_not_equal: the same operation in another namespace
ratio      2.58 times, 95% interval 2.47 to 2.73, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.58 times: _npi_not_equal: the same operation in another namespace
roofline   5.41 times: this machine can move and compute as much in that time
kin        3.05 times: _npi_not_equal of the same input

Measure it again: python _not_equal-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.14 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_not_equal",
    category="comparison",
    mxnet="1.9.1",
    seed=0,
)


@case("_not_equal/d76e5b2a", profile="finding")
def slow():
    return dict(
        lhs=tensor((32805,), "float32", integers(0, 4)),
        rhs=tensor((32805,), "float32", integers(0, 4)),
    )


@case("_npi_not_equal/c59d8d2c", profile="contrast", operator="_npi_not_equal")
def fast():
    return dict(
        lhs=tensor((32805,), "float32", integers(0, 4)),
        rhs=tensor((32805,), "float32", integers(0, 4)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.14, threads=1))
