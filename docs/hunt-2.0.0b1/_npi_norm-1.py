"""_npi_norm, forward, on MXNet 2.0.0b1: 3.52 times as slow as a neighbour that does equal work.

slow       151 us a call, where 45.4 us were expected
fast       45.4 us a call
step       norm: the same operation in another namespace
ratio      3.52 times, 95% interval 3.30 to 3.76, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
also       backward, 2.27 times
neighbour  3.52 times: norm: the same operation in another namespace
roofline   12.3 times: this machine can move and compute as much in that time
kin        3.26 times: norm of the same input

Measure it again: python _npi_norm-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.88 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_norm",
    category="reduction",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_norm/db4cb2d3", profile="finding")
def slow():
    return dict(
        data=tensor((4096,), "float32", uniform(-1.0, 1.0)),
    )


@case("norm/d929d5e4", profile="contrast", operator="norm")
def fast():
    return dict(
        data=tensor((4096,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.88, threads=1))
