"""broadcast_minimum, backward, on MXNet 2.0.0b1: 2.02 times as slow as a neighbour that does equal work.

slow       129 us a call, where 62.9 us were expected
fast       62.9 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.02 times, 95% interval 1.92 to 2.10, with 1 thread
family     float16
neighbour  2.02 times: float32: as many elements, 2 times the bytes
roofline   10.7 times: this machine can move and compute as much in that time
forward    4.27 times: the forward pass of the same input

Measure it again: python broadcast_minimum-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.42 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="broadcast_minimum",
    category="broadcast",
    mxnet="2.0.0b1",
    seed=0,
)


@case("broadcast_minimum/27c4f84b", profile="finding")
def slow():
    return dict(
        lhs=tensor((2, 1), "float16", uniform(-1.0, 1.0)),
        rhs=tensor((1, 256), "float16", uniform(-1.0, 1.0)),
    )


@case("broadcast_minimum/7f3b2d10", profile="contrast")
def fast():
    return dict(
        lhs=tensor((2, 1), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((1, 256), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.42, threads=1))
