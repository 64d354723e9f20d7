"""_not_equal, forward, on MXNet 2.0.0b1: 3.54 times as slow as a neighbour that does equal work.

slow       149 us a call, where 42.9 us were expected
fast       42.9 us a call
step       float32: as many elements, 2 times the bytes
ratio      3.54 times, 95% interval 3.43 to 3.78, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  3.54 times: float32: as many elements, 2 times the bytes
roofline   8.80 times: this machine can move and compute as much in that time

Measure it again: python _not_equal-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.88 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_not_equal",
    category="comparison",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_not_equal/b7c24fb5", profile="finding")
def slow():
    return dict(
        lhs=tensor((65536,), "float16", integers(0, 4)),
        rhs=tensor((65536,), "float16", integers(0, 4)),
    )


@case("_not_equal/d60cd859", profile="contrast")
def fast():
    return dict(
        lhs=tensor((65536,), "float32", integers(0, 4)),
        rhs=tensor((65536,), "float32", integers(0, 4)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.88, threads=1))
