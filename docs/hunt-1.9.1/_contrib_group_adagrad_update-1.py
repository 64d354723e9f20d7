"""_contrib_group_adagrad_update, forward, on MXNet 1.9.1: 10.2 times as slow as a neighbour that does equal work.

slow       170 us a call, where 16.7 us were expected
fast       16.7 us a call
step       float32: as many elements, 2 times the bytes
ratio      10.2 times, 95% interval 9.99 to 10.4, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  10.2 times: float32: as many elements, 2 times the bytes
roofline   10.6 times: this machine can move and compute as much in that time

Measure it again: python _contrib_group_adagrad_update-1.py
It times both interleaved, and exits with 1 if slow takes more than 3.2 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, constant, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_contrib_group_adagrad_update",
    category="optimizer",
    mxnet="1.9.1",
    seed=0,
)


@case("_contrib_group_adagrad_update/7e4ad42c", profile="finding", in_place=("weight",))
def slow():
    return dict(
        weight=tensor((1672, 8), "float16", uniform(-1.0, 1.0)),
        grad=tensor((1672, 8), "float16", uniform(-0.1, 0.1), storage="row_sparse", density=0.1),
        history=tensor((1672, 1), "float16", constant(0.0)),
        lr=0.01,
    )


@case("_contrib_group_adagrad_update/7011fb59", profile="contrast", in_place=("weight",))
def fast():
    return dict(
        weight=tensor((1672, 8), "float32", uniform(-1.0, 1.0)),
        grad=tensor((1672, 8), "float32", uniform(-0.1, 0.1), storage="row_sparse", density=0.1),
        history=tensor((1672, 1), "float32", constant(0.0)),
        lr=0.01,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.2, threads=1))
