"""rmsprop_update, forward, on MXNet 1.9.1: 6.79 times as slow as a neighbour that does equal work.

slow       100 us a call, where 14.9 us were expected
fast       14.9 us a call
step       float64: as many elements, 4 times the bytes
ratio      6.79 times, 95% interval 6.43 to 7.15, with 1 thread
family     float16
neighbour  6.79 times: float64: as many elements, 4 times the bytes
roofline   6.48 times: this machine can move and compute as much in that time

Measure it again: python rmsprop_update-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.61 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, constant, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="rmsprop_update",
    category="optimizer",
    mxnet="1.9.1",
    seed=0,
)


@case("rmsprop_update/b2b56413", profile="finding", in_place=("weight",))
def slow():
    return dict(
        weight=tensor((512,), "float16", uniform(-1.0, 1.0)),
        grad=tensor((512,), "float16", uniform(-0.1, 0.1)),
        n=tensor((512,), "float16", constant(0.0)),
        lr=0.01,
    )


@case("rmsprop_update/02f9b3ad", profile="contrast", in_place=("weight",))
def fast():
    return dict(
        weight=tensor((512,), "float64", uniform(-1.0, 1.0)),
        grad=tensor((512,), "float64", uniform(-0.1, 0.1)),
        n=tensor((512,), "float64", constant(0.0)),
        lr=0.01,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.61, threads=1))
