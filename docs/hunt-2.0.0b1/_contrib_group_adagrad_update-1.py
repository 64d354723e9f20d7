"""_contrib_group_adagrad_update, forward, on MXNet 2.0.0b1: 7.44 times as slow as a neighbour that does equal work.

slow       135 us a call, where 18.2 us were expected
fast       18.2 us a call
step       float64: as many elements, 4 times the bytes
ratio      7.44 times, 95% interval 7.30 to 7.59, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  7.44 times: float64: as many elements, 4 times the bytes
roofline   11.0 times: this machine can move and compute as much in that time

Measure it again: python _contrib_group_adagrad_update-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.73 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, constant, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_contrib_group_adagrad_update",
    category="optimizer",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_contrib_group_adagrad_update/4ce69156", profile="finding", in_place=("weight",))
def slow():
    return dict(
        weight=tensor((23, 229), "float16", uniform(-1.0, 1.0)),
        grad=tensor((23, 229), "float16", uniform(-0.1, 0.1), storage="row_sparse", density=0.1),
        history=tensor((23, 1), "float16", constant(0.0)),
        lr=0.01,
    )


@case("_contrib_group_adagrad_update/9a4216fe", profile="contrast", in_place=("weight",))
def fast():
    return dict(
        weight=tensor((23, 229), "float64", uniform(-1.0, 1.0)),
        grad=tensor((23, 229), "float64", uniform(-0.1, 0.1), storage="row_sparse", density=0.1),
        history=tensor((23, 1), "float64", constant(0.0)),
        lr=0.01,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.73, threads=1))
