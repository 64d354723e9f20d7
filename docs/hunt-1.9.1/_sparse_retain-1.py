"""_sparse_retain, forward, on MXNet 1.9.1: 12.1 times as slow as a neighbour that does equal work.

slow       1,475 us a call, where 174 us were expected
fast       174 us a call
step       axes 0 and 1 exchanged
ratio      12.1 times, 95% interval 11.0 to 12.7, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  12.1 times: axes 0 and 1 exchanged
roofline   51.5 times: this machine can move and compute as much in that time

Measure it again: python _sparse_retain-1.py
It times both interleaved, and exits with 1 if slow takes more than 3.47 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, distinct, integers, tensor

SUITE = Suite(
    format=1,
    operator="_sparse_retain",
    category="sparse",
    mxnet="1.9.1",
    seed=0,
)


@case("_sparse_retain/6c24f602", profile="finding")
def slow():
    return dict(
        data=tensor((100, 2500), "int32", integers(0, 10), storage="row_sparse", density=0.2),
        indices=tensor((1000,), "int64", distinct(2500, True)),
    )


@case("_sparse_retain/b5e3cd86", profile="contrast")
def fast():
    return dict(
        data=tensor((2500, 100), "int32", integers(0, 10), storage="row_sparse", density=0.2),
        indices=tensor((1000,), "int64", distinct(2500, True)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.47, threads=1))
