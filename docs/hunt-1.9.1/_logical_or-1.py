"""_logical_or, forward, on MXNet 1.9.1: 8.69 times as slow as a neighbour that does equal work.

slow       488 us a call, where 57.1 us were expected
fast       57.1 us a call
step       int32: as many elements, 2 times the bytes
ratio      8.69 times, 95% interval 7.58 to 9.84, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  8.69 times: int32: as many elements, 2 times the bytes
roofline   27.8 times: this machine can move and compute as much in that time

Measure it again: python _logical_or-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.95 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, mask, tensor

SUITE = Suite(
    format=1,
    operator="_logical_or",
    category="logical",
    mxnet="1.9.1",
    seed=0,
)


@case("_logical_or/b61b7524", profile="finding")
def slow():
    return dict(
        lhs=tensor((32768,), "float16", mask(0.5)),
        rhs=tensor((32768,), "float16", mask(0.5)),
    )


@case("_logical_or/033ff5c0", profile="contrast")
def fast():
    return dict(
        lhs=tensor((32768,), "int32", mask(0.5)),
        rhs=tensor((32768,), "int32", mask(0.5)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.95, threads=1))
