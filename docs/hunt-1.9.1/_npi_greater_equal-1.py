"""_npi_greater_equal, forward, on MXNet 1.9.1: 2.17 times as slow as a neighbour that does equal work.

slow       263 us a call, where 122 us were expected
fast       122 us a call
step       rhs.shape[1] of 1,024
ratio      2.17 times, 95% interval 2.11 to 2.24, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.17 times: rhs.shape[1] of 1,024
model      2.02 times: half of 22 other inputs lie within a factor of 1.08 of it
roofline   11.6 times: this machine can move and compute as much in that time

Measure it again: python _npi_greater_equal-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.47 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_npi_greater_equal",
    category="comparison",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_greater_equal/d7169438", profile="finding")
def slow():
    return dict(
        lhs=tensor((128, 1024), "float32", integers(0, 4)),
        rhs=tensor((128, 1), "float32", integers(0, 4)),
    )


@case("_npi_greater_equal/60832c08", profile="contrast")
def fast():
    return dict(
        lhs=tensor((128, 1024), "float32", integers(0, 4)),
        rhs=tensor((128, 1024), "float32", integers(0, 4)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.47, threads=1))
