"""_equal, forward, on MXNet 2.0.0b1: 3.96 times as slow as a neighbour that does equal work.

slow       99.8 us a call, where 25.5 us were expected
fast       25.5 us a call
step       int32: as many elements, 2 times the bytes
ratio      3.96 times, 95% interval 3.85 to 4.04, with 1 thread
family     float16
neighbour  3.96 times: int32: as many elements, 2 times the bytes
roofline   5.88 times: this machine can move and compute as much in that time

Measure it again: python _equal-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.99 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_equal",
    category="comparison",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_equal/b5049ce1", profile="finding")
def slow():
    return dict(
        lhs=tensor((65536,), "float16", integers(0, 4)),
        rhs=tensor((65536,), "float16", integers(0, 4)),
    )


@case("_equal/e785d67d", profile="contrast")
def fast():
    return dict(
        lhs=tensor((65536,), "int32", integers(0, 4)),
        rhs=tensor((65536,), "int32", integers(0, 4)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.99, threads=1))
