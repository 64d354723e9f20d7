"""_greater_equal, forward, on MXNet 1.9.1: 4.99 times as slow as a neighbour that does equal work.

slow       111 us a call, where 22.5 us were expected
fast       22.5 us a call
step       float32: as many elements, 2 times the bytes
ratio      4.99 times, 95% interval 4.54 to 5.19, with 1 thread
family     float16
neighbour  4.99 times: float32: as many elements, 2 times the bytes
roofline   6.70 times: this machine can move and compute as much in that time

Measure it again: python _greater_equal-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.23 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_greater_equal",
    category="comparison",
    mxnet="1.9.1",
    seed=0,
)


@case("_greater_equal/a21ea280", profile="finding")
def slow():
    return dict(
        lhs=tensor((16384,), "float16", integers(0, 4)),
        rhs=tensor((16384,), "float16", integers(0, 4)),
    )


@case("_greater_equal/fecb323d", profile="contrast")
def fast():
    return dict(
        lhs=tensor((16384,), "float32", integers(0, 4)),
        rhs=tensor((16384,), "float32", integers(0, 4)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.23, threads=1))
