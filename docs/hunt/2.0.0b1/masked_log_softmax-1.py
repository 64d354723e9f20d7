"""masked_log_softmax, backward, on MXNet 2.0.0b1: 3.61 times as slow as a neighbour that does equal work.

slow       528 us a call, where 150 us were expected
fast       133 us a call
step       data.shape[0] of 1 and data.shape[1] of 4,096
ratio      3.61 times, 95% interval 3.08 to 4.07, with 1 thread
family     data.shape[1] <= 4
neighbour  3.53 times: data.shape[0] of 1 and data.shape[1] of 4,096 takes 28% of the time
roofline   27.3 times: this machine can move and compute as much in that time
forward    1.21 times: the forward pass of the same input

Measure it again: python masked_log_softmax-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.14 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, mask, tensor, uniform

SUITE = Suite(
    format=1,
    operator="masked_log_softmax",
    category="activation",
    mxnet="2.0.0b1",
    seed=1,
)


@case("masked_log_softmax/d38c6f7d", profile="finding")
def slow():
    return dict(
        data=tensor((4096, 1), "float32", uniform(-1.0, 1.0)),
        mask=tensor((4096, 1), "bool", mask(0.5)),
    )


@case("masked_log_softmax/7aa7bf5b", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 4096), "float32", uniform(-1.0, 1.0)),
        mask=tensor((1, 1), "bool", mask(0.5)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=2.14, threads=1))
