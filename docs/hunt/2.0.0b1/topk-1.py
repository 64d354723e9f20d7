"""topk, forward, on MXNet 2.0.0b1: 3.57 times as slow as a neighbour that does equal work.

slow       91.0 us a call, where 26.3 us were expected
fast       26.3 us a call
step       axes 0 and 1 exchanged
ratio      3.57 times, 95% interval 3.47 to 3.62, with 1 thread
family     axis is not the last
neighbour  3.57 times: axes 0 and 1 exchanged
model      1.60 times: half of 68 other inputs lie within a factor of 1.51 of it
roofline   7.34 times: this machine can move and compute as much in that time
kin        2.79 times: argmax of the same input

Measure it again: python topk-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.89 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="topk",
    category="sorting",
    mxnet="2.0.0b1",
    seed=5,
)


@case("topk/cc465d11", profile="finding")
def slow():
    return dict(
        data=tensor((1024, 8), "float32", uniform(-1.0, 1.0)),
        axis=0,
    )


@case("topk/6c0b7494", profile="contrast")
def fast():
    return dict(
        data=tensor((8, 1024), "float32", uniform(-1.0, 1.0)),
        axis=1,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.89, threads=1))
