"""_npi_lcm, forward, on MXNet 2.0.0b1: 2.07 times as slow as a neighbour that does equal work.

slow       683 us a call, where 330 us were expected
fast       330 us a call
step       rhs.shape[2] of 389
ratio      2.07 times, 95% interval 1.95 to 2.23, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.07 times: rhs.shape[2] of 389
roofline   53.3 times: this machine can move and compute as much in that time

Measure it again: python _npi_lcm-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.44 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_npi_lcm",
    category="broadcast",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_lcm/57dc1bf0", profile="finding")
def slow():
    return dict(
        lhs=tensor((1, 1, 1), "uint8", integers(1, 100)),
        rhs=tensor((6, 14, 390), "uint8", integers(1, 100)),
    )


@case("_npi_lcm/ab3ba38a", profile="contrast")
def fast():
    return dict(
        lhs=tensor((1, 1, 1), "uint8", integers(1, 100)),
        rhs=tensor((6, 14, 389), "uint8", integers(1, 100)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.44, threads=1))
