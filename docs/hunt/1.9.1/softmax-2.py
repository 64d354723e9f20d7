"""softmax, forward, on MXNet 1.9.1: 9.19 times as slow as a neighbour that does equal work.

slow       392 us a call, where 42.5 us were expected
fast       42.5 us a call
step       data.shape[0] of 128 and data.shape[1] of 64
ratio      9.19 times, 95% interval 9.00 to 9.39, with 1 thread
family     dtype is float32 and data.shape[-1] <= 2
neighbour  9.21 times: data.shape[0] of 128 and data.shape[1] of 64 takes 11% of the time
roofline   20.0 times: this machine can move and compute as much in that time

Measure it again: python softmax-2.py
It times both interleaved, and exits with 1 if slow takes more than 3.03 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="softmax",
    category="activation",
    mxnet="1.9.1",
    seed=1,
)


@case("softmax/1bf65687", profile="finding")
def slow():
    return dict(
        data=tensor((8192, 1), "float32", uniform(-1.0, 1.0)),
    )


@case("softmax/caf0bffb", profile="contrast")
def fast():
    return dict(
        data=tensor((128, 64), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.03, threads=1))
