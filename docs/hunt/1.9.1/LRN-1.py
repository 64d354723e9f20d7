"""LRN, forward, on MXNet 1.9.1: 9.28 times as slow as a neighbour that does equal work.

slow       2,090 us a call, where 231 us were expected
fast       231 us a call
step       data.shape[1] of 64
ratio      9.28 times, 95% interval 6.32 to 11.9, with 1 thread
family     nsize=5 and data.shape[3] >= 32 and data.shape[1] < 64
neighbour  9.03 times: data.shape[1] of 64 takes 11% of the time
roofline   57.8 times: this machine can move and compute as much in that time

Measure it again: python LRN-1.py
It times both interleaved, and exits with 1 if slow takes more than 3.05 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="LRN",
    category="normalization",
    mxnet="1.9.1",
    seed=1,
)


@case("LRN/bac0d6c8", profile="finding")
def slow():
    return dict(
        data=tensor((1, 63, 32, 32), "float32", uniform(-1.0, 1.0)),
        nsize=5,
    )


@case("LRN/0e04b8fc", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 64, 32, 32), "float32", uniform(-1.0, 1.0)),
        nsize=5,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.05, threads=1))
