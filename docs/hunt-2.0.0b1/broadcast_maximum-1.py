"""broadcast_maximum, backward, on MXNet 2.0.0b1: 2.50 times as slow as a neighbour that does equal work.

slow       2,171 us a call, where 872 us were expected
fast       872 us a call
step       broadcast_add: both read two operands and write one value for each element
ratio      2.50 times, 95% interval 2.42 to 2.57, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
also       forward, 3.30 times
neighbour  2.50 times: broadcast_add: both read two operands and write one value for each element
roofline   117 times: this machine can move and compute as much in that time
forward    10.6 times: the forward pass of the same input
kin        2.51 times: broadcast_add of the same input

Measure it again: python broadcast_maximum-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.58 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="broadcast_maximum",
    category="broadcast",
    mxnet="2.0.0b1",
    seed=0,
)


@case("broadcast_maximum/61933a58", profile="finding")
def slow():
    return dict(
        lhs=tensor((256, 256), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((1, 256), "float32", uniform(-1.0, 1.0)),
    )


@case("broadcast_add/42689609", profile="contrast", operator="broadcast_add")
def fast():
    return dict(
        lhs=tensor((256, 256), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((1, 256), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.58, threads=1))
