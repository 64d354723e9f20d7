"""_adamw_update, forward, on MXNet 2.0.0b1: 5.06 times as slow as a neighbour that does equal work.

slow       96.8 us a call, where 18.9 us were expected
fast       18.9 us a call
step       float32: as many elements, 2 times the bytes
ratio      5.06 times, 95% interval 4.76 to 5.31, with 1 thread
family     float16
neighbour  5.06 times: float32: as many elements, 2 times the bytes
roofline   8.02 times: this machine can move and compute as much in that time

Measure it again: python _adamw_update-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.25 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, constant, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_adamw_update",
    category="optimizer",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_adamw_update/338947e4", profile="finding", in_place=("weight",))
def slow():
    return dict(
        weight=tensor((512,), "float16", uniform(-1.0, 1.0)),
        grad=tensor((512,), "float16", uniform(-0.1, 0.1)),
        mean=tensor((512,), "float16", constant(0.0)),
        var=tensor((512,), "float16", constant(0.0)),
        rescale_grad=tensor((1,), "float32", constant(1.0)),
        eta=1.0,
        lr=0.01,
    )


@case("_adamw_update/0f2be799", profile="contrast", in_place=("weight",))
def fast():
    return dict(
        weight=tensor((512,), "float32", uniform(-1.0, 1.0)),
        grad=tensor((512,), "float32", uniform(-0.1, 0.1)),
        mean=tensor((512,), "float32", constant(0.0)),
        var=tensor((512,), "float32", constant(0.0)),
        rescale_grad=tensor((1,), "float32", constant(1.0)),
        eta=1.0,
        lr=0.01,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.25, threads=1))
