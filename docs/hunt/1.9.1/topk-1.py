"""topk, forward, on MXNet 1.9.1: 4.58 times as slow as a neighbour that does equal work.

slow       169 us a call, where 37.5 us were expected
fast       32.4 us a call
step       data.shape[0] of 1 and data.shape[1] of 4,096
ratio      4.58 times, 95% interval 4.47 to 4.77, with 1 thread
family     k >= 5 and data.shape[-1] <= 32
neighbour  4.51 times: data.shape[0] of 1 and data.shape[1] of 4,096 takes 22% of the time
roofline   9.42 times: this machine can move and compute as much in that time

Measure it again: python topk-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.47 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="topk",
    category="sorting",
    mxnet="1.9.1",
    seed=1,
)


@case("topk/2b1aa6fa", profile="finding")
def slow():
    return dict(
        data=tensor((128, 32), "float32", uniform(-1.0, 1.0)),
        k=5,
    )


@case("topk/0f284c5e", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 4096), "float32", uniform(-1.0, 1.0)),
        k=5,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.47, threads=1))
