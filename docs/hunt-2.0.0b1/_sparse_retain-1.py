"""_sparse_retain, forward, on MXNet 2.0.0b1: 10.4 times as slow as a neighbour that does equal work.

slow       143 us a call, where 14.4 us were expected
fast       14.4 us a call
step       data.shape[1] of 2,047
ratio      10.4 times, 95% interval 9.63 to 11.4, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  10.4 times: data.shape[1] of 2,047
roofline   11.4 times: this machine can move and compute as much in that time

Measure it again: python _sparse_retain-1.py
It times both interleaved, and exits with 1 if slow takes more than 3.22 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, distinct, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_sparse_retain",
    category="sparse",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_sparse_retain/14c4eb00", profile="finding")
def slow():
    return dict(
        data=tensor((3, 2048), "float32", uniform(-1.0, 1.0), storage="row_sparse", density=0.2),
        indices=tensor((990,), "int64", distinct(2048, True)),
    )


@case("_sparse_retain/9b6fc28f", profile="contrast")
def fast():
    return dict(
        data=tensor((3, 2047), "float32", uniform(-1.0, 1.0), storage="row_sparse", density=0.2),
        indices=tensor((990,), "int64", distinct(2047, True)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.22, threads=1))
