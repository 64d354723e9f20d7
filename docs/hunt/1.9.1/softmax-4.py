"""softmax, forward, on MXNet 1.9.1: 3.92 times as slow as a neighbour that does equal work.

slow       157 us a call, where 41.3 us were expected
fast       41.3 us a call
step       data.shape[0] of 1 and data.shape[1] of 4,096
ratio      3.92 times, 95% interval 3.70 to 4.16, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  3.92 times: data.shape[0] of 1 and data.shape[1] of 4,096
roofline   7.76 times: this machine can move and compute as much in that time

Measure it again: python softmax-4.py
It times both interleaved, and exits with 1 if slow takes more than 1.98 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="softmax",
    category="activation",
    mxnet="1.9.1",
    seed=5,
)


@case("softmax/9350ce92", profile="finding")
def slow():
    return dict(
        data=tensor((4096, 1), "float32", uniform(-1.0, 1.0)),
    )


@case("softmax/0d50a601", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 4096), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.98, threads=1))
