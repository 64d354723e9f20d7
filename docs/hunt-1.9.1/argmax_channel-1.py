"""argmax_channel, forward, on MXNet 1.9.1: 7.39 times as slow as a neighbour that does equal work.

slow       145 us a call, where 19.6 us were expected
fast       19.6 us a call
step       int64: as many elements, 4 times the bytes
ratio      7.39 times, 95% interval 7.01 to 7.53, with 1 thread
family     float16
neighbour  7.39 times: int64: as many elements, 4 times the bytes
roofline   9.35 times: this machine can move and compute as much in that time

Measure it again: python argmax_channel-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.72 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="argmax_channel",
    category="sorting",
    mxnet="1.9.1",
    seed=0,
)


@case("argmax_channel/4d5bbb49", profile="finding")
def slow():
    return dict(
        data=tensor((16, 256), "float16", uniform(-1.0, 1.0)),
    )


@case("argmax_channel/88b1c43b", profile="contrast")
def fast():
    return dict(
        data=tensor((16, 256), "int64", integers(0, 10)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.72, threads=1))
