"""BatchNorm, forward, on MXNet 1.9.1: 5.52 times as slow as a neighbour that does equal work.

slow       165 us a call, where 30.3 us were expected
fast       30.3 us a call
step       float64: as many elements, 4 times the bytes
ratio      5.52 times, 95% interval 5.42 to 5.61, with 1 thread
family     float16
also       backward, 5.34 times
neighbour  5.52 times: float64: as many elements, 4 times the bytes
roofline   10.6 times: this machine can move and compute as much in that time

Measure it again: python BatchNorm-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.35 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="BatchNorm",
    category="normalization",
    mxnet="1.9.1",
    seed=0,
)


@case("BatchNorm/0b4a20eb", profile="finding")
def slow():
    return dict(
        data=tensor((56, 56), "float16", uniform(-1.0, 1.0)),
        gamma=tensor((56,), "float32", uniform(0.5, 1.5)),
        beta=tensor((56,), "float32", uniform(-1.0, 1.0)),
        moving_mean=tensor((56,), "float32", uniform(-0.5, 0.5)),
        moving_var=tensor((56,), "float32", uniform(0.5, 1.5)),
    )


@case("BatchNorm/f3af9845", profile="contrast")
def fast():
    return dict(
        data=tensor((56, 56), "float64", uniform(-1.0, 1.0)),
        gamma=tensor((56,), "float64", uniform(0.5, 1.5)),
        beta=tensor((56,), "float64", uniform(-1.0, 1.0)),
        moving_mean=tensor((56,), "float64", uniform(-0.5, 0.5)),
        moving_var=tensor((56,), "float64", uniform(0.5, 1.5)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.35, threads=1))
