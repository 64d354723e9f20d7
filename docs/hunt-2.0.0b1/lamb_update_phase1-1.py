"""lamb_update_phase1, forward, on MXNet 2.0.0b1: 5.39 times as slow as a neighbour that does equal work.

slow       180 us a call, where 33.6 us were expected
fast       33.6 us a call
step       float64: as many elements, 4 times the bytes
ratio      5.39 times, 95% interval 5.11 to 5.64, with 1 thread
family     float16
neighbour  5.39 times: float64: as many elements, 4 times the bytes
roofline   14.9 times: this machine can move and compute as much in that time

Measure it again: python lamb_update_phase1-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.32 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, constant, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="lamb_update_phase1",
    category="optimizer",
    mxnet="2.0.0b1",
    seed=0,
)


@case("lamb_update_phase1/ff16b1f6", profile="finding")
def slow():
    return dict(
        weight=tensor((512,), "float16", uniform(-1.0, 1.0)),
        grad=tensor((512,), "float16", uniform(-0.1, 0.1)),
        mean=tensor((512,), "float16", constant(0.0)),
        var=tensor((512,), "float16", constant(0.0)),
        t=1,
        wd=0.0001,
    )


@case("lamb_update_phase1/fe67d4db", profile="contrast")
def fast():
    return dict(
        weight=tensor((512,), "float64", uniform(-1.0, 1.0)),
        grad=tensor((512,), "float64", uniform(-0.1, 0.1)),
        mean=tensor((512,), "float64", constant(0.0)),
        var=tensor((512,), "float64", constant(0.0)),
        t=1,
        wd=0.0001,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.32, threads=1))
