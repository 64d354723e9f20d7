"""topk, forward, on MXNet 2.0.0b1: 7.32 times as slow as a neighbour that does equal work.

slow       251 us a call, where 34.5 us were expected
fast       32.6 us a call
step       axis=1
ratio      7.32 times, 95% interval 7.17 to 7.50, with 1 thread
family     axis is not the last
neighbour  7.28 times: axis=1 takes 14% of the time
roofline   13.5 times: this machine can move and compute as much in that time

Measure it again: python topk-2.py
It times both interleaved, and exits with 1 if slow takes more than 2.86 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="topk",
    category="sorting",
    mxnet="2.0.0b1",
    seed=1,
)


@case("topk/74019acb", profile="finding")
def slow():
    return dict(
        data=tensor((16, 256), "float32", uniform(-1.0, 1.0)),
        axis=0,
    )


@case("topk/678bce4f", profile="contrast")
def fast():
    return dict(
        data=tensor((16, 256), "float32", uniform(-1.0, 1.0)),
        axis=1,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.86, threads=1))
