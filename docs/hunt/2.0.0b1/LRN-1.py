"""LRN, backward, on MXNet 2.0.0b1: 2.92 times as slow as a neighbour that does equal work.

slow       32,068 us a call, where 10,002 us were expected
fast       10,002 us a call
step       data.shape[1] of 1 and data.shape[0] of 64
ratio      2.92 times, 95% interval 2.72 to 3.45, with 1 thread
family     nsize=5 and data.shape[1] >= 64
neighbour  3.21 times: data.shape[1] of 1 and data.shape[0] of 64 takes 31% of the time
model      1.81 times: half of 24 other inputs lie within a factor of 1.21 of it
roofline   563 times: this machine can move and compute as much in that time
forward    52.3 times: the forward pass of the same input

Measure it again: python LRN-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.71 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="LRN",
    category="normalization",
    mxnet="2.0.0b1",
    seed=1,
)


@case("LRN/1ebbe257", profile="finding")
def slow():
    return dict(
        data=tensor((1, 64, 32, 64), "float32", uniform(-1.0, 1.0)),
        nsize=5,
    )


@case("LRN/8a57ec53", profile="contrast")
def fast():
    return dict(
        data=tensor((64, 1, 32, 64), "float32", uniform(-1.0, 1.0)),
        nsize=5,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.71, threads=1))
