"""log_softmax, backward, on MXNet 1.9.1: 5.35 times as slow as a neighbour that does equal work.

slow       536 us a call, where 99.9 us were expected
fast       99.9 us a call
step       data.shape[0] of 1 and data.shape[1] of 16,384
ratio      5.35 times, 95% interval 5.22 to 5.49, with 1 thread
family     dtype is float32 and data.shape[-1] <= 2
neighbour  5.36 times: data.shape[0] of 1 and data.shape[1] of 16,384 takes 19% of the time
model      4.68 times: half of 28 other inputs lie within a factor of 1.26 of it
roofline   24.3 times: this machine can move and compute as much in that time
kin        1.46 times: softmax of the same input

Measure it again: python log_softmax-2.py
It times both interleaved, and exits with 1 if slow takes more than 2.31 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="log_softmax",
    category="activation",
    mxnet="1.9.1",
    seed=1,
)


@case("log_softmax/e2c6e6be", profile="finding")
def slow():
    return dict(
        data=tensor((16384, 1), "float32", uniform(-1.0, 1.0)),
    )


@case("log_softmax/b873224d", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 16384), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=2.31, threads=1))
