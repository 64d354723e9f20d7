"""_lesser_equal, forward, on MXNet 1.9.1: 4.82 times as slow as a neighbour that does equal work.

slow       152 us a call, where 30.1 us were expected
fast       30.1 us a call
step       float64: as many elements, 4 times the bytes
ratio      4.82 times, 95% interval 4.33 to 5.25, with 1 thread
family     float16
neighbour  4.82 times: float64: as many elements, 4 times the bytes
roofline   9.19 times: this machine can move and compute as much in that time

Measure it again: python _lesser_equal-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.2 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_lesser_equal",
    category="comparison",
    mxnet="1.9.1",
    seed=0,
)


@case("_lesser_equal/2bb934d8", profile="finding")
def slow():
    return dict(
        lhs=tensor((16384,), "float16", integers(0, 4)),
        rhs=tensor((16384,), "float16", integers(0, 4)),
    )


@case("_lesser_equal/5bc08c40", profile="contrast")
def fast():
    return dict(
        lhs=tensor((16384,), "float64", integers(0, 4)),
        rhs=tensor((16384,), "float64", integers(0, 4)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.2, threads=1))
