"""lamb_update_phase1, forward, on MXNet 1.9.1: 5.21 times as slow as a neighbour that does equal work.

slow       92.5 us a call, where 17.7 us were expected
fast       17.7 us a call
step       float32: as many elements, 2 times the bytes
ratio      5.21 times, 95% interval 5.04 to 5.31, with 1 thread
family     float16
neighbour  5.21 times: float32: as many elements, 2 times the bytes
roofline   5.98 times: this machine can move and compute as much in that time

Measure it again: python lamb_update_phase1-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.28 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, constant, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="lamb_update_phase1",
    category="optimizer",
    mxnet="1.9.1",
    seed=0,
)


@case("lamb_update_phase1/883f0fa9", profile="finding")
def slow():
    return dict(
        weight=tensor((256,), "float16", uniform(-1.0, 1.0)),
        grad=tensor((256,), "float16", uniform(-0.1, 0.1)),
        mean=tensor((256,), "float16", constant(0.0)),
        var=tensor((256,), "float16", constant(0.0)),
        t=1,
        wd=0.0001,
    )


@case("lamb_update_phase1/9dc5c95d", profile="contrast")
def fast():
    return dict(
        weight=tensor((256,), "float32", uniform(-1.0, 1.0)),
        grad=tensor((256,), "float32", uniform(-0.1, 0.1)),
        mean=tensor((256,), "float32", constant(0.0)),
        var=tensor((256,), "float32", constant(0.0)),
        t=1,
        wd=0.0001,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.28, threads=1))
