"""argmax_channel, forward, on MXNet 2.0.0b1: 3.20 times as slow as a neighbour that does equal work.

slow       119 us a call, where 36.7 us were expected
fast       36.7 us a call
step       int32
ratio      3.20 times, 95% interval 3.16 to 3.24, with 1 thread
family     dtype is float16
neighbour  3.23 times: int32 takes 31% of the time
model      2.37 times: half of 37 other inputs lie within a factor of 1.08 of it
roofline   6.54 times: this machine can move and compute as much in that time

Measure it again: python argmax_channel-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.79 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="argmax_channel",
    category="sorting",
    mxnet="2.0.0b1",
    seed=1,
)


@case("argmax_channel/53018246", profile="finding")
def slow():
    return dict(
        data=tensor((4, 512), "float16", uniform(-1.0, 1.0)),
    )


@case("argmax_channel/8af51aab", profile="contrast")
def fast():
    return dict(
        data=tensor((4, 512), "int32", integers(0, 10)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.79, threads=1))
