"""log_softmax, forward, on MXNet 1.9.1: 6.84 times as slow as a neighbour that does equal work.

slow       270 us a call, where 39.5 us were expected
fast       39.5 us a call
step       axis=1
ratio      6.84 times, 95% interval 6.72 to 7.00, with 1 thread
family     axis is not the last, and float32
also       backward, 2.36 times
neighbour  6.84 times: axis=1
roofline   12.5 times: this machine can move and compute as much in that time

Measure it again: python log_softmax-3.py
It times both interleaved, and exits with 1 if slow takes more than 2.62 times as long as fast, else with 0.
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
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.62, threads=1))
