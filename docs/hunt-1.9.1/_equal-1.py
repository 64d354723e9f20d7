"""_equal, forward, on MXNet 1.9.1: 2.19 times as slow as a neighbour that does equal work.

slow       134 us a call, where 60.3 us were expected
fast       45.2 us a call
step       _npi_equal: the same operation in another namespace
ratio      2.19 times, 95% interval 2.08 to 2.28, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.19 times: _npi_equal: the same operation in another namespace
roofline   5.93 times: this machine can move and compute as much in that time
kin        2.23 times: _npi_equal of the same input

Measure it again: python _equal-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.97 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_equal",
    category="comparison",
    mxnet="1.9.1",
    seed=0,
)


@case("_equal/61c536dd", profile="finding")
def slow():
    return dict(
        lhs=tensor((54236,), "float32", integers(0, 4)),
        rhs=tensor((54236,), "float32", integers(0, 4)),
    )


@case("_npi_equal/ca32f38a", profile="contrast", operator="_npi_equal")
def fast():
    return dict(
        lhs=tensor((54236,), "float32", integers(0, 4)),
        rhs=tensor((54236,), "float32", integers(0, 4)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.97, threads=1))
