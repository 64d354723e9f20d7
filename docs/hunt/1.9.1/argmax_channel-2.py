"""argmax_channel, forward, on MXNet 1.9.1: 3.14 times as slow as a neighbour that does equal work.

slow       942 us a call, where 496 us were expected
fast       442 us a call
step       data.shape[0] of 100 and data.shape[1] of 800
ratio      3.14 times, 95% interval 1.94 to 4.30, with 1 thread
family     dtype is not float16 and data.shape[0] > 100 and data.shape[1] < 800
neighbour  1.90 times: data.shape[0] of 100 and data.shape[1] of 800 takes 53% of the time
roofline   31.0 times: this machine can move and compute as much in that time

Measure it again: python argmax_channel-2.py
It times both interleaved, and exits with 1 if slow takes more than 1.99 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="argmax_channel",
    category="sorting",
    mxnet="1.9.1",
    seed=1,
)


@case("argmax_channel/b2eb1788", profile="finding")
def slow():
    return dict(
        data=tensor((10000, 8), "float32", uniform(-1.0, 1.0)),
    )


@case("argmax_channel/db2a1b91", profile="contrast")
def fast():
    return dict(
        data=tensor((100, 800), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.99, threads=1))
