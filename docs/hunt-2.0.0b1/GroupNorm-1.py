"""GroupNorm, forward, on MXNet 2.0.0b1: 2.61 times as slow as a neighbour that does equal work.

slow       131 us a call, where 50.1 us were expected
fast       50.1 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.61 times, 95% interval 2.59 to 2.66, with 1 thread
family     float16
also       backward, 2.07 times
neighbour  2.61 times: float32: as many elements, 2 times the bytes
roofline   10.8 times: this machine can move and compute as much in that time

Measure it again: python GroupNorm-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.62 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="GroupNorm",
    category="normalization",
    mxnet="2.0.0b1",
    seed=0,
)


@case("GroupNorm/0780a51d", profile="finding")
def slow():
    return dict(
        data=tensor((64, 1, 32), "float16", uniform(-1.0, 1.0)),
        gamma=tensor((1,), "float16", uniform(-1.0, 1.0)),
        beta=tensor((1,), "float16", uniform(-1.0, 1.0)),
    )


@case("GroupNorm/68590354", profile="contrast")
def fast():
    return dict(
        data=tensor((64, 1, 32), "float32", uniform(-1.0, 1.0)),
        gamma=tensor((1,), "float32", uniform(-1.0, 1.0)),
        beta=tensor((1,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.62, threads=1))
