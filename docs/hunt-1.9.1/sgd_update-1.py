"""sgd_update, forward, on MXNet 1.9.1: 63.4 times as slow as a neighbour that does equal work.

slow       27,326 us a call, where 347 us were expected
fast       347 us a call
step       float32: as many elements, 2 times the bytes
ratio      63.4 times, 95% interval 50.5 to 82.8, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  63.4 times: float32: as many elements, 2 times the bytes
roofline   838 times: this machine can move and compute as much in that time

Measure it again: python sgd_update-1.py
It times both interleaved, and exits with 1 if slow takes more than 7.96 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="sgd_update",
    category="optimizer",
    mxnet="1.9.1",
    seed=0,
)


@case("sgd_update/0487e73d", profile="finding", in_place=("weight",))
def slow():
    return dict(
        weight=tensor((4096, 64), "float16", uniform(-1.0, 1.0)),
        grad=tensor((4096, 64), "float16", uniform(-0.1, 0.1)),
        lr=0.01,
    )


@case("sgd_update/02da4731", profile="contrast", in_place=("weight",))
def fast():
    return dict(
        weight=tensor((4096, 64), "float32", uniform(-1.0, 1.0)),
        grad=tensor((4096, 64), "float32", uniform(-0.1, 0.1)),
        lr=0.01,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=7.96, threads=1))
