"""_npi_less, forward, on MXNet 2.0.0b1: 3.27 times as slow as a neighbour that does equal work.

slow       166 us a call, where 51.6 us were expected
fast       51.6 us a call
step       rhs.shape[0] of 64
ratio      3.27 times, 95% interval 3.11 to 3.48, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  3.27 times: rhs.shape[0] of 64
roofline   13.2 times: this machine can move and compute as much in that time

Measure it again: python _npi_less-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.81 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_npi_less",
    category="comparison",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_less/b538605c", profile="finding")
def slow():
    return dict(
        lhs=tensor((64, 256), "float16", integers(0, 4)),
        rhs=tensor((1, 256), "float16", integers(0, 4)),
    )


@case("_npi_less/df428770", profile="contrast")
def fast():
    return dict(
        lhs=tensor((64, 256), "float16", integers(0, 4)),
        rhs=tensor((64, 256), "float16", integers(0, 4)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.81, threads=1))
