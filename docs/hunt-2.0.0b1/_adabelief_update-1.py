"""_adabelief_update, forward, on MXNet 2.0.0b1: 3.35 times as slow as a neighbour that does equal work.

slow       67.2 us a call, where 19.8 us were expected
fast       19.8 us a call
step       float64: as many elements, 4 times the bytes
ratio      3.35 times, 95% interval 3.17 to 3.60, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  3.35 times: float64: as many elements, 4 times the bytes
roofline   5.58 times: this machine can move and compute as much in that time

Measure it again: python _adabelief_update-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.83 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, constant, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_adabelief_update",
    category="optimizer",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_adabelief_update/87ca8597", profile="finding", in_place=("weight",))
def slow():
    return dict(
        weight=tensor((1, 256), "float16", uniform(-1.0, 1.0)),
        grad=tensor((1, 256), "float16", uniform(-0.1, 0.1)),
        mean=tensor((1, 256), "float16", constant(0.0)),
        var=tensor((1, 256), "float16", constant(0.0)),
        rescale_grad=tensor((1,), "float32", constant(1.0)),
        eta=1.0,
        lr=0.01,
        wd=0.0001,
    )


@case("_adabelief_update/a73c4e77", profile="contrast", in_place=("weight",))
def fast():
    return dict(
        weight=tensor((1, 256), "float64", uniform(-1.0, 1.0)),
        grad=tensor((1, 256), "float64", uniform(-0.1, 0.1)),
        mean=tensor((1, 256), "float64", constant(0.0)),
        var=tensor((1, 256), "float64", constant(0.0)),
        rescale_grad=tensor((1,), "float32", constant(1.0)),
        eta=1.0,
        lr=0.01,
        wd=0.0001,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.83, threads=1))
