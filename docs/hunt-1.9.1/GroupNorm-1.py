"""GroupNorm, forward, on MXNet 1.9.1: 2.48 times as slow as a neighbour that does equal work.

slow       87.4 us a call, where 35.2 us were expected
fast       35.2 us a call
step       float64: as many elements, 4 times the bytes
ratio      2.48 times, 95% interval 2.44 to 2.51, with 1 thread
family     float16
also       backward, 2.00 times
neighbour  2.48 times: float64: as many elements, 4 times the bytes
roofline   5.65 times: this machine can move and compute as much in that time

Measure it again: python GroupNorm-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.58 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="GroupNorm",
    category="normalization",
    mxnet="1.9.1",
    seed=0,
)


@case("GroupNorm/a3990f84", profile="finding")
def slow():
    return dict(
        data=tensor((32, 1, 32), "float16", uniform(-1.0, 1.0)),
        gamma=tensor((1,), "float16", uniform(-1.0, 1.0)),
        beta=tensor((1,), "float16", uniform(-1.0, 1.0)),
    )


@case("GroupNorm/92068c04", profile="contrast")
def fast():
    return dict(
        data=tensor((32, 1, 32), "float64", uniform(-1.0, 1.0)),
        gamma=tensor((1,), "float64", uniform(-1.0, 1.0)),
        beta=tensor((1,), "float64", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.58, threads=1))
