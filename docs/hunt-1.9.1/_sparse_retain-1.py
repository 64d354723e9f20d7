"""_sparse_retain, forward, on MXNet 1.9.1: 7.20 times as slow as a neighbour that does equal work.

slow       110 us a call, where 15.3 us were expected
fast       15.3 us a call
step       axes 0 and 1 made one
ratio      7.20 times, 95% interval 6.62 to 7.57, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  7.20 times: axes 0 and 1 made one
model      4.03 times: half of 36 other inputs lie within a factor of 1.23 of it
roofline   3.52 times: this machine can move and compute as much in that time

Measure it again: python _sparse_retain-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.68 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, distinct, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_sparse_retain",
    category="sparse",
    mxnet="1.9.1",
    seed=0,
)


@case("_sparse_retain/400f42a8", profile="finding")
def slow():
    return dict(
        data=tensor((2, 131072), "float32", uniform(-1.0, 1.0), storage="row_sparse", density=0.5),
        indices=tensor((2,), "int64", distinct(2, True)),
    )


@case("_sparse_retain/99b9f70b", profile="contrast")
def fast():
    return dict(
        data=tensor((262144,), "float32", uniform(-1.0, 1.0), storage="row_sparse", density=0.5),
        indices=tensor((2,), "int64", distinct(2, True)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.68, threads=1))
