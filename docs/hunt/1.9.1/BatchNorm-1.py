"""BatchNorm, forward, on MXNet 1.9.1: 15.8 times as slow as a neighbour that does equal work.

slow       715 us a call, where 45.0 us were expected
fast       45.0 us a call
step       float64
ratio      15.8 times, 95% interval 15.3 to 16.2, with 1 thread
family     dtype is float16
neighbour  15.9 times: float64 takes 6% of the time
model      7.02 times: half of 40 other inputs lie within a factor of 1.39 of it
roofline   36.5 times: this machine can move and compute as much in that time

Measure it again: python BatchNorm-1.py
It times both interleaved, and exits with 1 if slow takes more than 3.98 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="BatchNorm",
    category="normalization",
    mxnet="1.9.1",
    seed=1,
)


@case("BatchNorm/8ec1591d", profile="finding", training=False)
def slow():
    return dict(
        data=tensor((32, 16, 32), "float16", uniform(-1.0, 1.0)),
        gamma=tensor((16,), "float32", uniform(0.5, 1.5)),
        beta=tensor((16,), "float32", uniform(-1.0, 1.0)),
        moving_mean=tensor((16,), "float32", uniform(-0.5, 0.5)),
        moving_var=tensor((16,), "float32", uniform(0.5, 1.5)),
    )


@case("BatchNorm/e83c7bf3", profile="contrast", training=False)
def fast():
    return dict(
        data=tensor((32, 16, 32), "float64", uniform(-1.0, 1.0)),
        gamma=tensor((16,), "float64", uniform(0.5, 1.5)),
        beta=tensor((16,), "float64", uniform(-1.0, 1.0)),
        moving_mean=tensor((16,), "float64", uniform(-0.5, 0.5)),
        moving_var=tensor((16,), "float64", uniform(0.5, 1.5)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.98, threads=1))
