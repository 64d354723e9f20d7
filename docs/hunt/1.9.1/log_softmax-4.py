"""log_softmax, forward, on MXNet 1.9.1: 6.04 times as slow as a neighbour that does equal work.

slow       186 us a call, where 30.9 us were expected
fast       30.9 us a call
step       axis=1
ratio      6.04 times, 95% interval 5.95 to 6.13, with 1 thread
family     axis is not the last, and float32
also       backward, 2.36 times
neighbour  6.04 times: axis=1
roofline   14.1 times: this machine can move and compute as much in that time

Measure it again: python log_softmax-4.py
It times both interleaved, and exits with 1 if slow takes more than 2.46 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="log_softmax",
    category="activation",
    mxnet="1.9.1",
    seed=5,
)


@case("log_softmax/ace105d4", profile="finding")
def slow():
    return dict(
        data=tensor((64, 256), "float32", uniform(-1.0, 1.0)),
        axis=0,
    )


@case("log_softmax/d204631f", profile="contrast")
def fast():
    return dict(
        data=tensor((64, 256), "float32", uniform(-1.0, 1.0)),
        axis=1,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.46, threads=1))
