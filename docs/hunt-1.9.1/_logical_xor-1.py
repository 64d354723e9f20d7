"""_logical_xor, forward, on MXNet 1.9.1: 3.26 times as slow as a neighbour that does equal work.

slow       186 us a call, where 51.8 us were expected
fast       51.8 us a call
step       int64: as many elements, 2 times the bytes
ratio      3.26 times, 95% interval 2.84 to 3.59, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  3.26 times: int64: as many elements, 2 times the bytes
roofline   13.3 times: this machine can move and compute as much in that time

Measure it again: python _logical_xor-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.81 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, mask, tensor

SUITE = Suite(
    format=1,
    operator="_logical_xor",
    category="logical",
    mxnet="1.9.1",
    seed=0,
)


@case("_logical_xor/5dc76aa4", profile="finding")
def slow():
    return dict(
        lhs=tensor((16384,), "float32", mask(0.5)),
        rhs=tensor((16384,), "float32", mask(0.5)),
    )


@case("_logical_xor/04b261af", profile="contrast")
def fast():
    return dict(
        lhs=tensor((16384,), "int64", mask(0.5)),
        rhs=tensor((16384,), "int64", mask(0.5)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.81, threads=1))
