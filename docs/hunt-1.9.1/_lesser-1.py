"""_lesser, forward, on MXNet 1.9.1: 5.15 times as slow as a neighbour that does equal work.

slow       132 us a call, where 24.0 us were expected
fast       24.0 us a call
step       float64: as many elements, 4 times the bytes
ratio      5.15 times, 95% interval 4.47 to 5.90, with 1 thread
family     float16
neighbour  5.15 times: float64: as many elements, 4 times the bytes
roofline   8.00 times: this machine can move and compute as much in that time

Measure it again: python _lesser-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.27 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_lesser",
    category="comparison",
    mxnet="1.9.1",
    seed=0,
)


@case("_lesser/49b50762", profile="finding")
def slow():
    return dict(
        lhs=tensor((16384,), "float16", integers(0, 4)),
        rhs=tensor((16384,), "float16", integers(0, 4)),
    )


@case("_lesser/bd0f734f", profile="contrast")
def fast():
    return dict(
        lhs=tensor((16384,), "float64", integers(0, 4)),
        rhs=tensor((16384,), "float64", integers(0, 4)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.27, threads=1))
