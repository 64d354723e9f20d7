"""softmax, forward, on MXNet 2.0.0b1: 4.79 times as slow as a neighbour that does equal work.

slow       312 us a call, where 66.6 us were expected
fast       66.6 us a call
step       axis=1
ratio      4.79 times, 95% interval 4.39 to 5.17, with 1 thread
family     axis is not the last, and float32, and dtype is not given, and use_length=False
also       backward, 2.31 times
neighbour  4.79 times: axis=1
roofline   22.9 times: this machine can move and compute as much in that time

Measure it again: python softmax-2.py
It times both interleaved, and exits with 1 if slow takes more than 2.19 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="softmax",
    category="activation",
    mxnet="2.0.0b1",
    seed=5,
)


@case("softmax/229e016e", profile="finding")
def slow():
    return dict(
        data=tensor((128, 128), "float32", uniform(-1.0, 1.0)),
        axis=0,
    )


@case("softmax/c3609a41", profile="contrast")
def fast():
    return dict(
        data=tensor((128, 128), "float32", uniform(-1.0, 1.0)),
        axis=1,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.19, threads=1))
