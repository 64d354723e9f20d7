"""signum_update, forward, on MXNet 2.0.0b1: 6.11 times as slow as a neighbour that does equal work.

slow       160 us a call, where 25.0 us were expected
fast       25.0 us a call
step       float64: as many elements, 4 times the bytes
ratio      6.11 times, 95% interval 5.72 to 6.51, with 1 thread
family     float16
neighbour  6.11 times: float64: as many elements, 4 times the bytes
roofline   13.2 times: this machine can move and compute as much in that time

Measure it again: python signum_update-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.47 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, constant, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="signum_update",
    category="optimizer",
    mxnet="2.0.0b1",
    seed=0,
)


@case("signum_update/1b9c3f36", profile="finding", in_place=("weight",))
def slow():
    return dict(
        weight=tensor((1024,), "float16", uniform(-1.0, 1.0)),
        grad=tensor((1024,), "float16", uniform(-0.1, 0.1)),
        mom=tensor((1024,), "float16", constant(0.0)),
        lr=0.01,
    )


@case("signum_update/0a9aaae1", profile="contrast", in_place=("weight",))
def fast():
    return dict(
        weight=tensor((1024,), "float64", uniform(-1.0, 1.0)),
        grad=tensor((1024,), "float64", uniform(-0.1, 0.1)),
        mom=tensor((1024,), "float64", constant(0.0)),
        lr=0.01,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.47, threads=1))
