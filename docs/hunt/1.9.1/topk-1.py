"""topk, forward, on MXNet 1.9.1: 2.35 times as slow as a neighbour that does equal work.

slow       99.2 us a call, where 51.9 us were expected
fast       51.9 us a call
step       axes 0 and 1 exchanged
ratio      2.35 times, 95% interval 1.90 to 2.84, with 1 thread
family     axis is not the last
neighbour  2.35 times: axes 0 and 1 exchanged
model      1.58 times: half of 68 other inputs lie within a factor of 1.55 of it
roofline   4.89 times: this machine can move and compute as much in that time

Measure it again: python topk-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.53 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="topk",
    category="sorting",
    mxnet="1.9.1",
    seed=5,
)


@case("topk/0d634d72", profile="finding")
def slow():
    return dict(
        data=tensor((896, 10), "float32", uniform(-1.0, 1.0)),
        axis=0,
    )


@case("topk/ba85c15e", profile="contrast")
def fast():
    return dict(
        data=tensor((10, 896), "float32", uniform(-1.0, 1.0)),
        axis=1,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.53, threads=1))
