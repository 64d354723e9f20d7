"""_greater, forward, on MXNet 1.9.1: 4.81 times as slow as a neighbour that does equal work.

slow       110 us a call, where 22.8 us were expected
fast       22.8 us a call
step       int64: as many elements, 4 times the bytes
ratio      4.81 times, 95% interval 4.30 to 4.91, with 1 thread
family     float16
neighbour  4.81 times: int64: as many elements, 4 times the bytes
roofline   6.64 times: this machine can move and compute as much in that time

Measure it again: python _greater-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.19 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_greater",
    category="comparison",
    mxnet="1.9.1",
    seed=0,
)


@case("_greater/6cd52e01", profile="finding")
def slow():
    return dict(
        lhs=tensor((16384,), "float16", integers(0, 4)),
        rhs=tensor((16384,), "float16", integers(0, 4)),
    )


@case("_greater/2e8332ac", profile="contrast")
def fast():
    return dict(
        lhs=tensor((16384,), "int64", integers(0, 4)),
        rhs=tensor((16384,), "int64", integers(0, 4)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.19, threads=1))
