"""topk, forward, on MXNet 1.9.1: 2.61 times as slow as a neighbour that does equal work.

slow       87.8 us a call, where 35.1 us were expected
fast       31.4 us a call
step       axis=1
ratio      2.61 times, 95% interval 2.31 to 2.98, with 1 thread
family     axis is not the last and data.shape[-2] <= 8
neighbour  2.50 times: axis=1 takes 40% of the time
roofline   4.99 times: this machine can move and compute as much in that time

Measure it again: python topk-2.py
It times both interleaved, and exits with 1 if slow takes more than 1.81 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="topk",
    category="sorting",
    mxnet="1.9.1",
    seed=1,
)


@case("topk/86960ed7", profile="finding")
def slow():
    return dict(
        data=tensor((8, 256), "float32", uniform(-1.0, 1.0)),
        axis=0,
    )


@case("topk/73baaedd", profile="contrast")
def fast():
    return dict(
        data=tensor((8, 256), "float32", uniform(-1.0, 1.0)),
        axis=1,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.81, threads=1))
