"""adam_update, forward, on MXNet 2.0.0b1: 4.89 times as slow as a neighbour that does equal work.

slow       140 us a call, where 28.2 us were expected
fast       28.2 us a call
step       float32: as many elements, 2 times the bytes
ratio      4.89 times, 95% interval 4.41 to 5.34, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  4.89 times: float32: as many elements, 2 times the bytes
roofline   11.6 times: this machine can move and compute as much in that time

Measure it again: python adam_update-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.21 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, constant, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="adam_update",
    category="optimizer",
    mxnet="2.0.0b1",
    seed=0,
)


@case("adam_update/0baa017f", profile="finding", in_place=("weight",))
def slow():
    return dict(
        weight=tensor((512,), "float16", uniform(-1.0, 1.0)),
        grad=tensor((512,), "float16", uniform(-0.1, 0.1)),
        mean=tensor((512,), "float16", constant(0.0)),
        var=tensor((512,), "float16", constant(0.0)),
        lr=0.01,
    )


@case("adam_update/82612f71", profile="contrast", in_place=("weight",))
def fast():
    return dict(
        weight=tensor((512,), "float32", uniform(-1.0, 1.0)),
        grad=tensor((512,), "float32", uniform(-0.1, 0.1)),
        mean=tensor((512,), "float32", constant(0.0)),
        var=tensor((512,), "float32", constant(0.0)),
        lr=0.01,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.21, threads=1))
