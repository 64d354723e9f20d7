"""topk, forward, on MXNet 2.0.0b1: 3.31 times as slow as a neighbour that does equal work.

slow       124 us a call, where 37.6 us were expected
fast       31.7 us a call
step       data.shape[0] of 1 and data.shape[1] of 4,096
ratio      3.31 times, 95% interval 3.21 to 3.41, with 1 thread
family     k >= 3 and data.shape[-1] <= 16
neighbour  3.30 times: data.shape[0] of 1 and data.shape[1] of 4,096 takes 30% of the time
roofline   6.64 times: this machine can move and compute as much in that time

Measure it again: python topk-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.16 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="topk",
    category="sorting",
    mxnet="2.0.0b1",
    seed=1,
)


@case("topk/8cfd25af", profile="finding")
def slow():
    return dict(
        data=tensor((256, 16), "float32", uniform(-1.0, 1.0)),
        k=3,
    )


@case("topk/f614860c", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 4096), "float32", uniform(-1.0, 1.0)),
        k=3,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.16, threads=1))
