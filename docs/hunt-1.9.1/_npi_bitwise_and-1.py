"""_npi_bitwise_and, forward, on MXNet 1.9.1: 2.05 times as slow as a neighbour that does equal work.

slow       132 us a call, where 53.0 us were expected
fast       53.0 us a call
step       lhs.shape[1] of 1 and lhs.shape[0] of 87,040
ratio      2.05 times, 95% interval 1.79 to 2.48, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.05 times: lhs.shape[1] of 1 and lhs.shape[0] of 87,040
roofline   7.64 times: this machine can move and compute as much in that time

Measure it again: python _npi_bitwise_and-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.43 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_npi_bitwise_and",
    category="bitwise",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_bitwise_and/2823b305", profile="finding")
def slow():
    return dict(
        lhs=tensor((85, 1024), "uint8", integers(1, 100)),
        rhs=tensor((85, 1), "uint8", integers(1, 100)),
    )


@case("_npi_bitwise_and/a23f941d", profile="contrast")
def fast():
    return dict(
        lhs=tensor((87040, 1), "uint8", integers(1, 100)),
        rhs=tensor((87040, 1), "uint8", integers(1, 100)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.43, threads=1))
