"""_maximum, forward, on MXNet 2.0.0b1: 4.53 times as slow as a neighbour that does equal work.

slow       101 us a call, where 22.2 us were expected
fast       22.2 us a call
step       int32: as many elements, 2 times the bytes
ratio      4.53 times, 95% interval 4.16 to 4.59, with 1 thread
family     float16
neighbour  4.53 times: int32: as many elements, 2 times the bytes
roofline   7.62 times: this machine can move and compute as much in that time

Measure it again: python _maximum-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.13 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_maximum",
    category="elementwise",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_maximum/bf59532e", profile="finding")
def slow():
    return dict(
        lhs=tensor((16384,), "float16", uniform(-1.0, 1.0)),
        rhs=tensor((16384,), "float16", uniform(-1.0, 1.0)),
    )


@case("_maximum/c1e81e5f", profile="contrast")
def fast():
    return dict(
        lhs=tensor((16384,), "int32", uniform(-1.0, 1.0)),
        rhs=tensor((16384,), "int32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.13, threads=1))
