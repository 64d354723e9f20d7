"""SoftmaxActivation, forward, on MXNet 1.9.1: 2.04 times as slow as a neighbour that does equal work.

slow       311 us a call, where 153 us were expected
fast       153 us a call
step       no mode
ratio      2.04 times, 95% interval 2.00 to 2.11, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.04 times: no mode
roofline   18.4 times: this machine can move and compute as much in that time

Measure it again: python SoftmaxActivation-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.43 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="SoftmaxActivation",
    category="activation",
    mxnet="1.9.1",
    seed=0,
)


@case("SoftmaxActivation/38ac4091", profile="finding")
def slow():
    return dict(
        data=tensor((1, 16, 1024), "float32", uniform(-1.0, 1.0)),
        mode="channel",
    )


@case("SoftmaxActivation/bc49e0b2", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 16, 1024), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.43, threads=1))
