"""log_softmax, forward, on MXNet 2.0.0b1: 1.94 times as slow as a neighbour that does equal work.

slow       84.3 us a call, where 43.8 us were expected
fast       43.8 us a call
step       data.shape[0] of 1 and data.shape[1] of 16,384
ratio      1.94 times, 95% interval 1.90 to 1.99, with 1 thread
family     dtype is float32 and data.shape[-1] <= 32
neighbour  1.93 times: data.shape[0] of 1 and data.shape[1] of 16,384 takes 52% of the time
roofline   3.69 times: this machine can move and compute as much in that time
kin        1.37 times: softmax of the same input

Measure it again: python log_softmax-3.py
It times both interleaved, and exits with 1 if slow takes more than 1.39 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="log_softmax",
    category="activation",
    mxnet="2.0.0b1",
    seed=1,
)


@case("log_softmax/94caf066", profile="finding")
def slow():
    return dict(
        data=tensor((512, 32), "float32", uniform(-1.0, 1.0)),
    )


@case("log_softmax/b873224d", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 16384), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.39, threads=1))
