"""_npi_norm, forward, on MXNet 1.9.1: 3.30 times as slow as a neighbour that does equal work.

slow       92.2 us a call, where 28.0 us were expected
fast       28.0 us a call
step       norm: the same operation in another namespace
ratio      3.30 times, 95% interval 3.25 to 3.38, with 1 thread
family     this input; no family of it holds on fresh draws
neighbour  3.30 times: norm: the same operation in another namespace
roofline   5.91 times: this machine can move and compute as much in that time
kin        3.31 times: norm of the same input

Measure it again: python _npi_norm-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.82 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_norm",
    category="reduction",
    mxnet="1.9.1",
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
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.82, threads=1))
