"""signum_update, forward, on MXNet 1.9.1: 8.04 times as slow as a neighbour that does equal work.

slow       107 us a call, where 13.1 us were expected
fast       13.1 us a call
step       float64: as many elements, 4 times the bytes
ratio      8.04 times, 95% interval 7.07 to 8.39, with 1 thread
family     float16
neighbour  8.04 times: float64: as many elements, 4 times the bytes
roofline   6.91 times: this machine can move and compute as much in that time

Measure it again: python signum_update-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.84 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, constant, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="signum_update",
    category="optimizer",
    mxnet="1.9.1",
    seed=0,
)


@case("signum_update/48016184", profile="finding", in_place=("weight",))
def slow():
    return dict(
        weight=tensor((512,), "float16", uniform(-1.0, 1.0)),
        grad=tensor((512,), "float16", uniform(-0.1, 0.1)),
        mom=tensor((512,), "float16", constant(0.0)),
        lr=0.01,
    )


@case("signum_update/abcf9ef2", profile="contrast", in_place=("weight",))
def fast():
    return dict(
        weight=tensor((512,), "float64", uniform(-1.0, 1.0)),
        grad=tensor((512,), "float64", uniform(-0.1, 0.1)),
        mom=tensor((512,), "float64", constant(0.0)),
        lr=0.01,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.84, threads=1))
