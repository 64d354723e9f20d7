"""softmax, forward, on MXNet 2.0.0b1: 6.17 times as slow as a neighbour that does equal work.

slow       200 us a call, where 33.3 us were expected
fast       33.3 us a call
step       axis=1
ratio      6.17 times, 95% interval 5.61 to 6.44, with 1 thread
family     axis is not the last, and float32
also       backward, 3.59 times
neighbour  6.17 times: axis=1
roofline   14.5 times: this machine can move and compute as much in that time

Measure it again: python softmax-3.py
It times both interleaved, and exits with 1 if slow takes more than 2.48 times as long as fast, else with 0.
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
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.48, threads=1))
