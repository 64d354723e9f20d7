"""BatchNorm, backward, on MXNet 2.0.0b1: 2.05 times as slow as a neighbour that does equal work.

slow       965 us a call, where 483 us were expected
fast       483 us a call
step       axes 1 and 2 exchanged
ratio      2.05 times, 95% interval 1.94 to 2.29, with 1 thread
family     axis=2 and data.shape[1] < 1,008 and data.shape[2] > 13
neighbour  2.00 times: axes 1 and 2 exchanged takes 50% of the time
model      3.11 times: half of 40 other inputs lie within a factor of 1.23 of it
roofline   25.4 times: this machine can move and compute as much in that time

Measure it again: python BatchNorm-2.py
It times both interleaved, and exits with 1 if slow takes more than 1.43 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="BatchNorm",
    category="normalization",
    mxnet="2.0.0b1",
    seed=1,
)


@case("BatchNorm/e46839bd", profile="finding")
def slow():
    return dict(
        data=tensor((5, 13, 1008), "float32", uniform(-1.0, 1.0)),
        gamma=tensor((1008,), "float32", uniform(0.5, 1.5)),
        beta=tensor((1008,), "float32", uniform(-1.0, 1.0)),
        moving_mean=tensor((1008,), "float32", uniform(-0.5, 0.5)),
        moving_var=tensor((1008,), "float32", uniform(0.5, 1.5)),
        axis=2,
    )


@case("BatchNorm/bd9e5169", profile="contrast")
def fast():
    return dict(
        data=tensor((5, 1008, 13), "float32", uniform(-1.0, 1.0)),
        gamma=tensor((1008,), "float32", uniform(0.5, 1.5)),
        beta=tensor((1008,), "float32", uniform(-1.0, 1.0)),
        moving_mean=tensor((1008,), "float32", uniform(-0.5, 0.5)),
        moving_var=tensor((1008,), "float32", uniform(0.5, 1.5)),
        axis=1,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.43, threads=1))
