"""argmax_channel, forward, on MXNet 2.0.0b1: 5.66 times as slow as a neighbour that does equal work.

slow       128 us a call, where 22.3 us were expected
fast       22.3 us a call
step       int32: as many elements, 2 times the bytes
ratio      5.66 times, 95% interval 5.21 to 5.82, with 1 thread
family     float16
neighbour  5.66 times: int32: as many elements, 2 times the bytes
roofline   10.5 times: this machine can move and compute as much in that time

Measure it again: python argmax_channel-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.38 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="argmax_channel",
    category="sorting",
    mxnet="2.0.0b1",
    seed=0,
)


@case("argmax_channel/485f71b4", profile="finding")
def slow():
    return dict(
        data=tensor((512, 8), "float16", uniform(-1.0, 1.0)),
    )


@case("argmax_channel/8fca2c45", profile="contrast")
def fast():
    return dict(
        data=tensor((512, 8), "int32", integers(0, 10)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.38, threads=1))
