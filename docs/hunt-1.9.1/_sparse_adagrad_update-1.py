"""_sparse_adagrad_update, forward, on MXNet 1.9.1: 14.3 times as slow as a neighbour that does equal work.

slow       504 us a call, where 35.2 us were expected
fast       35.2 us a call
step       float32: as many elements, 2 times the bytes
ratio      14.3 times, 95% interval 14.1 to 14.7, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  14.3 times: float32: as many elements, 2 times the bytes
roofline   28.1 times: this machine can move and compute as much in that time

Measure it again: python _sparse_adagrad_update-1.py
It times both interleaved, and exits with 1 if slow takes more than 3.78 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, constant, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_sparse_adagrad_update",
    category="optimizer",
    mxnet="1.9.1",
    seed=0,
)


@case("_sparse_adagrad_update/2719581e", profile="finding", in_place=("weight",))
def slow():
    return dict(
        weight=tensor((32768,), "float16", uniform(-1.0, 1.0)),
        grad=tensor((32768,), "float16", uniform(-0.1, 0.1), storage="row_sparse", density=0.1),
        history=tensor((32768,), "float16", constant(0.0)),
        lr=0.01,
    )


@case("_sparse_adagrad_update/5238dfa5", profile="contrast", in_place=("weight",))
def fast():
    return dict(
        weight=tensor((32768,), "float32", uniform(-1.0, 1.0)),
        grad=tensor((32768,), "float32", uniform(-0.1, 0.1), storage="row_sparse", density=0.1),
        history=tensor((32768,), "float32", constant(0.0)),
        lr=0.01,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.78, threads=1))
