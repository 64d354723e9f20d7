"""ftml_update, forward, on MXNet 2.0.0b1: 6.57 times as slow as a neighbour that does equal work.

slow       173 us a call, where 26.3 us were expected
fast       26.3 us a call
step       float32: as many elements, 2 times the bytes
ratio      6.57 times, 95% interval 6.40 to 6.68, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  6.57 times: float32: as many elements, 2 times the bytes
roofline   14.3 times: this machine can move and compute as much in that time

Measure it again: python ftml_update-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.56 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, constant, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="ftml_update",
    category="optimizer",
    mxnet="2.0.0b1",
    seed=0,
)


@case("ftml_update/18a6b528", profile="finding", in_place=("weight",))
def slow():
    return dict(
        weight=tensor((512,), "float16", uniform(-1.0, 1.0)),
        grad=tensor((512,), "float16", uniform(-0.1, 0.1)),
        d=tensor((512,), "float16", constant(0.0)),
        v=tensor((512,), "float16", constant(0.0)),
        z=tensor((512,), "float16", constant(0.0)),
        lr=0.01,
        t=1,
    )


@case("ftml_update/bfe022f0", profile="contrast", in_place=("weight",))
def fast():
    return dict(
        weight=tensor((512,), "float32", uniform(-1.0, 1.0)),
        grad=tensor((512,), "float32", uniform(-0.1, 0.1)),
        d=tensor((512,), "float32", constant(0.0)),
        v=tensor((512,), "float32", constant(0.0)),
        z=tensor((512,), "float32", constant(0.0)),
        lr=0.01,
        t=1,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.56, threads=1))
